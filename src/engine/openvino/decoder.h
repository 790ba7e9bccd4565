// Decoders: how a graph is told to OpenVINO's PyTorch frontend.
//
// The frontend asks a decoder of type "ts" (TorchScript): one top decoder for the graph, one
// decoder per node. Operators are named "aten::<base>" and take all arguments of their schema in
// order; numbers, lists and None are nodes of their own. Value ids are numbers from 1 up, and every
// debug name is the id itself, because the frontend reads ids back from names.
// Source: openvino/frontend/pytorch/decoder.hpp; docs/engine.md lists the pitfalls.
// Thread safety: immutable after construction.
#pragma once

#include <functional>
#include <memory>
#include <openvino/frontend/pytorch/decoder.hpp>
#include <string>
#include <utility>
#include <vector>

namespace changeaware::ovn {

// What is common to both kinds: everything the frontend may ask and that we answer in one way.
class DecoderBase : public ov::frontend::pytorch::TorchDecoder {
 public:
  using TorchDecoder = ov::frontend::pytorch::TorchDecoder;

  ov::Any const_input(size_t) const override;
  const std::vector<size_t>& inputs() const override { return inputs_; }
  const std::string& get_input_debug_name(size_t index) const override;
  const std::string& get_input_signature_name(size_t index) const override;
  ov::PartialShape get_input_shape(size_t index) const override;
  const std::vector<size_t>& get_input_strides(size_t index) const override;
  ov::Any get_input_type(size_t index) const override;
  const std::string& get_output_debug_name(size_t index) const override;
  ov::PartialShape get_output_shape(size_t index) const override;
  ov::Any get_output_type(size_t index) const override;
  bool input_is_none(size_t) const override { return false; }
  ov::OutputVector try_decode_get_attr() const override { return {}; }
  ov::OutputVector as_constant() const override;
  const std::string& as_string() const override;
  const std::string& get_op_type() const override;
  const std::string& get_schema() const override;
  size_t num_of_outputs() const override { return outputs_.size(); }
  size_t output_list_size() const override { return 0; }
  const std::vector<size_t>& outputs() const override { return outputs_; }
  size_t output(size_t index) const override { return outputs_.at(index); }
  std::shared_ptr<ov::Node> mark_node(std::shared_ptr<ov::Node> ov_node) const override {
    return ov_node;
  }
  size_t get_subgraph_size() const override { return 0; }
  void visit_subgraph(std::function<void(std::shared_ptr<TorchDecoder>)>) const override {}
  std::shared_ptr<TorchDecoder> get_subgraph_decoder(size_t) const override { return nullptr; }
  // Graphs are functional: nobody writes through an alias.
  bool may_produce_alias(size_t, size_t) const override { return false; }
  bool is_input_inlined(size_t) const override { return false; }
  std::shared_ptr<TorchDecoder> get_inlined_input_decoder(size_t) const override { return nullptr; }
  ov::Any get_attribute(const std::string&) const override { return {}; }
  size_t get_named_input(const std::string&) const override { return 0; }
  const std::string& decoder_type_name() const override;
  ov::frontend::pytorch::DecoderRTInfo get_rt_info() const override { return {}; }
  bool has_converter() const override { return false; }
  ov::OutputVector convert(const ov::frontend::NodeContext*) const override { return {}; }

 protected:
  DecoderBase(std::vector<size_t> inputs, std::vector<size_t> outputs);

 private:
  std::vector<size_t> inputs_;
  std::vector<size_t> outputs_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
};

// One operator, constant or list.
class NodeDecoder final : public DecoderBase {
 public:
  struct Input {
    size_t id = 0;
    ov::Any type;  // empty = a tensor of whatever type the producer has
    bool none = false;
  };
  NodeDecoder(std::string op_type, const std::vector<Input>& inputs, std::vector<size_t> outputs);
  // "prim::Constant" giving `value`; a null value is None, a non-empty text a string.
  NodeDecoder(size_t output, std::shared_ptr<ov::Node> value, std::string text, bool none);

  const std::string& get_op_type() const override { return op_type_; }
  ov::Any get_input_type(size_t index) const override;
  ov::Any get_output_type(size_t index) const override;
  bool input_is_none(size_t index) const override { return none_inputs_.at(index); }
  ov::OutputVector as_constant() const override;
  const std::string& as_string() const override { return text_; }
  // What the frontend keeps of the node when it cannot convert it.
  void set_schema(std::string schema) { schema_ = std::move(schema); }
  const std::string& get_schema() const override { return schema_; }

 private:
  enum class Kind { kOperator, kValue, kString, kNone };

  Kind kind_;
  std::string op_type_;
  std::vector<ov::Any> input_types_;
  std::vector<bool> none_inputs_;
  std::shared_ptr<ov::Node> value_;
  std::string text_;
  std::string schema_;
};

// The graph.
class GraphDecoder final : public DecoderBase {
 public:
  struct Input {
    size_t id;
    std::string name;  // the parameter's tensor name; must not look like a number
    ov::element::Type type;
    ov::PartialShape shape;
  };
  GraphDecoder(std::vector<Input> inputs, std::vector<std::shared_ptr<NodeDecoder>> nodes,
               std::vector<size_t> outputs);

  const std::string& get_input_signature_name(size_t index) const override;
  ov::PartialShape get_input_shape(size_t index) const override;
  ov::Any get_input_type(size_t index) const override;
  size_t get_subgraph_size() const override { return 1; }
  void visit_subgraph(std::function<void(std::shared_ptr<TorchDecoder>)> visit) const override;

 private:
  std::vector<Input> graph_inputs_;
  std::vector<std::shared_ptr<NodeDecoder>> nodes_;
};

}  // namespace changeaware::ovn
