#include "engine/openvino/conversion.h"

#include <algorithm>
#include <map>
#include <openvino/frontend/extension/conversion.hpp>
#include <openvino/frontend/pytorch/frontend.hpp>
#include <set>
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
using FrontendContext = ov::frontend::NodeContext;

// What goes wrong inside the frontend's callbacks, and what they could not decide yet.
struct Findings {
  std::vector<Status> failures;
  std::map<std::string, std::pair<ValueId, NodeId>> undecided;  // by tensor name
};

Status at_node(const Node& node, const Status& status) {
  return status.with_context(fmt::format("node '{}' ({})", node.name, node.op->name));
}

class Converter {
 public:
  explicit Converter(const Graph& graph)
      : graph_(graph), ids_(graph.values().size(), 0), read_(graph.values().size(), false) {}

  Result<ConvertedModel> run(std::span<const ValueId> outputs,
                             std::span<const ExtentRequest> extents);

 private:
  size_t fresh() { return next_id_++; }
  size_t id_of(ValueId value);
  void mark_read(std::span<const ValueId> outputs, std::span<const ExtentRequest> extents);
  Result<std::vector<GraphDecoder::Input>> add_inputs();
  void add_constant(ValueId value);
  void add_node(NodeId node);
  std::vector<size_t> add_own(NodeId node, const Translation& translation);
  std::vector<size_t> add_for_frontend(const Node& node);
  void add_check(NodeId node, ValueId value);
  size_t add_extent(const ExtentRequest& request);
  void extend(const std::string& name, CreatorFunction function);
  Status finish(ov::Model& model, std::span<const ValueId> outputs);
  Status check_undecided(const ov::Model& model);

  const Graph& graph_;
  std::vector<size_t> ids_;  // value → id in the decoder; 0 = not there yet
  std::vector<bool> read_;   // by a node that is converted, or as an output
  size_t next_id_ = 1;
  std::vector<std::shared_ptr<NodeDecoder>> nodes_;
  std::vector<std::shared_ptr<ConversionExtension>> extensions_;
  std::shared_ptr<Findings> findings_ = std::make_shared<Findings>();
  std::vector<Tensor> constants_;
};

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
    } else if (value.kind != ValueKind::kSymInt) {
      return unsupported("input '{}': only integer symbolic numbers are supported", value.name);
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
  const std::vector<size_t> results = own ? add_own(id, *own) : add_for_frontend(node);
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
  extend(name, [this, &node, &translation, values](const FrontendContext& frontend) {
    try {
      std::map<ValueId, Output> converted;
      for (size_t i = 0; i < values.size(); ++i) {
        converted[values[i]] = frontend.get_input(static_cast<int>(i));
      }
      return translation.convert(OpContext(graph_, node, std::move(converted)));
    } catch (const std::exception& e) {
      findings_->failures.push_back(at_node(node, unsupported("{}", first_line(e.what()))));
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
      findings_->failures.push_back(at_node(graph_.node(id), checked.status()));
      return {got};
    }
    if (got.get_element_type().is_dynamic() || got.get_partial_shape().is_dynamic()) {
      findings_->undecided[std::to_string(before)] = {v, id};
    }
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

Status Converter::check_undecided(const ov::Model& model) {
  for (const auto& op : model.get_ops()) {
    for (const auto& output : op->outputs()) {
      for (const std::string& name : output.get_names()) {
        const auto it = findings_->undecided.find(name);
        if (it == findings_->undecided.end()) continue;
        const auto [value, node] = it->second;
        const auto checked = as_described(output, graph_.value(value));
        if (!checked.ok()) return at_node(graph_.node(node), checked.status());
      }
    }
  }
  return {};
}

Status Converter::finish(ov::Model& model, std::span<const ValueId> outputs) {
  CA_RETURN_IF_ERROR(check_undecided(model));
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

Result<ConvertedModel> Converter::run(std::span<const ValueId> outputs,
                                      std::span<const ExtentRequest> extents) {
  mark_read(outputs, extents);
  CA_ASSIGN_OR_RETURN(std::vector<GraphDecoder::Input> inputs, add_inputs());
  for (NodeId id = 0; id < graph_.nodes().size(); ++id) add_node(id);
  std::vector<size_t> results;
  for (ValueId v : outputs) results.push_back(id_of(v));
  for (const ExtentRequest& e : extents) results.push_back(add_extent(e));

  ov::frontend::pytorch::FrontEnd frontend;
  for (const auto& extension : extensions_) frontend.add_extension(extension);
  const std::shared_ptr<ov::frontend::IDecoder> decoder =
      std::make_shared<GraphDecoder>(std::move(inputs), std::move(nodes_), results);
  ConvertedModel converted;
  try {
    converted.model = frontend.convert(frontend.load(decoder));
  } catch (const std::exception& e) {
    if (!findings_->failures.empty()) return findings_->failures.front();
    return describe_frontend_error(graph_, e.what());
  }
  if (!findings_->failures.empty()) return findings_->failures.front();
  if (converted.model->get_results().size() != results.size()) {
    return internal_error("the frontend made {} results of {}",
                          converted.model->get_results().size(), results.size());
  }
  CA_RETURN_IF_ERROR(finish(*converted.model, outputs));
  converted.constants = std::move(constants_);
  return converted;
}

}  // namespace

std::string input_name(size_t index) { return fmt::format("input{}", index); }

Result<ConvertedModel> convert_graph(const Graph& graph, std::span<const ValueId> outputs,
                                     std::span<const ExtentRequest> extents) {
  return Converter(graph).run(outputs, extents);
}

}  // namespace changeaware::ovn
