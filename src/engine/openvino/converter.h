// Converter: one graph on its way to an OpenVINO model, through the PyTorch frontend.
//
// With `probing` nothing that fails ends the conversion: a value that did not come out as the
// program describes it is replaced by a stand-in that does, so that what reads it is tried too.
// Thread safety: one conversion per object; the graph must outlive it.
#pragma once

#include <map>
#include <memory>
#include <openvino/frontend/extension/conversion.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/openvino/conversion.h"
#include "engine/openvino/decoder.h"
#include "engine/openvino/translations/translation.h"

namespace changeaware::ovn {

// What went wrong inside the frontend's callbacks, and what they could not decide yet.
struct Findings {
  struct Failure {
    NodeId node = kNoId;
    std::string reason;
  };
  std::vector<Failure> failures;
  std::map<std::string, std::pair<ValueId, NodeId>> undecided;  // by tensor name
};

class Converter {
 public:
  Converter(const Graph& graph, bool probing)
      : graph_(graph),
        probing_(probing),
        ids_(graph.values().size(), 0),
        read_(graph.values().size(), false) {}

  // REQUIRES: not probing. Errors as convert_graph().
  Result<ConvertedModel> run(std::span<const ValueId> outputs,
                             std::span<const ExtentRequest> extents);
  // REQUIRES: probing. What is left in `model` as a FrameworkNode was not converted; its attribute
  // "PtSchema" is node_mark() of the node. Throws what the frontend throws.
  Result<ConvertedModel> try_out(std::span<const ValueId> outputs);
  // Seen during the conversion; with `probing` there is a stand-in for each.
  const std::vector<Findings::Failure>& failures() const { return findings_->failures; }
  // Seen when all was converted, in values whose dtype or shape was not known before.
  const std::vector<Findings::Failure>& late_failures() const { return late_failures_; }

  static std::string node_mark(NodeId node);

 private:
  using FrontendContext = ov::frontend::NodeContext;

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
  void extend(const std::string& name, ov::frontend::CreatorFunction function);
  Result<std::shared_ptr<GraphDecoder>> decode(std::span<const ValueId> outputs,
                                               std::span<const ExtentRequest> extents);
  ov::OutputVector stand_ins(const Node& node) const;
  Status as_status(const std::vector<Findings::Failure>& failures) const;
  Status finish(ov::Model& model, std::span<const ValueId> outputs);
  void check_undecided(const ov::Model& model);

  const Graph& graph_;
  const bool probing_;
  std::vector<size_t> ids_;  // value → id in the decoder; 0 = not there yet
  std::vector<bool> read_;   // by a node that is converted, or as an output
  size_t next_id_ = 1;
  std::vector<std::shared_ptr<NodeDecoder>> nodes_;
  std::vector<std::shared_ptr<ov::frontend::ConversionExtension>> extensions_;
  std::shared_ptr<Findings> findings_ = std::make_shared<Findings>();
  std::vector<Findings::Failure> late_failures_;
  std::vector<Tensor> constants_;
};

}  // namespace changeaware::ovn
