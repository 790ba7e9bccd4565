// Reads one operator argument from JSON and fits it to the operator's schema.
//
// Errors of read_argument: Corrupt (wrong JSON), InvalidProgram (a value that is not defined),
// Unsupported (kinds that this library does not have, by name).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "graph/graph.h"

namespace changeaware {

// What the arguments of one graph refer to.
struct ArgumentScope {
  // The value that the name of a tensor or symbolic number stands for; kNoId when there is none.
  std::function<ValueId(std::string_view)> find_value;
  // Reads a nested {"inputs": …, "nodes": …}.
  std::function<Result<Graph>(const JsonView&)> read_graph;
};

// `view` is a union: {"as_tensor": {"name": "x"}}.
Result<Argument> read_argument(const JsonView& view, const ArgumentScope& scope);

// `argument` as the schema wants it: one number expanded to a list where the schema says int[2],
// numbers and booleans converted where no digit is lost, empty lists of the right kind. A number
// given for a tensor or scalar keeps its kind. InvalidProgram, naming the schema's argument, when
// it does not fit.
Result<Argument> fit_argument(const Argument& argument, const ArgSchema& schema,
                              const Graph& graph);

// Exporters spell an empty list as one of any kind where they do not know the type of its elements.
bool is_empty_list(const Argument& argument);

// "a list of integers": the kind of an argument, for messages.
std::string_view argument_kind(const Argument& argument);

}  // namespace changeaware
