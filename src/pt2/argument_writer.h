// Writes one operator argument as JSON; the reverse of argument_reader.h.
// Errors: Unsupported for a layout that is not strided.
#pragma once

#include <functional>

#include "base/json.h"
#include "graph/graph.h"

namespace changeaware {

// Writes a nested graph.
using GraphWriter = std::function<Status(JsonWriter&, const Graph&)>;

// {"as_tensor": {"name": "x"}}: a whole union object.
Status write_argument(JsonWriter& json, const Argument& argument, const Graph& graph,
                      const GraphWriter& write_nested);
// A value: {"as_tensor": {"name": …}}, {"as_sym_int": {"as_name": …}}, …
void write_value_ref(JsonWriter& json, const Value& value);

}  // namespace changeaware
