#include "graph/verifier.h"

#include <memory>
#include <vector>

#include "base/errors.h"
#include "graph/control_flow.h"

namespace changeaware {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), defined_(graph.values().size(), false) {}

  Status run() {
    for (ValueId id : graph_.inputs()) CA_RETURN_IF_ERROR(define(id, "an input"));
    for (const Constant& c : graph_.constants()) CA_RETURN_IF_ERROR(check_constant(c));
    for (const Node& node : graph_.nodes()) CA_RETURN_IF_ERROR(check_node(node));
    for (const Argument& output : graph_.outputs())
      CA_RETURN_IF_ERROR(check_use(output, "an output"));
    for (const Assertion& a : graph_.assertions()) {
      CA_RETURN_IF_ERROR(check_use(ValueRef{a.condition}, "an assertion"));
    }
    return {};
  }

 private:
  Status define(ValueId id, std::string_view what) {
    if (id >= defined_.size())
      return invalid_program("{} defines value {} of {}", what, id, defined_.size());
    if (defined_[id]) return invalid_program("value '{}' is defined twice", graph_.value(id).name);
    defined_[id] = true;
    return {};
  }

  Status check_use(const Argument& argument, std::string_view user) const {
    Status status;
    for_each_value(argument, [&](ValueId id) {
      if (!status.ok()) return;
      if (id >= defined_.size()) {
        status = invalid_program("{} reads value {} of {}", user, id, defined_.size());
      } else if (!defined_[id]) {
        status = invalid_program("{} reads '{}' before it is defined", user, graph_.value(id).name);
      }
    });
    return status;
  }

  Status check_constant(const Constant& c) {
    CA_RETURN_IF_ERROR(define(c.value, fmt::format("constant '{}'", c.fqn)));
    const TensorSpec& spec = graph_.value(c.value).spec;
    if (!c.tensor.defined()) return invalid_program("constant '{}' has no value", c.fqn);
    if (c.tensor.dtype() != spec.dtype || c.tensor.shape() != spec.hint_shape() || !spec.fixed()) {
      return invalid_program("constant '{}' is {} {}, the graph says {} {}", c.fqn,
                             dtype_name(c.tensor.dtype()), shape_to_string(c.tensor.shape()),
                             dtype_name(spec.dtype), shape_to_string(spec.hint_shape()));
    }
    return {};
  }

  Status check_node(const Node& node) {
    const std::string who = fmt::format("node '{}'", node.name);
    if (node.op == nullptr) return invalid_program("{} has no operator", who);
    if (node.args.size() != node.op->args.size()) {
      return invalid_program("{}: {} arguments for the {} of {}", who, node.args.size(),
                             node.op->args.size(), node.op->name);
    }
    if (!node.op->returns_list() && node.outputs.size() != node.op->returns.size()) {
      return invalid_program("{}: {} results for the {} of {}", who, node.outputs.size(),
                             node.op->returns.size(), node.op->name);
    }
    for (const Argument& argument : node.args) {
      CA_RETURN_IF_ERROR(check_use(argument, who));
      const auto* body = std::get_if<std::shared_ptr<const Graph>>(&argument);
      if (body == nullptr) continue;
      if (*body == nullptr) return invalid_program("{} has no graph", who);
      if (const Status status = verify(**body); !status.ok()) return status.with_context(who);
    }
    CA_RETURN_IF_ERROR(check_bodies(node));
    for (ValueId id : node.outputs) {
      if (id != kNoId) CA_RETURN_IF_ERROR(define(id, who));
    }
    return {};
  }

  const Graph& graph_;
  std::vector<bool> defined_;
};

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace changeaware
