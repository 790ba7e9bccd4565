#include "engine/openvino/node_signature.h"

#include <fmt/format.h>

#include <variant>

#include "graph/text.h"

namespace changeaware::ovn {
namespace {

// Weights are larger, and what is made of a node does not depend on their elements.
constexpr size_t kSmallConstantBytes = 256;

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {}

  void value(ValueId id) {
    if (id == kNoId) return put("none");
    const Value& v = graph_.value(id);
    put(static_cast<int>(v.kind));
    put(static_cast<int>(v.spec.dtype));
    for (const Dim& d : v.spec.dims) put(d.fixed() ? dim_text(d) : "?");
    const Constant* constant = graph_.constant_of(id);
    if (constant == nullptr) return put("v");
    put("k");
    if (constant->tensor.size_bytes() > kSmallConstantBytes) return;
    const Tensor dense = constant->tensor.contiguous();
    out_.append(reinterpret_cast<const char*>(dense.data()), dense.size_bytes());
  }

  void operator()(None) { put("None"); }
  void operator()(bool v) { put(v); }
  void operator()(int64_t v) { put(v); }
  void operator()(double v) { put(v); }
  void operator()(const std::string& v) { put(v); }
  void operator()(DType v) { put(dtype_name(v)); }
  void operator()(MemoryFormat v) { put(static_cast<int>(v)); }
  void operator()(Layout v) { put(static_cast<int>(v)); }
  void operator()(const Device& v) { put(v.type); }
  void operator()(ValueRef v) { value(v.id); }
  void operator()(const TensorList& v) {
    for (const auto& item : v.items) value(item.value_or(kNoId));
  }
  template <class T>
  void operator()(const std::vector<T>& v) {
    for (const auto& item : v) put(static_cast<T>(item));
  }
  void operator()(const SymIntList& v) {
    for (const auto& item : v.items) {
      std::visit([this](const auto& one) { (*this)(one); }, item);
    }
  }
  // Bodies are compared by identity.
  void operator()(const std::shared_ptr<const Graph>& v) { put(fmt::ptr(v.get())); }

  template <class T>
  void put(const T& item) {
    fmt::format_to(std::back_inserter(out_), "{} ", item);
  }
  void separate() { out_ += ';'; }
  std::string take() { return std::move(out_); }

 private:
  const Graph& graph_;
  std::string out_;
};

}  // namespace

std::string node_signature(const Graph& graph, const Node& node) {
  Writer writer(graph);
  writer.put(node.op->name);
  for (const Argument& argument : node.args) {
    writer.put(argument.index());
    std::visit([&](const auto& one) { writer(one); }, argument);
    writer.separate();
  }
  for (ValueId id : node.outputs) writer.value(id);
  return writer.take();
}

}  // namespace changeaware::ovn
