// assertions: what the program asserts and the graph already says is discharged; the rest is
// asserted at run time.
#include <algorithm>

#include "base/errors.h"
#include "graph/expression.h"
#include "normalise/intervals.h"
#include "normalise/pass.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

class Decider {
 public:
  Decider(const Graph& graph, const PassContext& context)
      : graph_(graph), intervals_(graph, context.symbols), rewriter_(graph), context_(context) {}

  Result<Graph> run() {
    for (const Node& node : graph_.nodes()) {
      const Check check = find_check(node);
      if (check == nullptr) {
        rewriter_.copy(node);
      } else {
        CA_RETURN_IF_ERROR((this->*check)(node));
      }
    }
    return finish();
  }

 private:
  using Check = Status (Decider::*)(const Node&);
  struct Entry {
    std::string_view name;
    Check check;
  };
  static Check find_check(const Node& node) {
    static constexpr Entry kChecks[] = {
        {"aten._assert_tensor_metadata.default", &Decider::check_metadata},
        {"aten._assert_scalar.default", &Decider::check_scalar},
        {"aten.sym_constrain_range.default", &Decider::check_range},
        {"aten.sym_constrain_range_for_size.default", &Decider::check_range},
    };
    for (const Entry& entry : kChecks) {
      if (entry.name == node.op->name) return entry.check;
    }
    return nullptr;
  }

  Status check_metadata(const Node& node) {
    const ValueId id = tensor_argument(node, "a");
    if (id == kNoId) return invalid_program("node '{}': no tensor", node.name);
    const Value& value = graph_.value(id);
    const auto* dtype = std::get_if<DType>(&argument(node, "dtype"));
    if (dtype != nullptr && *dtype != value.spec.dtype) {
      return invalid_program("node '{}' asserts that '{}' is {}, but it is {}", node.name,
                             value.name, dtype_name(*dtype), dtype_name(value.spec.dtype));
    }
    const auto* device = std::get_if<Device>(&argument(node, "device"));
    if (device != nullptr && device->type != "cpu") {
      return unsupported("node '{}' asserts that '{}' is on {}; only cpu is there", node.name,
                         value.name, device->type);
    }
    const auto* layout = std::get_if<Layout>(&argument(node, "layout"));
    if (layout != nullptr && *layout != Layout::kStrided) {
      return unsupported("node '{}' asserts that '{}' is not strided", node.name, value.name);
    }
    // Strides are no part of a value here.
    return check_sizes(node, value);
  }

  Status check_sizes(const Node& node, const Value& value) {
    const Argument& size = argument(node, "size");
    if (is_none(size)) return {};
    SymIntList list;
    if (const auto* ints = std::get_if<std::vector<int64_t>>(&size)) {
      list.items.assign(ints->begin(), ints->end());
    } else if (const auto* symbolic = std::get_if<SymIntList>(&size)) {
      list = *symbolic;
    }
    if (list.items.size() != value.spec.dims.size()) return contradiction(node, value);
    const Argument& tensor = argument(node, "a");
    for (size_t i = 0; i < list.items.size(); ++i) {
      const auto asserted = asserted_size(list.items[i]);
      const Dim& dim = value.spec.dims[i];
      if (asserted && asserted->fixed() && dim.fixed() && asserted->size != dim.size) {
        return contradiction(node, value);
      }
      if (asserted && asserted->expression == dim.expression) continue;
      CA_ASSIGN_OR_RETURN(const ValueId now, emit_size(tensor, i, dim));
      const Argument wanted = std::visit([](auto v) { return Argument(v); }, list.items[i]);
      CA_RETURN_IF_ERROR(compare(
          kEqual, ValueRef{now}, rewriter_.mapped(wanted),
          fmt::format("size {} of '{}' is not as asserted ({})", i, value.name, node.name)));
    }
    return {};
  }
  std::optional<Dim> asserted_size(const std::variant<int64_t, ValueRef>& item) const {
    if (const auto* number = std::get_if<int64_t>(&item)) return Dim{*number, ""};
    const Value& value = graph_.value(std::get<ValueRef>(item).id);
    return value.kind == ValueKind::kSymInt ? std::optional<Dim>(value.symbol) : std::nullopt;
  }
  static Status contradiction(const Node& node, const Value& value) {
    return invalid_program("node '{}' asserts sizes of '{}' that contradict {}", node.name,
                           value.name, shape_to_string(value.spec.hint_shape()));
  }

  Status check_scalar(const Node& node) {
    const auto* message = std::get_if<std::string>(&argument(node, "assert_msg"));
    const std::string text = message == nullptr ? "" : *message;
    const auto holds = intervals_.decide(argument(node, "self"));
    if (!holds) return assert_later(rewriter_.mapped(argument(node, "self")), text);
    return *holds ? Status()
                  : invalid_program("node '{}' asserts \"{}\", which never holds", node.name, text);
  }

  // The bounds of symbols that stand for sizes of inputs are part of the signature, where they are
  // checked; so only other numbers need a look.
  Status check_range(const Node& node) {
    const Argument& size = argument(node, "size");
    const auto min = int_argument(node, "min");
    const auto max = int_argument(node, "max");
    const Interval range = intervals_.of(size);
    if ((min && range.max && *range.max < *min) || (max && range.min && *range.min > *max)) {
      return invalid_program("node '{}' asserts bounds that never hold", node.name);
    }
    const bool known =
        (!min || (range.min && *range.min >= *min)) && (!max || (range.max && *range.max <= *max));
    if (known) return {};
    const auto* ref = std::get_if<ValueRef>(&size);
    if (ref == nullptr) return invalid_program("node '{}' asserts bounds of no number", node.name);
    const std::string& symbol = graph_.value(ref->id).symbol.expression;
    if (context_.symbols.contains(symbol) && !is_unbacked_symbol(symbol) &&
        !intervals_.from_contents(ref->id)) {
      return {};
    }
    const Argument now = rewriter_.mapped(size);
    const std::string& name = graph_.value(ref->id).name;
    if (min) {
      CA_RETURN_IF_ERROR(
          compare(kAtLeast, now, *min, fmt::format("'{}' is less than {}", name, *min)));
    }
    if (!max) return {};
    return compare(kAtMost, now, *max, fmt::format("'{}' is more than {}", name, *max));
  }

  // Run-time assertions: truth values become tensors, which is what an assertion reads.
  Status assert_later(const Argument& condition, const std::string& message) {
    TensorSpec spec;
    spec.dtype = DType::kBool;
    CA_ASSIGN_OR_RETURN(
        const ValueId id,
        rewriter_.emit("aten.scalar_tensor.default", {{"s", condition}, {"dtype", DType::kBool}},
                       rewriter_.temporary("asserted", std::move(spec))));
    later_.push_back({id, message});
    return {};
  }
  // An operator on numbers, and the relation as PyTorch writes it.
  struct Relation {
    std::string_view op;
    std::string_view text;
  };
  static constexpr Relation kEqual{"_operator.eq", "Equality"};
  static constexpr Relation kAtLeast{"_operator.ge", "GreaterThan"};
  static constexpr Relation kAtMost{"_operator.le", "LessThan"};

  std::string text_of(const Argument& number) const {
    if (const auto* fixed = std::get_if<int64_t>(&number)) return std::to_string(*fixed);
    const auto* ref = std::get_if<ValueRef>(&number);
    if (ref == nullptr) return "0";
    const Dim& symbol = rewriter_.to().value(ref->id).symbol;
    return symbol.fixed() ? std::to_string(symbol.size) : symbol.expression;
  }
  Status compare(const Relation& relation, const Argument& a, const Argument& b,
                 const std::string& message) {
    Value truth;
    truth.name = rewriter_.free_name("holds");
    truth.kind = ValueKind::kSymBool;
    truth.symbol.expression = fmt::format("{}({}, {})", relation.text, text_of(a), text_of(b));
    CA_ASSIGN_OR_RETURN(const ValueId id,
                        rewriter_.emit(relation.op, {{"a", a}, {"b", b}}, std::move(truth)));
    return assert_later(ValueRef{id}, message);
  }
  Result<ValueId> emit_size(const Argument& tensor, size_t index, const Dim& dim) {
    Value size;
    size.name = rewriter_.free_name("sym_size");
    size.kind = ValueKind::kSymInt;
    size.symbol = dim;
    return rewriter_.emit(
        "aten.sym_size.int",
        {{"self", rewriter_.mapped(tensor)}, {"dim", static_cast<int64_t>(index)}},
        std::move(size));
  }

  // Assertions on constants are decided; the others stay.
  Result<Graph> finish() {
    for (const Argument& output : graph_.outputs())
      rewriter_.to().add_output(rewriter_.mapped(output));
    for (const Assertion& assertion : graph_.assertions()) {
      const Constant* constant = graph_.constant_of(assertion.condition);
      if (constant == nullptr) {
        rewriter_.to().add_assertion(
            {rewriter_.mapped_value(assertion.condition), assertion.message});
      } else if (!is_true(constant->tensor)) {
        return invalid_program("the program asserts \"{}\", which never holds", assertion.message);
      }
    }
    for (Assertion& assertion : later_) rewriter_.to().add_assertion(std::move(assertion));
    return std::move(rewriter_.to());
  }

  // Whether the first element is not zero.
  static bool is_true(const Tensor& tensor) {
    if (tensor.numel() == 0) return false;
    if (tensor.dtype() == DType::kFloat32) return *tensor.data_as<float>() != 0.0f;
    if (tensor.dtype() == DType::kFloat64) return *tensor.data_as<double>() != 0.0;
    const std::byte* bytes = tensor.data();
    return std::any_of(bytes, bytes + dtype_bytes(tensor.dtype()),
                       [](std::byte b) { return b != std::byte{0}; });
  }

  const Graph& graph_;
  Intervals intervals_;
  Rewriter rewriter_;
  const PassContext& context_;
  std::vector<Assertion> later_;
};

}  // namespace

Result<Graph> decide_assertions(const Graph& graph, const PassContext& context) {
  return Decider(graph, context).run();
}

}  // namespace changeaware
