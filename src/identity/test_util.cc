#include "identity/test_util.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "identity/size_expression.h"

namespace changeaware {
namespace {

template <class T>
void shuffle(std::vector<T>& items, std::mt19937& random) {
  std::shuffle(items.begin(), items.end(), random);
}

// The same elements in a storage with more around them, transposed where possible.
Tensor stored_otherwise(const Tensor& t) {
  const Tensor dense = t.contiguous();
  const size_t item = dtype_bytes(t.dtype());
  const int64_t numel = t.numel();
  const Tensor big = Tensor::empty(t.dtype(), {2 * numel + 6});
  std::memset(big.mutable_data(), 0x5a, big.size_bytes());
  std::vector<int64_t> strides = contiguous_strides(t.shape());
  if (t.rank() == 2) strides = {1, t.shape()[0]};
  for (int64_t& s : strides) s *= 2;
  std::vector<int64_t> index(t.rank(), 0);
  for (int64_t i = 0; i < numel; ++i) {
    int64_t at = 3;
    for (size_t d = 0; d < t.rank(); ++d) at += index[d] * strides[d];
    std::memcpy(big.mutable_data() + static_cast<size_t>(at) * item,
                dense.data() + static_cast<size_t>(i) * item, item);
    for (size_t d = t.rank(); d > 0; --d) {
      if (++index[d - 1] < t.shape()[d - 1]) break;
      index[d - 1] = 0;
    }
  }
  return *Tensor::view(t.dtype(), t.shape(), strides, 3, big.storage());
}

class Disguise {
 public:
  Disguise(const Graph& from, std::mt19937& random) : from_(from), random_(random) {}

  Graph run() {
    rename_symbols();
    add_values();
    for (ValueId id : from_.inputs()) to_.add_input(map_[id]);
    add_constants();
    add_nodes();
    const auto mapped = [this](ValueId id) { return map_[id]; };
    for (const Argument& output : from_.outputs()) to_.add_output(map_values(output, mapped));
    for (const Assertion& a : from_.assertions()) to_.add_assertion({map_[a.condition], a.message});
    return std::move(to_);
  }

 private:
  // Distinct names in another order than before.
  std::vector<std::string> fresh_names(size_t count, std::string_view prefix) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", prefix, 10 + i));
    shuffle(names, random_);
    return names;
  }

  void rename_symbols() {
    const auto names = fresh_names(from_.symbols().size(), "s");
    size_t i = 0;
    for (const auto& [name, range] : from_.symbols()) {
      symbols_[name] = names[i];
      to_.set_symbol(names[i++], range);
    }
    to_.set_symbol("unread", {5, 6});
  }

  Dim renamed(Dim dim) {
    if (dim.fixed()) return dim;
    const std::string text = literal_expression(dim.expression, [this](std::string_view name) {
      const auto it = symbols_.find(std::string(name));
      return it == symbols_.end() ? std::string(name) : it->second;
    });
    return {static_cast<int64_t>(random_() % 9), text.substr(text.find(':') + 1)};
  }

  void add_values() {
    std::vector<ValueId> order(from_.values().size());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random_);
    const auto names = fresh_names(order.size(), "v");
    map_.assign(order.size(), kNoId);
    for (ValueId id : order) {
      Value value = from_.value(id);
      value.name = names[id];
      for (Dim& dim : value.spec.dims) dim = renamed(dim);
      value.symbol = renamed(value.symbol);
      value.spec.strides.assign(value.spec.dims.size(), Dim{7, ""});
      map_[id] = to_.add_value(std::move(value));
    }
  }

  void add_constants() {
    std::vector<Constant> constants = from_.constants();
    shuffle(constants, random_);
    const auto names = fresh_names(constants.size(), "weight");
    for (size_t i = 0; i < constants.size(); ++i) {
      Constant& c = constants[i];
      to_.add_constant(
          {map_[c.value], names[i], ConstantKind::kBuffer, stored_otherwise(c.tensor)});
    }
  }

  // Kahn's algorithm with a random choice among the nodes that are ready.
  void add_nodes() {
    std::vector<bool> defined(from_.values().size(), false);
    for (ValueId id : from_.inputs()) defined[id] = true;
    for (const Constant& c : from_.constants()) defined[c.value] = true;
    std::vector<NodeId> left(from_.nodes().size());
    std::iota(left.begin(), left.end(), 0);
    while (!left.empty()) {
      std::vector<size_t> ready;
      bool effect_seen = false;
      for (size_t i = 0; i < left.size(); ++i) {
        const Node& node = from_.node(left[i]);
        const bool effect = node.op->has_effects || node.op->random || node.op->mutates();
        bool is_ready = !(effect && effect_seen);
        for_each_input(node, [&](ValueId id) { is_ready = is_ready && defined[id]; });
        if (is_ready) ready.push_back(i);
        effect_seen = effect_seen || effect;
      }
      const size_t chosen = ready[random_() % ready.size()];
      add_node(from_.node(left[chosen]));
      for (ValueId id : from_.node(left[chosen]).outputs) {
        if (id != kNoId) defined[id] = true;
      }
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
      if (random_() % 4 == 0) add_dead_node();
    }
  }

  void add_node(const Node& node) {
    Node copy{node.op, {}, {}, fmt::format("node{}", random_()), node.exact};
    for (const Argument& a : node.args)
      copy.args.push_back(map_values(a, [this](ValueId id) { return map_[id]; }));
    for (ValueId id : node.outputs) copy.outputs.push_back(id == kNoId ? kNoId : map_[id]);
    to_.add_node(std::move(copy));
  }

  void add_dead_node() {
    if (to_.inputs().empty()) return;
    Value value = to_.value(to_.inputs()[0]);
    if (value.kind != ValueKind::kTensor) return;
    value.name = "dead";
    const ValueId id = to_.add_value(std::move(value));
    to_.add_node({find_op("aten.relu.default"), {ValueRef{to_.inputs()[0]}}, {id}, "dead"});
  }

  const Graph& from_;
  std::mt19937& random_;
  Graph to_;
  std::vector<ValueId> map_;
  std::map<std::string, std::string> symbols_;
};

}  // namespace

Graph disguised(const Graph& graph, std::mt19937& random) { return Disguise(graph, random).run(); }

}  // namespace changeaware
