#include "engine/openvino/decoder.h"

#include <openvino/core/except.hpp>

namespace changeaware::ovn {
namespace {

namespace type = ov::frontend::type;

const std::string kEmpty;
const std::string kTorchScript = "ts";
const std::string kConstant = "prim::Constant";

std::vector<std::string> names_of(const std::vector<size_t>& ids) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (size_t id : ids) names.push_back(std::to_string(id));
  return names;
}

std::vector<size_t> ids_of(const std::vector<NodeDecoder::Input>& inputs) {
  std::vector<size_t> ids;
  ids.reserve(inputs.size());
  for (const auto& input : inputs) ids.push_back(input.id);
  return ids;
}

std::vector<size_t> ids_of(const std::vector<GraphDecoder::Input>& inputs) {
  std::vector<size_t> ids;
  ids.reserve(inputs.size());
  for (const auto& input : inputs) ids.push_back(input.id);
  return ids;
}

}  // namespace

DecoderBase::DecoderBase(std::vector<size_t> inputs, std::vector<size_t> outputs)
    : inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      input_names_(names_of(inputs_)),
      output_names_(names_of(outputs_)) {}

ov::Any DecoderBase::const_input(size_t) const {
  OPENVINO_THROW("decoder: constants are nodes, not inputs");
}

const std::string& DecoderBase::get_input_debug_name(size_t index) const {
  return input_names_.at(index);
}
const std::string& DecoderBase::get_input_signature_name(size_t index) const {
  return input_names_.at(index);
}
ov::PartialShape DecoderBase::get_input_shape(size_t) const { return ov::PartialShape::dynamic(); }
const std::vector<size_t>& DecoderBase::get_input_strides(size_t) const {
  static const std::vector<size_t> none;
  return none;
}
ov::Any DecoderBase::get_input_type(size_t) const { return ov::element::dynamic; }
const std::string& DecoderBase::get_output_debug_name(size_t index) const {
  return output_names_.at(index);
}
ov::PartialShape DecoderBase::get_output_shape(size_t) const { return ov::PartialShape::dynamic(); }
ov::Any DecoderBase::get_output_type(size_t) const { return ov::element::dynamic; }
ov::OutputVector DecoderBase::as_constant() const { OPENVINO_THROW("decoder: not a constant"); }
const std::string& DecoderBase::as_string() const { return kEmpty; }
const std::string& DecoderBase::get_op_type() const { return kEmpty; }
const std::string& DecoderBase::get_schema() const { return kEmpty; }
const std::string& DecoderBase::decoder_type_name() const { return kTorchScript; }

NodeDecoder::NodeDecoder(std::string op_type, const std::vector<Input>& inputs,
                         std::vector<size_t> outputs)
    : DecoderBase(ids_of(inputs), std::move(outputs)),
      kind_(Kind::kOperator),
      op_type_(std::move(op_type)) {
  for (const Input& input : inputs) {
    input_types_.push_back(input.type.empty() ? ov::Any(ov::element::dynamic) : input.type);
    none_inputs_.push_back(input.none);
  }
}

NodeDecoder::NodeDecoder(size_t output, std::shared_ptr<ov::Node> value, std::string text,
                         bool none)
    : DecoderBase({}, {output}),
      kind_(none    ? Kind::kNone
            : value ? Kind::kValue
                    : Kind::kString),
      op_type_(kConstant),
      value_(std::move(value)),
      text_(std::move(text)) {}

ov::Any NodeDecoder::get_input_type(size_t index) const { return input_types_.at(index); }

ov::Any NodeDecoder::get_output_type(size_t) const {
  switch (kind_) {
    case Kind::kNone: return type::PyNone();
    case Kind::kString: return type::Str();
    case Kind::kValue:
    case Kind::kOperator: break;
  }
  return ov::element::dynamic;
}

ov::OutputVector NodeDecoder::as_constant() const {
  if (value_ == nullptr) OPENVINO_THROW("decoder: ", op_type_, " has no value");
  return {value_->output(0)};
}

GraphDecoder::GraphDecoder(std::vector<Input> inputs,
                           std::vector<std::shared_ptr<NodeDecoder>> nodes,
                           std::vector<size_t> outputs)
    : DecoderBase(ids_of(inputs), std::move(outputs)),
      graph_inputs_(std::move(inputs)),
      nodes_(std::move(nodes)) {}

const std::string& GraphDecoder::get_input_signature_name(size_t index) const {
  return graph_inputs_.at(index).name;
}
ov::PartialShape GraphDecoder::get_input_shape(size_t index) const {
  return graph_inputs_.at(index).shape;
}
ov::Any GraphDecoder::get_input_type(size_t index) const { return graph_inputs_.at(index).type; }

void GraphDecoder::visit_subgraph(std::function<void(std::shared_ptr<TorchDecoder>)> visit) const {
  for (const auto& node : nodes_) visit(node);
}

}  // namespace changeaware::ovn
