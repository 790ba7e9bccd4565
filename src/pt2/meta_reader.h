// Reads tensor metadata and symbolic sizes from JSON.
//
// Errors: Corrupt with source and path, Unsupported for dtypes, layouts and devices that this
// library does not have.
#pragma once

#include "base/json.h"
#include "graph/graph.h"

namespace changeaware {

// {"as_int": 3} or {"as_expr": {"expr_str": …, "hint": {"as_int": 3}}}. Without a hint the size is
// 0.
Result<Dim> read_sym_int(const JsonView& view);
// The same for floats and booleans: only the expression; a plain number or "true" when it is fixed.
Result<Dim> read_sym_float(const JsonView& view);
Result<Dim> read_sym_bool(const JsonView& view);

// A value of a graph.
Result<TensorSpec> read_tensor_spec(const JsonView& view);

// A stored tensor: every number is fixed.
struct StoredTensorMeta {
  DType dtype = DType::kFloat32;
  Shape sizes;
  std::vector<int64_t> strides;
  int64_t storage_offset = 0;
};
Result<StoredTensorMeta> read_stored_tensor_meta(const JsonView& view);

// `status` with the source and path of `view` before its message.
Status at(const JsonView& view, const Status& status);

}  // namespace changeaware
