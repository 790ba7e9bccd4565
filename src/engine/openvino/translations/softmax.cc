// Softmax and its logarithm, for the composite and the core ATen names.
//
// With +inf in a row PyTorch answers NaN in the whole row, OpenVINO at the place of the +inf only.
// A row with a NaN is therefore set to NaN, unless every reader is a matrix product over that row,
// which does so itself (the case of attention, where another pass would cost).
#include <algorithm>
#include <array>

#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

Output input_of(const OpContext& context) {
  return convert(context.tensor("self"), context.result_type());
}

int64_t axis_of(const OpContext& context) {
  return wrap_dim(context.integer("dim"), context.spec_of("self").dims.size());
}

bool keeps_rows(std::string_view base) {
  constexpr std::array kBases = {std::string_view("clone"), std::string_view("contiguous"),
                                 std::string_view("dropout"), std::string_view("alias"),
                                 std::string_view("detach")};
  return std::find(kBases.begin(), kBases.end(), base) != kBases.end();
}

bool multiplies_rows(const Node& node, ValueId value) {
  const std::string_view base = node.op->base_name();
  const auto* left = node.args.empty() ? nullptr : std::get_if<ValueRef>(&node.args[0]);
  return (base == "matmul" || base == "bmm" || base == "mm") && left != nullptr &&
         left->id == value && node.args[1] != node.args[0];
}

bool is_output(const Graph& graph, ValueId value) {
  for (const Argument& output : graph.outputs()) {
    if (output == Argument(ValueRef{value})) return true;
  }
  return false;
}

// Only matrix products read the value, as their left side.
bool only_multiplied(const Graph& graph, ValueId value) {
  if (is_output(graph, value)) return false;
  for (const Node& node : graph.nodes()) {
    bool reads = false;
    for_each_input(node, [&](ValueId v) { reads |= v == value; });
    if (!reads || multiplies_rows(node, value)) continue;
    if (!keeps_rows(node.op->base_name()) || !only_multiplied(graph, node.outputs.at(0))) {
      return false;
    }
  }
  return true;
}

// `y` with NaN in every row that has one.
Output spread_nan(const Output& y, int64_t axis) {
  const Output sum = make<op::ReduceSum>(y, int_list({axis}), true);
  // Probabilities add up to 1 and their logarithms to less; a NaN is below nothing.
  return make<op::Select>(make<op::Less>(sum, scalar(ov::element::f32, 2.0f)), y, sum);
}

ov::OutputVector softmax(const OpContext& context) {
  const Output x = input_of(context);
  if (context.spec_of("self").dims.empty()) {
    return {make<op::Divide>(make<op::Exp>(make<op::Subtract>(x, x)),
                             scalar(x.get_element_type(), 1.0f))};
  }
  const int64_t axis = axis_of(context);
  const Output y = make<op::Softmax>(x, axis);
  const auto last = static_cast<int64_t>(context.spec_of("self").dims.size()) - 1;
  if (axis == last && only_multiplied(context.graph(), context.node().outputs.at(0))) return {y};
  return {spread_nan(y, axis)};
}

ov::OutputVector log_softmax(const OpContext& context) {
  const Output x = input_of(context);
  if (context.spec_of("self").dims.empty()) return {make<op::Subtract>(x, x)};
  return {spread_nan(make<op::LogSoftmax>(x, axis_of(context)), axis_of(context))};
}

constexpr Translation kTable[] = {
    {"aten.softmax.int", softmax},
    {"aten._softmax.default", softmax},
    {"aten.special_softmax.default", softmax},
    {"aten.log_softmax.int", log_softmax},
    {"aten._log_softmax.default", log_softmax},
    {"aten.special_log_softmax.default", log_softmax},
};

}  // namespace

std::span<const Translation> softmax_translations() { return kTable; }

}  // namespace changeaware::ovn
