// effects: refuses what cannot be part of a function of the inputs.
#include <algorithm>
#include <optional>

#include "base/errors.h"
#include "normalise/pass.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

// What an operator with a random mode does when that mode is off.
enum class Inactive : uint8_t { kAlias, kKeep };

struct MaybeRandom {
  std::string_view base_name;
  std::string_view probability;  // argument that switches randomness off at 0; empty = none
  std::string_view training;     // argument that switches it off when False; empty = none
  Inactive inactive;
};

constexpr MaybeRandom kMaybeRandom[] = {
    {"dropout", "p", "train", Inactive::kAlias},
    {"dropout_", "p", "train", Inactive::kAlias},
    {"feature_dropout", "p", "train", Inactive::kAlias},
    {"feature_dropout_", "p", "train", Inactive::kAlias},
    {"alpha_dropout", "p", "train", Inactive::kAlias},
    {"alpha_dropout_", "p", "train", Inactive::kAlias},
    {"feature_alpha_dropout", "p", "train", Inactive::kAlias},
    {"feature_alpha_dropout_", "p", "train", Inactive::kAlias},
    {"native_dropout", "p", "train", Inactive::kAlias},
    {"rrelu", "", "training", Inactive::kKeep},
    {"rrelu_", "", "training", Inactive::kKeep},
    {"lstm", "dropout", "train", Inactive::kKeep},
    {"gru", "dropout", "train", Inactive::kKeep},
    {"rnn_tanh", "dropout", "train", Inactive::kKeep},
    {"rnn_relu", "dropout", "train", Inactive::kKeep},
    {"scaled_dot_product_attention", "dropout_p", "", Inactive::kKeep},
    {"_scaled_dot_product_attention_math", "dropout_p", "", Inactive::kKeep},
    {"_scaled_dot_product_flash_attention_for_cpu", "dropout_p", "", Inactive::kKeep},
};

// Assertions that decide_assertions() understands.
constexpr std::string_view kKnownAssertions[] = {
    "aten._assert_tensor_metadata.default",
    "aten._assert_scalar.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
};

// Values have no memory layout here.
constexpr std::string_view kLayoutReaders[] = {
    "aten.sym_stride.int",
    "aten.sym_stride.default",
    "aten.sym_storage_offset.default",
    "aten.stride.int",
    "aten.stride.default",
    "aten.storage_offset.default",
    "aten.is_contiguous.default",
};

template <class Range>
bool contains(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

// Normalisation that updates its running statistics when a flag is set.
struct Statistics {
  std::string_view name;
  std::string_view flag;
};
constexpr Statistics kStatistics[] = {
    {"aten.batch_norm.default", "training"},
    {"aten.native_batch_norm.default", "training"},
    {"aten._native_batch_norm_legit.default", "training"},
    {"aten.cudnn_batch_norm.default", "training"},
    {"aten.instance_norm.default", "use_input_stats"},
};

bool is_zero(const Node& node, std::string_view name) {
  if (name.empty() || node.op->arg_index(name) < 0) return false;
  const Argument& value = argument(node, name);
  if (const auto* d = std::get_if<double>(&value)) return *d == 0.0;
  const auto* i = std::get_if<int64_t>(&value);
  return i != nullptr && *i == 0;
}

bool is_false(const Node& node, std::string_view name) {
  if (name.empty() || node.op->arg_index(name) < 0) return false;
  const auto* flag = std::get_if<bool>(&argument(node, name));
  return flag != nullptr && !*flag;
}

const MaybeRandom* find_maybe_random(const Node& node) {
  if (node.op->ns() != "aten") return nullptr;
  const auto* it = std::find_if(std::begin(kMaybeRandom), std::end(kMaybeRandom),
                                [&](const auto& m) { return m.base_name == node.op->base_name(); });
  return it == std::end(kMaybeRandom) ? nullptr : it;
}

// The name of a constant, an input as the caller knows it, or another value.
std::string describe(const Graph& graph, const PassContext& context, ValueId id) {
  if (const Constant* constant = graph.constant_of(id)) return fmt::format("'{}'", constant->fqn);
  const auto it = std::find(graph.inputs().begin(), graph.inputs().end(), id);
  if (it == graph.inputs().end()) return fmt::format("'{}'", graph.value(id).name);
  return fmt::format("'{}'", context.input_names[static_cast<size_t>(it - graph.inputs().begin())]);
}

// Whether running the graph may fail by an assertion of its own.
bool asserts(const Graph& graph) {
  if (!graph.assertions().empty()) return true;
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return node.op->has_effects ||
           std::any_of(node.args.begin(), node.args.end(), [](const Argument& a) {
             const auto* body = std::get_if<std::shared_ptr<const Graph>>(&a);
             return body != nullptr && asserts(**body);
           });
  });
}

// By value: whether an output, an assertion or an effect needs it.
std::vector<bool> live_values(const Graph& graph) {
  std::vector<bool> live(graph.values().size(), false);
  const auto mark = [&](ValueId id) { live[id] = true; };
  for (const Argument& output : graph.outputs()) for_each_value(output, mark);
  for (const Assertion& assertion : graph.assertions()) mark(assertion.condition);
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    const bool needed = node->op->has_effects || node->op->mutates() ||
                        std::any_of(node->outputs.begin(), node->outputs.end(),
                                    [&](ValueId id) { return id != kNoId && live[id]; });
    if (needed) for_each_input(*node, mark);
  }
  return live;
}

class EffectCheck {
 public:
  EffectCheck(const Graph& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        rewriter_(graph),
        uses_(count_uses(graph)),
        live_(live_values(graph)) {}

  Result<Graph> run() {
    for (const Node& node : graph_.nodes()) CA_RETURN_IF_ERROR(visit(node));
    return rewriter_.finish();
  }

 private:
  Status visit(const Node& node) {
    if (const MaybeRandom* entry = find_maybe_random(node)) return visit_maybe_random(node, *entry);
    if (node.op->random) return refuse_random(node, "");
    if (node.op->has_effects && !contains(kKnownAssertions, node.op->name)) {
      return unsupported("node '{}': {} does something besides computing its results", node.name,
                         node.op->name);
    }
    if (contains(kLayoutReaders, node.op->name)) {
      return unsupported("node '{}': {} reads the memory layout of a tensor", node.name,
                         node.op->name);
    }
    CA_RETURN_IF_ERROR(check_bodies_run(node));
    for (const Statistics& entry : kStatistics) {
      if (entry.name == node.op->name) return visit_statistics(node, entry);
    }
    rewriter_.copy(node);
    return {};
  }

  // What a branch or loop asserts is checked when it runs, and it runs for its results.
  Status check_bodies_run(const Node& node) const {
    const bool read = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [&](ValueId id) { return id != kNoId && live_[id]; });
    if (read) return {};
    for (const Argument& a : node.args) {
      const auto* body = std::get_if<std::shared_ptr<const Graph>>(&a);
      if (body == nullptr || !asserts(**body)) continue;
      return unsupported("node '{}': {} asserts something, but nothing reads its results",
                         node.name, node.op->name);
    }
    return {};
  }

  static Status refuse_random(const Node& node, std::string_view hint) {
    return unsupported("node '{}': {} gives other values at every call{}", node.name, node.op->name,
                       hint);
  }

  Status visit_maybe_random(const Node& node, const MaybeRandom& entry) {
    const bool inactive = is_zero(node, entry.probability) || is_false(node, entry.training);
    if (!inactive) {
      return refuse_random(node, "; export the model in evaluation mode (model.eval())");
    }
    if (entry.inactive == Inactive::kKeep) {
      rewriter_.copy(node);
      return {};
    }
    if (node.outputs.size() > 1 && node.outputs[1] != kNoId && uses_[node.outputs[1]] > 0) {
      return unsupported("node '{}': the mask of an inactive {} is read", node.name, node.op->name);
    }
    if (node.outputs[0] == kNoId) return {};
    CA_ASSIGN_OR_RETURN(const ValueId id, rewriter_.emit("aten.alias.default",
                                                         {{"self", rewriter_.mapped(node.args[0])}},
                                                         rewriter_.like(node.outputs[0])));
    rewriter_.map(node.outputs[0], ValueRef{id});
    return {};
  }

  Status visit_statistics(const Node& node, const Statistics& entry) {
    const ValueId mean = tensor_argument(node, "running_mean");
    const ValueId var = tensor_argument(node, "running_var");
    if (!is_false(node, entry.flag) && (mean != kNoId || var != kNoId)) {
      return unsupported(
          "node '{}': {} updates its running statistics {} and {} on every call; export the model "
          "in "
          "evaluation mode (model.eval())",
          node.name, node.op->name, mean == kNoId ? "None" : describe(graph_, context_, mean),
          var == kNoId ? "None" : describe(graph_, context_, var));
    }
    Node pure = node;
    // With the flag off the statistics are only read; this overload says so.
    if (node.op->name == "aten._native_batch_norm_legit.default") {
      pure.op = find_op("aten.native_batch_norm.default");
      if (pure.op == nullptr) return internal_error("the operator table lacks native_batch_norm");
    }
    rewriter_.copy(pure);
    return {};
  }

  const Graph& graph_;
  const PassContext& context_;
  Rewriter rewriter_;
  std::vector<uint32_t> uses_;
  std::vector<bool> live_;
};

}  // namespace

Result<Graph> check_effects(const Graph& graph, const PassContext& context) {
  return EffectCheck(graph, context).run();
}

}  // namespace changeaware
