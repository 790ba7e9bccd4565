#include "engine/openvino/weight_copies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <openvino/opsets/opset13.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace changeaware::ovn {
namespace {

namespace op = ov::opset13;

constexpr std::array<std::string_view, 9> kPacking = {
    "MatMul",           "Convolution",  "ConvolutionBackpropData",
    "GroupConvolution", "LSTMCell",     "GroupConvolutionBackpropData",
    "GRUCell",          "LSTMSequence", "GRUSequence"};

// Operators of one data input that only move or convert elements.
bool is_view(const ov::Node& node) {
  constexpr std::array<std::string_view, 6> kViews = {"Transpose", "Reshape", "Squeeze",
                                                      "Unsqueeze", "Convert", "Broadcast"};
  return std::find(kViews.begin(), kViews.end(), node.get_type_name()) != kViews.end();
}

// One use of a constant: the operator's input and the views between.
struct Use {
  ov::Input<ov::Node> input;
  std::vector<std::shared_ptr<ov::Node>> views;  // from the operator back to the constant
  std::shared_ptr<op::Constant> constant;        // null when the input is no constant
};

Use trace(const ov::Input<ov::Node>& input) {
  Use use{input, {}, nullptr};
  std::shared_ptr<ov::Node> node = input.get_source_output().get_node_shared_ptr();
  while (is_view(*node)) {
    use.views.push_back(node);
    node = node->get_input_node_shared_ptr(0);
  }
  use.constant = std::dynamic_pointer_cast<op::Constant>(node);
  return use;
}

template <class Range>
std::string listed(const Range& range) {
  return fmt::format("[{}]", fmt::join(range, ","));
}

// Text that is the same for uses that pack alike: operator, input, its own transposition and the
// views.
std::string way_of(const Use& use) {
  const ov::Node* node = use.input.get_node();
  std::string way = std::string(node->get_type_name()) + std::to_string(use.input.get_index());
  if (const auto* product = dynamic_cast<const op::MatMul*>(node)) {
    const bool transposed =
        use.input.get_index() == 0 ? product->get_transpose_a() : product->get_transpose_b();
    way += transposed ? "t" : "n";
  }
  for (const auto& view : use.views) {
    way += view->get_type_name();
    way += view->get_output_partial_shape(0).to_string();
    if (view->get_input_size() < 2) continue;
    const auto order = std::dynamic_pointer_cast<op::Constant>(view->get_input_node_shared_ptr(1));
    if (order != nullptr) way += listed(order->cast_vector<int64_t>());
  }
  return way;
}

std::shared_ptr<ov::Node> copy_of(const op::Constant& constant) {
  return std::make_shared<op::Constant>(constant.get_element_type(), constant.get_shape(),
                                        constant.get_data_ptr());
}

// The same use over another constant.
void rebase(const Use& use, const std::shared_ptr<ov::Node>& constant) {
  ov::Output<ov::Node> value = constant;
  for (size_t i = use.views.size(); i > 0; --i) {
    ov::OutputVector inputs = use.views[i - 1]->input_values();
    inputs[0] = value;
    value = use.views[i - 1]->clone_with_new_inputs(inputs)->output(0);
  }
  ov::Input<ov::Node> input = use.input;
  input.replace_source_output(value);
}

}  // namespace

void separate_shared_weights(ov::Model& model) {
  // By address: equal addresses are what the plug-in takes for equal weights.
  std::map<const void*, std::map<std::string, std::vector<Use>>> uses;
  for (const auto& node : model.get_ordered_ops()) {
    if (std::find(kPacking.begin(), kPacking.end(), node->get_type_name()) == kPacking.end()) {
      continue;
    }
    for (const auto& input : node->inputs()) {
      const Use use = trace(input);
      if (use.constant != nullptr && ov::shape_size(use.constant->get_shape()) > 1) {
        uses[use.constant->get_data_ptr()][way_of(use)].push_back(use);
      }
    }
  }
  for (const auto& [address, ways] : uses) {
    for (auto way = std::next(ways.begin()); way != ways.end(); ++way) {
      const auto copy = copy_of(*way->second.front().constant);
      for (const Use& use : way->second) rebase(use, copy);
    }
  }
}

}  // namespace changeaware::ovn
