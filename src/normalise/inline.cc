// inline: a sub-graph under another mode of gradients or autocast is part of the program; what
// autocast casts is written out.
#include <map>
#include <optional>

#include "base/errors.h"
#include "graph/control_flow.h"
#include "graph/verifier.h"
#include "normalise/autocast.h"
#include "normalise/pass.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

constexpr int kMaxDepth = 64;

// Runs its one body, once, as the graph around it would run it but for a mode.
bool is_mode(const OpSchema& op) { return op.ns() == "higher_order" && !is_control_flow(op); }

struct Mode {
  int depth = 0;
  std::optional<DType> autocast;  // to this dtype
};

using Environment = std::vector<Argument>;  // by value id of the body: what it is in the new graph

class Inliner {
 public:
  explicit Inliner(const Graph& graph) : rewriter_(graph) {}

  Result<Graph> run() {
    for (const Node& node : rewriter_.from().nodes()) {
      if (!is_mode(*node.op)) {
        rewriter_.copy(node);
        continue;
      }
      std::vector<Value> named;
      for (ValueId id : node.outputs) named.push_back(id == kNoId ? Value() : rewriter_.like(id));
      CA_ASSIGN_OR_RETURN(const std::vector<Argument> results,
                          splice(node, rewriter_.mapped_args(node), named, {}));
      for (size_t i = 0; i < results.size(); ++i) {
        if (node.outputs[i] != kNoId) rewriter_.map(node.outputs[i], results[i]);
      }
    }
    Result<Graph> done = rewriter_.finish();
    if (!done.ok()) return done;
    for (Assertion& assertion : assertions_) done->add_assertion(std::move(assertion));
    return done;
  }

 private:
  static Result<Mode> mode_inside(const Node& node, const Mode& around) {
    Mode inside = around;
    ++inside.depth;
    if (inside.depth > kMaxDepth)
      return unsupported("node '{}': sub-graphs are nested too deep", node.name);
    if (node.op->name == "higher_order.wrap_with_set_grad_enabled") return inside;
    if (node.op->name != "higher_order.wrap_with_autocast") {
      return unsupported("node '{}': {} cannot be inlined", node.name, node.op->name);
    }
    inside.autocast = autocast_of_region(node, around.autocast);
    return inside;
  }

  // The body of `node`, whose other arguments are `args` in the new graph. A body value that
  // becomes a result of the node is the value in `named` (one without a name: nobody asks for it).
  Result<std::vector<Argument>> splice(const Node& node, const std::vector<Argument>& args,
                                       const std::vector<Value>& named, const Mode& around) {
    CA_ASSIGN_OR_RETURN(const Mode mode, mode_inside(node, around));
    const auto* body = std::get_if<std::shared_ptr<const Graph>>(&argument(node, "body"));
    const auto* operands =
        std::get_if<TensorList>(&args[static_cast<size_t>(node.op->arg_index("operands"))]);
    if (body == nullptr || *body == nullptr || operands == nullptr ||
        operands->items.size() != (*body)->inputs().size() ||
        node.outputs.size() > (*body)->outputs().size()) {
      return invalid_program("node '{}': its sub-graph does not fit its operands", node.name);
    }
    const Graph& graph = **body;
    CA_RETURN_IF_ERROR(verify(graph).with_context("sub-graph of node '" + node.name + "'"));
    Environment env(graph.values().size());
    for (size_t i = 0; i < operands->items.size(); ++i) {
      if (!operands->items[i])
        return invalid_program("node '{}': operand {} is None", node.name, i);
      env[graph.inputs()[i]] = ValueRef{*operands->items[i]};
    }
    add_constants(graph, env);
    CA_RETURN_IF_ERROR(add_nodes(graph, env, named, mode));
    for (const Assertion& a : graph.assertions()) {
      if (const auto* ref = std::get_if<ValueRef>(&env[a.condition])) {
        assertions_.push_back({ref->id, a.message});
      }
    }
    std::vector<Argument> results;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      results.push_back(translate(graph.outputs()[i], env));
    }
    return results;
  }

  static Argument translate(const Argument& argument, const Environment& env) {
    if (const auto* ref = std::get_if<ValueRef>(&argument)) return env[ref->id];
    return map_values(argument, [&](ValueId id) { return std::get<ValueRef>(env[id]).id; });
  }

  void add_constants(const Graph& graph, Environment& env) {
    for (const Constant& constant : graph.constants()) {
      Constant copy = constant;
      Value value = graph.value(constant.value);
      value.name = rewriter_.free_name(value.name);
      copy.value = rewriter_.to().add_value(std::move(value));
      env[constant.value] = ValueRef{copy.value};
      rewriter_.to().add_constant(std::move(copy));
    }
    for (const auto& [name, range] : graph.symbols()) {
      if (!rewriter_.to().symbols().contains(name)) rewriter_.to().set_symbol(name, range);
    }
  }

  Status add_nodes(const Graph& graph, Environment& env, const std::vector<Value>& named,
                   const Mode& mode) {
    std::map<ValueId, const Value*> results_of_region;
    for (size_t i = 0; i < named.size(); ++i) {
      const auto* ref = std::get_if<ValueRef>(&graph.outputs()[i]);
      if (ref != nullptr && !named[i].name.empty()) results_of_region.emplace(ref->id, &named[i]);
    }
    for (const Node& node : graph.nodes()) {
      std::vector<Argument> args;
      for (const Argument& a : node.args) args.push_back(translate(a, env));
      std::vector<Value> own;
      for (ValueId id : node.outputs) {
        const auto it = results_of_region.find(id);
        own.push_back(id == kNoId                     ? Value()
                      : it != results_of_region.end() ? *it->second
                                                      : graph.value(id));
        if (id != kNoId && it == results_of_region.end())
          own.back().name = rewriter_.free_name(own.back().name);
      }
      CA_ASSIGN_OR_RETURN(const std::vector<Argument> results,
                          add_node(node, std::move(args), own, mode));
      for (size_t i = 0; i < results.size(); ++i) {
        if (node.outputs[i] != kNoId) env[node.outputs[i]] = results[i];
      }
    }
    return {};
  }

  Result<std::vector<Argument>> add_node(const Node& node, std::vector<Argument> args,
                                         const std::vector<Value>& own, const Mode& mode) {
    if (is_mode(*node.op)) return splice(node, args, own, mode);
    if (mode.autocast) {
      CA_RETURN_IF_ERROR(apply_autocast(rewriter_, node, *mode.autocast, own, args));
    }
    std::vector<Argument> results;
    Node made{node.op, std::move(args), {}, node.name};
    for (const Value& value : own) {
      made.outputs.push_back(value.name.empty() ? kNoId : rewriter_.to().add_value(value));
      results.push_back(ValueRef{made.outputs.back()});
    }
    rewriter_.to().add_node(std::move(made));
    return results;
  }

  Rewriter rewriter_;
  std::vector<Assertion> assertions_;
};

}  // namespace

Result<Graph> inline_bodies(const Graph& graph, const PassContext&) { return Inliner(graph).run(); }

}  // namespace changeaware
