// Names that the text form of graphs shares between its printer and its parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/argument.h"

namespace changeaware {

// "f32", "i64", "bool", …
std::string_view text_dtype_name(DType dtype);
std::optional<DType> text_dtype(std::string_view name);
std::string_view memory_format_name(MemoryFormat format);
std::optional<MemoryFormat> memory_format(std::string_view name);

// "{1, 2.5, 3}" in logical order: booleans as 0 and 1, floats in the shortest form that reads
// back.
std::string print_elements(const Tensor& tensor);
// Writes `values` into a contiguous tensor, converted to its dtype. False for an unsupported dtype.
bool store_elements(const Tensor& tensor, const std::vector<double>& values);

}  // namespace changeaware
