#include "engine/openvino/converter.h"

#include <algorithm>
#include <openvino/frontend/extension/conversion.hpp>
#include <openvino/frontend/pytorch/frontend.hpp>
#include <utility>

#include "base/errors.h"
#include "engine/openvino/arguments.h"
#include "engine/openvino/element_types.h"
#include "engine/openvino/frontend_errors.h"
#include "engine/openvino/metadata_check.h"
#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {
namespace {

using ov::frontend::ConversionExtension;
using ov::frontend::CreatorFunction;

Status at_node(const Node& node, const std::string& reason) {
  return unsupported("node '{}' ({}): {}", node.name, node.op->name, reason);
}

// Has the dtype and shape that a value should have, and nothing else.
class StandIn final : public ov::op::Op {
 public:
  OPENVINO_OP("StandIn", "changeaware");
  StandIn(ov::element::Type type, ov::PartialShape shape) : type_(type), shape_(std::move(shape)) {
    constructor_validate_and_infer_types();
  }
  void validate_and_infer_types() override { set_output_type(0, type_, shape_); }
  std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector&) const override {
    return std::make_shared<StandIn>(type_, shape_);
  }

 private:
  ov::element::Type type_;
  ov::PartialShape shape_;
};

Output stand_in(const Value& value) {
  return std::make_shared<StandIn>(described_type(value).value_or(ov::element::dynamic),
                                   described_shape(value))
      ->output(0);
}

}  // namespace

std::string Converter::node_mark(NodeId node) { return fmt::format("node:{}", node); }

Status Converter::as_status(const std::vector<Findings::Failure>& failures) const {
  if (failures.empty()) return {};
  const Findings::Failure& first = failures.front();
  return at_node(graph_.node(first.node), first.reason);
}

ov::OutputVector Converter::stand_ins(const Node& node) const {
  ov::OutputVector out;
  for (ValueId v : node.outputs) {
    const bool named = v != kNoId;
    out.push_back(named
                      ? stand_in(graph_.value(v))
                      : std::make_shared<StandIn>(ov::element::dynamic, ov::PartialShape::dynamic())
                            ->output(0));
  }
  return out;
}

size_t Converter::id_of(ValueId value) {
  if (ids_[value] == 0) add_constant(value);
  return ids_[value];
}

void Converter::mark_read(std::span<const ValueId> outputs,
                          std::span<const ExtentRequest> extents) {
  for (ValueId v : outputs) read_[v] = true;
  for (const ExtentRequest& e : extents) read_[e.value] = true;
  for (const Node& node : graph_.nodes()) {
    for_each_input(node, [&](ValueId v) { read_[v] = true; });
  }
}

Result<std::vector<GraphDecoder::Input>> Converter::add_inputs() {
  std::vector<GraphDecoder::Input> inputs;
  for (size_t i = 0; i < graph_.inputs().size(); ++i) {
    const ValueId v = graph_.inputs()[i];
    const Value& value = graph_.value(v);
    ids_[v] = fresh();
    if (!read_[v]) continue;
    ov::PartialShape shape = ov::PartialShape(std::vector<ov::Dimension>{});
    ov::element::Type type = ov::element::i64;
    if (value.kind == ValueKind::kTensor) {
      const auto t = element_type(value.spec.dtype);
      if (!t) {
        return unsupported("input '{}': {} is not supported by OpenVINO", value.name,
                           dtype_name(value.spec.dtype));
      }
      type = *t;
      for (const Dim& d : value.spec.dims) {
        shape.push_back(d.fixed() ? ov::Dimension(d.size) : ov::Dimension::dynamic());
      }
    } else if (value.kind == ValueKind::kSymBool) {
      type = ov::element::boolean;
    } else if (value.kind == ValueKind::kSymFloat) {
      return unsupported("input '{}': a symbolic float is float64", value.name);
    }
    inputs.push_back({ids_[v], input_name(i), type, shape});
  }
  return inputs;
}

void Converter::add_constant(ValueId value) {
  const Constant* constant = graph_.constant_of(value);
  OPENVINO_ASSERT(constant != nullptr, "value '", graph_.value(value).name, "' is not defined");
  const Tensor dense = constant->tensor.contiguous();
  const auto type = element_type(dense.dtype());
  OPENVINO_ASSERT(type, "constant '", constant->fqn, "' is complex");
  // OpenVINO reads the elements where they are; the storage lives as long as the constant does.
  auto node = std::make_shared<ov::op::v0::Constant>(
      *type, ov::Shape(dense.shape().begin(), dense.shape().end()),
      static_cast<const void*>(dense.data()), std::static_pointer_cast<void>(dense.storage()));
  ids_[value] = fresh();
  nodes_.push_back(std::make_shared<NodeDecoder>(ids_[value], std::move(node), "", false));
  constants_.push_back(dense);
  if (dense.storage() != constant->tensor.storage()) constants_.push_back(constant->tensor);
}

void Converter::extend(const std::string& name, CreatorFunction function) {
  extensions_.push_back(std::make_shared<ConversionExtension>(name, std::move(function)));
}

void Converter::add_node(NodeId id) {
  const Node& node = graph_.node(id);
  if (node.outputs.empty()) return;
  const Translation* own = find_translation(graph_, node);
  const size_t first = nodes_.size();
  const std::vector<size_t> results = own ? add_own(id, *own) : add_for_frontend(node);
  if (probing_) {
    for (size_t i = first; i < nodes_.size(); ++i) nodes_[i]->set_schema(node_mark(id));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId v = node.outputs[i];
    if (v == kNoId) continue;
    ids_[v] = results[i];
    if (read_[v]) add_check(id, v);
  }
}

std::vector<size_t> Converter::add_own(NodeId id, const Translation& translation) {
  const Node& node = graph_.node(id);
  std::vector<ValueId> values;
  for_each_input(node, [&](ValueId v) {
    if (std::find(values.begin(), values.end(), v) == values.end()) values.push_back(v);
  });
  std::vector<NodeDecoder::Input> inputs;
  for (ValueId v : values) inputs.push_back({id_of(v), {}, false});
  std::vector<size_t> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) results.push_back(fresh());
  const std::string name = fmt::format("changeaware::{}", id);
  nodes_.push_back(std::make_shared<NodeDecoder>(name, inputs, results));
  extend(name, [this, id, &node, &translation, values](const FrontendContext& frontend) {
    try {
      std::map<ValueId, Output> converted;
      for (size_t i = 0; i < values.size(); ++i) {
        converted[values[i]] = frontend.get_input(static_cast<int>(i));
      }
      return translation.convert(OpContext(graph_, node, std::move(converted)));
    } catch (const std::exception& e) {
      findings_->failures.push_back({id, first_line(e.what())});
      if (probing_) return stand_ins(node);
      throw;
    }
  });
  return results;
}

std::vector<size_t> Converter::add_for_frontend(const Node& node) {
  ArgumentNodes arguments([this] { return fresh(); }, [this](ValueId v) { return id_of(v); });
  std::vector<NodeDecoder::Input> inputs;
  for (size_t i = 0; i < node.args.size(); ++i) {
    inputs.push_back(arguments.add(node.args[i], node.op->args[i].type, nodes_));
  }
  std::vector<size_t> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) results.push_back(fresh());
  if (!node.op->returns_list()) {
    nodes_.push_back(std::make_shared<NodeDecoder>(frontend_name(*node.op), inputs, results));
    return results;
  }
  const size_t list = fresh();
  nodes_.push_back(
      std::make_shared<NodeDecoder>(frontend_name(*node.op), inputs, std::vector<size_t>{list}));
  nodes_.push_back(std::make_shared<NodeDecoder>(
      "prim::ListUnpack", std::vector<NodeDecoder::Input>{{list, {}, false}}, results));
  return results;
}

// A node of ours between the value and its readers, which looks at what it was converted to.
void Converter::add_check(NodeId id, ValueId v) {
  const size_t before = ids_[v];
  const size_t after = fresh();
  ids_[v] = after;
  const std::string name = fmt::format("changeaware::check:{}", v);
  nodes_.push_back(std::make_shared<NodeDecoder>(
      name, std::vector<NodeDecoder::Input>{{before, {}, false}}, std::vector<size_t>{after}));
  extend(name, [this, id, v, before](const FrontendContext& frontend) -> ov::OutputVector {
    const Output got = frontend.get_input(0);
    Result<Output> checked = as_described(got, graph_.value(v));
    if (!checked.ok()) {
      findings_->failures.push_back({id, checked.status().message()});
      return {probing_ ? stand_in(graph_.value(v)) : got};
    }
    if (got.get_element_type().is_dynamic() || got.get_partial_shape().is_dynamic()) {
      findings_->undecided[std::to_string(before)] = {v, id};
    }
    // What reads the value is converted by its dtype, which the frontend does not know yet.
    const auto type = described_type(graph_.value(v));
    if (got.get_element_type().is_dynamic() && type) return {make<op::Convert>(got, *type)};
    return {*checked};
  });
}

size_t Converter::add_extent(const ExtentRequest& request) {
  const size_t out = fresh();
  const std::string name = fmt::format("changeaware::extent:{}", out);
  nodes_.push_back(std::make_shared<NodeDecoder>(
      name, std::vector<NodeDecoder::Input>{{id_of(request.value), {}, false}},
      std::vector<size_t>{out}));
  extend(name,
         [dim = static_cast<int64_t>(request.dim)](
             const FrontendContext& frontend) -> ov::OutputVector {
           const Output shape = make<op::ShapeOf>(frontend.get_input(0), ov::element::i64);
           return {make<op::Gather>(shape, int_scalar(dim), int_scalar(0))};
         });
  return out;
}

void Converter::check_undecided(const ov::Model& model) {
  for (const auto& op : model.get_ops()) {
    for (const auto& output : op->outputs()) {
      for (const std::string& name : output.get_names()) {
        const auto it = findings_->undecided.find(name);
        if (it == findings_->undecided.end()) continue;
        const auto [value, node] = it->second;
        const auto checked = as_described(output, graph_.value(value));
        if (!checked.ok()) late_failures_.push_back({node, checked.status().message()});
      }
    }
  }
}

Status Converter::finish(ov::Model& model, std::span<const ValueId> outputs) {
  check_undecided(model);
  CA_RETURN_IF_ERROR(as_status(late_failures_));
  const auto& results = model.get_results();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Value& value = graph_.value(outputs[i]);
    CA_ASSIGN_OR_RETURN(const Output described, as_described(results.at(i)->input_value(0), value));
    if (described.get_node() != results[i]->input_value(0).get_node()) {
      results[i]->input(0).replace_source_output(described);
    }
  }
  model.validate_nodes_and_infer_types();
  return {};
}

Result<std::shared_ptr<GraphDecoder>> Converter::decode(std::span<const ValueId> outputs,
                                                        std::span<const ExtentRequest> extents) {
  mark_read(outputs, extents);
  CA_ASSIGN_OR_RETURN(std::vector<GraphDecoder::Input> inputs, add_inputs());
  for (NodeId id = 0; id < graph_.nodes().size(); ++id) add_node(id);
  std::vector<size_t> results;
  for (ValueId v : outputs) results.push_back(id_of(v));
  for (const ExtentRequest& e : extents) results.push_back(add_extent(e));
  return std::make_shared<GraphDecoder>(std::move(inputs), std::move(nodes_), results);
}

Result<ConvertedModel> Converter::run(std::span<const ValueId> outputs,
                                      std::span<const ExtentRequest> extents) {
  CA_ASSIGN_OR_RETURN(const std::shared_ptr<ov::frontend::IDecoder> decoder,
                      decode(outputs, extents));
  ov::frontend::pytorch::FrontEnd frontend;
  for (const auto& extension : extensions_) frontend.add_extension(extension);
  ConvertedModel converted;
  try {
    converted.model = frontend.convert(frontend.load(decoder));
  } catch (const std::exception& e) {
    CA_RETURN_IF_ERROR(as_status(findings_->failures));
    return describe_frontend_error(graph_, e.what());
  }
  CA_RETURN_IF_ERROR(as_status(findings_->failures));
  const size_t results = outputs.size() + extents.size();
  if (converted.model->get_results().size() != results) {
    return internal_error("the frontend made {} results of {}",
                          converted.model->get_results().size(), results);
  }
  CA_RETURN_IF_ERROR(finish(*converted.model, outputs));
  converted.constants = std::move(constants_);
  return converted;
}

Result<ConvertedModel> Converter::try_out(std::span<const ValueId> outputs) {
  CA_ASSIGN_OR_RETURN(const std::shared_ptr<ov::frontend::IDecoder> decoder, decode(outputs, {}));
  ov::frontend::pytorch::FrontEnd frontend;
  for (const auto& extension : extensions_) frontend.add_extension(extension);
  ConvertedModel converted;
  converted.model = frontend.convert_partially(frontend.load(decoder));
  frontend.normalize(converted.model);
  check_undecided(*converted.model);
  converted.constants = std::move(constants_);
  return converted;
}

}  // namespace changeaware::ovn
