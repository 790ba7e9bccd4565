#include <bit>
#include <cstring>
#include <string>
#include <unordered_map>

#include "base/errors.h"
#include "normalise/fold.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

// Constants of at most this many bytes are compared by content.
constexpr size_t kSmallBytes = 4096;

// A byte string that is equal exactly for equal things.
class Key {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text_.append(bytes, sizeof(T));
  }
  void string(std::string_view value) {
    number(value.size());
    text_.append(value);
  }
  void bytes(const std::byte* data, size_t size) {
    number(size);
    text_.append(reinterpret_cast<const char*>(data), size);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

struct ArgumentKey {
  Key& key;

  void operator()(None) const {}
  void operator()(bool v) const { key.number(v); }
  void operator()(int64_t v) const { key.number(v); }
  void operator()(double v) const { key.number(std::bit_cast<uint64_t>(v)); }
  void operator()(const std::string& v) const { key.string(v); }
  void operator()(DType v) const { key.number(v); }
  void operator()(MemoryFormat v) const { key.number(v); }
  void operator()(Layout v) const { key.number(v); }
  void operator()(const Device& v) const { key.string(v.type); }
  void operator()(ValueRef v) const { key.number(v.id); }
  void operator()(const TensorList& v) const {
    key.number(v.items.size());
    for (const auto& item : v.items) key.number(item.value_or(kNoId));
  }
  void operator()(const std::vector<int64_t>& v) const {
    key.number(v.size());
    for (int64_t item : v) key.number(item);
  }
  void operator()(const std::vector<double>& v) const {
    key.number(v.size());
    for (double item : v) (*this)(item);
  }
  void operator()(const std::vector<bool>& v) const {
    key.number(v.size());
    for (bool item : v) key.number(item);
  }
  void operator()(const SymIntList& v) const {
    key.number(v.items.size());
    for (const auto& item : v.items) {
      key.number(item.index());
      std::visit(*this, item);
    }
  }
  void operator()(const std::shared_ptr<const Graph>& v) const { key.number(v.get()); }
};

std::string node_key(const OpSchema* op, const std::vector<Argument>& args, size_t results) {
  Key key;
  key.number(op);
  key.number(results);
  for (const Argument& argument : args) {
    key.number(argument.index());
    std::visit(ArgumentKey{key}, argument);
  }
  return key.take();
}

std::string constant_key(const Tensor& tensor, bool with_layout) {
  Key key;
  key.number(tensor.dtype());
  key.number(tensor.rank());
  for (int64_t size : tensor.shape()) key.number(size);
  const bool small = tensor.size_bytes() <= kSmallBytes;
  key.number(small);
  if (small) {
    for (int64_t stride : tensor.strides()) key.number(with_layout ? stride : 0);
    const Tensor dense = tensor.contiguous();
    key.bytes(dense.data(), dense.size_bytes());
    return key.take();
  }
  key.number(tensor.storage()->data());
  key.number(tensor.storage_offset());
  for (int64_t stride : tensor.strides()) key.number(stride);
  return key.take();
}

class Merger {
 public:
  Merger(const Graph& graph, bool keep_layouts)
      : graph_(graph), keep_layouts_(keep_layouts), rewriter_(graph) {}

  Result<Step> run() {
    merge_constants();
    for (const Node& node : graph_.nodes()) visit(node);
    CA_ASSIGN_OR_RETURN(Graph graph, rewriter_.finish());
    return Step{std::move(graph), changed_};
  }

 private:
  void merge_constants() {
    std::unordered_map<std::string, ValueId> first;
    for (const Constant& constant : graph_.constants()) {
      const auto [it, fresh] =
          first.try_emplace(constant_key(constant.tensor, keep_layouts_), constant.value);
      if (!fresh) rewriter_.map(constant.value, rewriter_.mapped(it->second));
    }
  }

  void visit(const Node& node) {
    std::vector<Argument> args = rewriter_.mapped_args(node);
    if (node.op->has_effects || node.op->random || node.outputs.empty()) {
      rewriter_.copy(node, std::move(args));
      return;
    }
    const auto [it, fresh] =
        nodes_.try_emplace(node_key(node.op, args, node.outputs.size()), kNoId);
    if (fresh) {
      it->second = rewriter_.copy(node, std::move(args));
      return;
    }
    changed_ = true;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoId)
        rewriter_.map(node.outputs[i], ValueRef{result(it->second, i, node)});
    }
  }

  // Result `i` of a node that is there already; it gets a value when nobody had named it.
  ValueId result(NodeId id, size_t i, const Node& equal) {
    if (const ValueId there = rewriter_.to().node(id).outputs[i]; there != kNoId) return there;
    const ValueId made = rewriter_.to().add_value(rewriter_.like(equal.outputs[i]));
    rewriter_.to().mutable_node(id).outputs[i] = made;
    return made;
  }

  const Graph& graph_;
  const bool keep_layouts_;
  Rewriter rewriter_;
  std::unordered_map<std::string, NodeId> nodes_;
  bool changed_ = false;
};

}  // namespace

Result<Step> merge(const Graph& graph, bool keep_layouts) {
  return Merger(graph, keep_layouts).run();
}

}  // namespace changeaware
