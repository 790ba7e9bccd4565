// Writes tensor metadata and symbolic sizes as JSON; the reverse of meta_reader.h.
// Errors: InvalidProgram, quoting an expression that cannot be read.
#pragma once

#include "base/json.h"
#include "graph/graph.h"

namespace changeaware {

Status write_sym_int(JsonWriter& json, const Dim& dim);
Status write_sym_float(JsonWriter& json, const Dim& dim);
Status write_sym_bool(JsonWriter& json, const Dim& dim);
Status write_tensor_spec(JsonWriter& json, const TensorSpec& spec);
// A tensor with its strides and offset in its storage.
void write_stored_tensor_meta(JsonWriter& json, const Tensor& tensor);

}  // namespace changeaware
