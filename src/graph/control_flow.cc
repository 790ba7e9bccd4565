#include "graph/control_flow.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/errors.h"

namespace changeaware {
namespace {

enum class Gives : uint8_t { kResults, kCarried, kCondition };

struct Body {
  size_t argument;
  Gives gives;
};

struct ControlFlow {
  std::string_view name;
  std::array<Body, 2> bodies;
  size_t body_count;
  std::array<size_t, 3> operands;  // arguments whose elements the bodies read, in order
  size_t operand_count;
};

constexpr ControlFlow kControlFlow[] = {
    {"higher_order.cond", {{{1, Gives::kResults}, {2, Gives::kResults}}}, 2, {3}, 1},
    {"higher_order.while_loop", {{{0, Gives::kCondition}, {1, Gives::kCarried}}}, 2, {2, 3}, 2},
    {"higher_order.scan", {{{0, Gives::kResults}}}, 1, {1, 2, 3}, 3},
    {"higher_order.map_impl", {{{0, Gives::kResults}}}, 1, {1, 2}, 2},
};

const ControlFlow* find(const OpSchema& op) {
  const auto* it = std::find_if(std::begin(kControlFlow), std::end(kControlFlow),
                                [&](const ControlFlow& flow) { return flow.name == op.name; });
  return it == std::end(kControlFlow) ? nullptr : it;
}

std::optional<size_t> list_size(const Argument& argument) {
  const auto* list = std::get_if<TensorList>(&argument);
  return list == nullptr ? std::nullopt : std::optional<size_t>(list->items.size());
}

}  // namespace

bool is_control_flow(const OpSchema& op) { return find(op) != nullptr; }

Status check_bodies(const Node& node) {
  const ControlFlow* flow = find(*node.op);
  if (flow == nullptr) return {};
  size_t read = 0;
  for (const size_t index : std::span(flow->operands).first(flow->operand_count)) {
    const auto count = list_size(node.args[index]);
    if (!count) {
      return invalid_program("node '{}': {} is no list of values", node.name,
                             node.op->args[index].name);
    }
    read += *count;
  }
  for (const Body& body : std::span(flow->bodies).first(flow->body_count)) {
    const std::string& name = node.op->args[body.argument].name;
    const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&node.args[body.argument]);
    if (graph == nullptr || *graph == nullptr) {
      return invalid_program("node '{}': {} is no graph", node.name, name);
    }
    const size_t given = (*graph)->outputs().size();
    const size_t wanted = body.gives == Gives::kResults   ? node.outputs.size()
                          : body.gives == Gives::kCarried ? *list_size(node.args[flow->operands[0]])
                                                          : 1;
    if ((*graph)->inputs().size() != read || given != wanted) {
      return invalid_program("node '{}': {} takes {} values and gives {}, not {} and {}", node.name,
                             name, (*graph)->inputs().size(), given, read, wanted);
    }
  }
  return {};
}

}  // namespace changeaware
