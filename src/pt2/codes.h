// The numbers that stand for dtypes, layouts and memory formats in `models/*.json`.
// Source: torch/_export/serde/schema.py, PyTorch 2.13.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "changeaware/status.h"
#include "graph/argument.h"

namespace changeaware {

// Unsupported for a dtype that this library does not have (float8), Corrupt for an unknown code.
Result<DType> dtype_from_code(int64_t code);
int64_t code_of(DType dtype);

// Corrupt for an unknown code. Every layout but strided is Layout::kOther.
Result<Layout> layout_from_code(int64_t code);
Result<MemoryFormat> memory_format_from_code(int64_t code);
int64_t code_of(MemoryFormat format);
inline constexpr int64_t kStridedCode = 7;

// Key and value in the metadata of a node that runs on the exact engine (Node::exact). Ours:
// PyTorch ignores keys that it does not know.
inline constexpr std::string_view kEngineKey = "changeaware.engine";
inline constexpr std::string_view kExactEngine = "exact";

}  // namespace changeaware
