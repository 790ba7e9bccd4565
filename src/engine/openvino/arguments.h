// Arguments of an operator as the nodes that TorchScript has for them: constants and lists.
// Thread safety: confined to one conversion.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/openvino/decoder.h"
#include "graph/graph.h"

namespace changeaware::ovn {

// "aten::conv2d" of "aten.conv2d.default"; core ATen's private names become the public ones.
std::string frontend_name(const OpSchema& op);

class ArgumentNodes {
 public:
  ArgumentNodes(std::function<size_t()> fresh_id, std::function<size_t(ValueId)> id_of)
      : fresh_id_(std::move(fresh_id)), id_of_(std::move(id_of)) {}

  // Appends the nodes that define the argument to `nodes` and gives it as an input.
  NodeDecoder::Input add(const Argument& argument, ArgType type,
                         std::vector<std::shared_ptr<NodeDecoder>>& nodes) const;

 private:
  std::function<size_t()> fresh_id_;
  std::function<size_t(ValueId)> id_of_;
};

}  // namespace changeaware::ovn
