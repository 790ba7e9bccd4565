#include "engine/openvino/reductions_apart.h"

#include <memory>
#include <openvino/op/constant.hpp>
#include <openvino/op/divide.hpp>
#include <openvino/op/multiply.hpp>
#include <openvino/op/reshape.hpp>
#include <openvino/op/result.hpp>
#include <openvino/op/squeeze.hpp>
#include <openvino/op/unsqueeze.hpp>
#include <openvino/op/util/arithmetic_reductions_keep_dims.hpp>
#include <unordered_map>

namespace changeaware::ovn {
namespace {

using Constant = ov::op::v0::Constant;
using Reduction = ov::op::util::ArithmeticReductionKeepDims;

// Numbers and lists of axes, which may still be arithmetic on constants here. Null for what is
// computed or large.
std::shared_ptr<Constant> small_constant(const ov::Output<ov::Node>& value) {
  constexpr size_t kMost = 16;
  const std::shared_ptr<ov::Node> node = value.get_node_shared_ptr();
  if (auto constant = ov::as_type_ptr<Constant>(node)) return constant;
  const ov::PartialShape& shape = value.get_partial_shape();
  if (node->get_input_size() == 0 || shape.is_dynamic()) return nullptr;
  if (ov::shape_size(shape.to_shape()) > kMost) return nullptr;
  ov::OutputVector operands;
  for (const ov::Output<ov::Node>& input : node->input_values()) {
    const auto operand = small_constant(input);
    if (operand == nullptr) return nullptr;
    operands.push_back(operand);
  }
  ov::OutputVector results(node->get_output_size());
  if (!node->constant_fold(results, operands)) return nullptr;
  return ov::as_type_ptr<Constant>(results[value.get_index()].get_node_shared_ptr());
}

class ReductionsApart {
 public:
  void run(ov::Model& model) {
    for (const auto& node : model.get_ordered_ops()) {
      if (const auto reduction = ov::as_type_ptr<Reduction>(node)) set_apart(reduction);
      if (const auto division = ov::as_type_ptr<ov::op::v1::Divide>(node)) {
        multiply_instead(division);
      }
    }
  }

 private:
  static bool changes_shape_or_ends(const ov::Node& reader) {
    return ov::is_type<ov::op::v0::Result>(&reader) || ov::is_type<ov::op::v1::Reshape>(&reader) ||
           ov::is_type<ov::op::v0::Squeeze>(&reader) || ov::is_type<ov::op::v0::Unsqueeze>(&reader);
  }

  static void set_apart(const std::shared_ptr<Reduction>& reduction) {
    const auto axes = small_constant(reduction->input_value(1));
    const auto readers = reduction->output(0).get_target_inputs();
    if (axes == nullptr || ov::shape_size(axes->get_shape()) == 0 || readers.size() != 1) return;
    if (changes_shape_or_ends(*readers.begin()->get_node())) return;
    const bool keeps = reduction->get_keep_dims();
    const auto copy = ov::as_type_ptr<Reduction>(
        reduction->clone_with_new_inputs({reduction->input_value(0), reduction->input_value(1)}));
    copy->set_keep_dims(!keeps);
    copy->validate_and_infer_types();
    copy->set_friendly_name(reduction->get_friendly_name());
    std::shared_ptr<ov::Node> shaped;
    if (keeps) {
      shaped = std::make_shared<ov::op::v0::Unsqueeze>(copy, axes);
    } else {
      shaped = std::make_shared<ov::op::v0::Squeeze>(copy, axes);
    }
    readers.begin()->replace_source_output(shaped->output(0));
  }

  bool is_computed(const std::shared_ptr<ov::Node>& node) {
    if (const auto it = computed_.find(node.get()); it != computed_.end()) return it->second;
    bool computed = node->get_input_size() == 0 && !ov::is_type<Constant>(node);
    for (const ov::Output<ov::Node>& input : node->input_values())
      computed = computed || is_computed(input.get_node_shared_ptr());
    return computed_[node.get()] = computed;
  }

  // The one input that is computed; null when there are more, or none.
  std::shared_ptr<ov::Node> only_operand(const ov::Node& node) {
    std::shared_ptr<ov::Node> operand;
    for (const ov::Output<ov::Node>& input : node.input_values()) {
      if (!is_computed(input.get_node_shared_ptr())) continue;
      if (operand != nullptr) return nullptr;
      operand = input.get_node_shared_ptr();
    }
    return operand;
  }

  // Whether a chain of operations with constants leads from a reduction to `node`.
  bool follows_reduction(std::shared_ptr<ov::Node> node) {
    while (node != nullptr && !ov::is_type<Reduction>(node)) node = only_operand(*node);
    return node != nullptr;
  }

  // A quotient by one number goes through changes of shape into the reduction; a product is
  // computed rightly there.
  void multiply_instead(const std::shared_ptr<ov::op::v1::Divide>& division) {
    const auto divisor = small_constant(division->input_value(1));
    if (divisor == nullptr || divisor->get_element_type() != ov::element::f32) return;
    if (ov::shape_size(divisor->get_shape()) != 1) return;
    if (!follows_reduction(division->get_input_node_shared_ptr(0))) return;
    const float inverse = 1.0f / *divisor->get_data_ptr<float>();
    const auto product = std::make_shared<ov::op::v1::Multiply>(
        division->input_value(0),
        Constant::create(ov::element::f32, divisor->get_shape(), {inverse}));
    product->set_friendly_name(division->get_friendly_name());
    product->output(0).set_names(division->output(0).get_names());
    division->output(0).replace(product->output(0));
  }

  std::unordered_map<const ov::Node*, bool> computed_;
};

}  // namespace

void keep_reductions_apart(ov::Model& model) { ReductionsApart().run(model); }

}  // namespace changeaware::ovn
