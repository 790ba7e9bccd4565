#include "graph/graph.h"

#include <algorithm>
#include <cassert>

#include "base/errors.h"

namespace changeaware {

bool OpSchema::mutates() const {
  return std::any_of(args.begin(), args.end(), [](const ArgSchema& a) { return a.mutated; });
}

int OpSchema::arg_index(std::string_view arg_name) const {
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].name == arg_name) return static_cast<int>(i);
  }
  return -1;
}

std::string_view OpSchema::base_name() const {
  const std::string_view all = name;
  const size_t first = all.find('.');
  const size_t last = all.rfind('.');
  if (first == std::string_view::npos) return all;
  return first == last ? all.substr(first + 1) : all.substr(first + 1, last - first - 1);
}

bool TensorSpec::fixed() const {
  return std::all_of(dims.begin(), dims.end(), [](const Dim& d) { return d.fixed(); });
}

Shape TensorSpec::hint_shape() const {
  Shape shape;
  for (const Dim& d : dims) shape.push_back(d.size);
  return shape;
}

ValueId Graph::find_value(const std::string& name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? kNoId : it->second;
}

const Constant* Graph::constant_of(ValueId id) const {
  const auto it = constant_index_.find(id);
  return it == constant_index_.end() ? nullptr : &constants_[it->second];
}

ValueId Graph::add_value(Value value) {
  const auto id = static_cast<ValueId>(values_.size());
  if (value.name.empty()) value.name = "v";
  std::string name = value.name;
  for (int suffix = 1; names_.contains(name); ++suffix)
    name = fmt::format("{}_{}", value.name, suffix);
  value.name = name;
  names_.emplace(std::move(name), id);
  values_.push_back(std::move(value));
  return id;
}

void Graph::add_constant(Constant constant) {
  constant_index_.emplace(constant.value, constants_.size());
  constants_.push_back(std::move(constant));
}

NodeId Graph::add_node(Node node) {
  assert(node.op != nullptr);
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size() - 1);
}

}  // namespace changeaware
