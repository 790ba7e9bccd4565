// Ranges. OpenVINO gives some of them another dtype than PyTorch does.
// Source: PyTorch documentation of torch.arange and torch.linspace.
#include <algorithm>
#include <cmath>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

Output constant_of(const OpContext& context, const std::vector<double>& values) {
  const ov::element::Type type = context.result_type();
  if (!(type == ov::element::f32 || type == ov::element::i64 || type == ov::element::i32)) {
    throw Refusal(fmt::format("dtype {}", dtype_name(context.result().dtype)));
  }
  if (type == ov::element::f32) {
    return op::Constant::create(type, ov::Shape{values.size()},
                                std::vector<float>(values.begin(), values.end()))
        ->output(0);
  }
  return op::Constant::create(type, ov::Shape{values.size()},
                              std::vector<int64_t>(values.begin(), values.end()))
      ->output(0);
}

double number_or(const OpContext& context, std::string_view name, double otherwise) {
  return context.node().op->arg_index(name) < 0 ? otherwise : context.number(name);
}

ov::OutputVector arange(const OpContext& context) {
  const Shape shape = context.fixed_result_shape();
  const double start = number_or(context, "start", 0);
  const double step = number_or(context, "step", 1);
  std::vector<double> values(static_cast<size_t>(shape.at(0)));
  const bool integral = !is_floating(context.result().dtype);
  for (size_t i = 0; i < values.size(); ++i) {
    // With an integer dtype the bounds and the step are truncated first.
    values[i] = integral ? std::trunc(start) + std::trunc(step) * static_cast<double>(i)
                         : start + step * static_cast<double>(i);
  }
  return {constant_of(context, values)};
}

// Bounds that are sizes are known only at run time.
ov::OutputVector arange_of_sizes(const OpContext& context) {
  if (context.result().dtype != DType::kInt64) throw Refusal("sizes in a range of another dtype");
  const auto bound = [&](std::string_view name, int64_t otherwise) {
    return context.node().op->arg_index(name) < 0 ? int_scalar(otherwise) : context.tensor(name);
  };
  const Output start = bound("start", 0);
  const Output end = bound("end", 0);
  const Output step = bound("step", 1);
  for (const Output& x : {start, end, step}) {
    if (x.get_element_type() != ov::element::i64) throw Refusal("bounds that are not integers");
  }
  return {make<op::Range>(start, end, step, ov::element::i64)};
}

// The bounds and every element are truncated, the step is not.
ov::OutputVector integer_linspace(const OpContext& context, const Shape& shape) {
  const double start = std::trunc(context.number("start"));
  const double end = std::trunc(context.number("end"));
  const auto steps = static_cast<size_t>(shape.at(0));
  const float step =
      steps > 1 ? static_cast<float>(end - start) / static_cast<float>(steps - 1) : 0.0f;
  std::vector<double> values(steps);
  for (size_t i = 0; i < steps; ++i) {
    const bool from_start = i < steps / 2 || steps == 1;
    const double distance = step * static_cast<float>(from_start ? i : steps - 1 - i);
    values[i] = std::trunc(from_start ? start + distance : end - distance);
  }
  return {constant_of(context, values)};
}

ov::OutputVector linspace(const OpContext& context) {
  const Shape shape = context.fixed_result_shape();
  if (!is_floating(context.result().dtype)) return integer_linspace(context, shape);
  const auto start = static_cast<float>(context.number("start"));
  const auto end = static_cast<float>(context.number("end"));
  const auto steps = static_cast<size_t>(shape.at(0));
  const float step = steps > 1 ? (end - start) / static_cast<float>(steps - 1) : 0.0f;
  std::vector<double> values(steps);
  // From both ends inwards, so that the last value is `end` itself.
  for (size_t i = 0; i < steps; ++i) {
    values[i] = i < steps / 2 || steps == 1 ? start + step * static_cast<float>(i)
                                            : end - step * static_cast<float>(steps - 1 - i);
  }
  return {constant_of(context, values)};
}

bool some_number_is_a_size(const Graph& graph, const Node& node) {
  return std::any_of(node.args.begin(), node.args.end(), [&](const Argument& a) {
    const auto* ref = std::get_if<ValueRef>(&a);
    return ref != nullptr && graph.value(ref->id).kind == ValueKind::kSymInt;
  });
}

bool all_numbers_fixed(const Graph&, const Node& node) {
  for (const Argument& a : node.args) {
    if (std::holds_alternative<ValueRef>(a)) return false;
  }
  return true;
}

constexpr Translation kTable[] = {
    {"aten.arange.default", arange, all_numbers_fixed},
    {"aten.arange.start", arange, all_numbers_fixed},
    {"aten.arange.start_step", arange, all_numbers_fixed},
    {"aten.arange.default", arange_of_sizes, some_number_is_a_size},
    {"aten.arange.start", arange_of_sizes, some_number_is_a_size},
    {"aten.arange.start_step", arange_of_sizes, some_number_is_a_size},
    {"aten.linspace.default", linspace, all_numbers_fixed},
};

}  // namespace

std::span<const Translation> factory_translations() { return kTable; }

}  // namespace changeaware::ovn
