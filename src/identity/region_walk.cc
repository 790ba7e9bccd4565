#include "identity/region_walk.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/text_names.h"
#include "identity/byte_writer.h"
#include "identity/size_expression.h"

namespace changeaware {
namespace {

// Numbers that reach packages, as part of identities.
enum class Tag : uint8_t {
  kNone = 0,
  kBool = 1,
  kInt = 2,
  kFloat = 3,
  kString = 4,
  kDType = 5,
  kMemoryFormat = 6,
  kLayout = 7,
  kDevice = 8,
  kPort = 9,
  kResult = 10,
  kConstant = 11,
  kTensors = 12,
  kInts = 13,
  kFloats = 14,
  kBools = 15,
  kGraph = 16,
};
enum class Kind : uint8_t { kTensor = 0, kSymInt = 1, kSymFloat = 2, kSymBool = 3 };
constexpr Kind kKinds[] = {Kind::kTensor, Kind::kSymInt, Kind::kSymFloat, Kind::kSymBool};

bool has_effects(const Node& node) {
  return node.op->has_effects || node.op->random || node.op->mutates();
}

class Walk {
 public:
  Walk(const Graph& graph, SymbolNumbers& symbols, ParameterDigests& digests)
      : graph_(graph), symbols_(symbols), digests_(digests), places_(graph.values().size()) {
    symbols_.declare(graph);
    for (NodeId n = 0; n < graph.nodes().size(); ++n) {
      const auto& outputs = graph.node(n).outputs;
      for (uint32_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] != kNoId) places_[outputs[i]] = {Tag::kResult, n, i};
      }
    }
    node_numbers_.assign(graph.nodes().size(), kNoId);
  }

  std::string run() {
    write_ports();
    // Nodes first: what follows refers to them by number.
    for (const Argument& output : graph_.outputs()) reach(output);
    for (const Assertion& a : graph_.assertions()) reach(ValueRef{a.condition});
    for (NodeId n = 0; n < graph_.nodes().size(); ++n) {
      if (has_effects(graph_.node(n))) reach(n);
    }
    ByteWriter ends = write_ends();
    ByteWriter out;
    out.text(ports_.take());
    out.u32(node_count_);
    out.text(nodes_.take());
    out.u32(constant_count_);
    out.text(constants_.take());
    out.text(ends.take());
    write_symbols(out);
    return out.take();
  }

 private:
  // What defines a value. `id`: position of a port, NodeId, or number of a constant once referred
  // to.
  struct Place {
    Tag tag = Tag::kConstant;
    uint32_t id = kNoId;
    uint32_t result = 0;
  };

  static void put(ByteWriter& out, Tag tag) { out.u8(static_cast<uint8_t>(tag)); }
  static void put_count(ByteWriter& out, size_t count) { out.u64(count); }

  void write_ports() {
    const auto& inputs = graph_.inputs();
    // Symbols that are a size of their own are numbered before any expression mentions them.
    for (ValueId id : inputs) {
      const Value& value = graph_.value(id);
      for (const Dim& dim : value.spec.dims) symbols_.number(dim.expression);
      symbols_.number(value.symbol.expression);
    }
    put_count(ports_, inputs.size());
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      places_[inputs[i]] = {Tag::kPort, i, 0};
      write_contract(ports_, graph_.value(inputs[i]));
    }
  }

  void write_dim(ByteWriter& out, const Dim& dim, ValueKind kind) {
    out.u8(dim.fixed());
    if (dim.fixed()) return out.i64(dim.size);
    const WordForm form = [this](std::string_view name) { return symbols_.form(name); };
    // The arithmetic of floats depends on its order.
    out.text(kind == ValueKind::kSymFloat ? literal_expression(dim.expression, form)
                                          : canonical_size(dim.expression, form));
  }

  void write_contract(ByteWriter& out, const Value& value) {
    out.u8(static_cast<uint8_t>(kKinds[static_cast<size_t>(value.kind)]));
    if (value.kind != ValueKind::kTensor) return write_dim(out, value.symbol, value.kind);
    out.text(dtype_name(value.spec.dtype));
    put_count(out, value.spec.dims.size());
    for (const Dim& dim : value.spec.dims) write_dim(out, dim, value.kind);
  }

  void reach(const Argument& argument) {
    for_each_value(argument, [this](ValueId id) {
      if (places_[id].tag == Tag::kResult) reach(places_[id].id);
    });
  }

  // Depth first without recursion: a node is on the stack until its operands are written.
  void reach(NodeId root) {
    std::vector<NodeId> stack = {root};
    std::vector<NodeId> operands;
    while (!stack.empty()) {
      const NodeId n = stack.back();
      if (node_numbers_[n] != kNoId) {
        stack.pop_back();
        continue;
      }
      operands.clear();
      for_each_input(graph_.node(n), [&](ValueId id) {
        const Place& place = places_[id];
        if (place.tag == Tag::kResult && node_numbers_[place.id] == kNoId)
          operands.push_back(place.id);
      });
      if (operands.empty()) {
        stack.pop_back();
        write_node(graph_.node(n));
        node_numbers_[n] = node_count_++;
      } else {
        stack.insert(stack.end(), operands.rbegin(), operands.rend());
      }
    }
  }

  void write_node(const Node& node) {
    // No operator's name has a space, so that nodes of the fast engine are written as ever.
    nodes_.text(node.exact ? "exact " + node.op->name : node.op->name);
    put_count(nodes_, node.args.size());
    for (const Argument& argument : node.args) write_argument(nodes_, argument);
    put_count(nodes_, node.outputs.size());
    for (ValueId id : node.outputs) {
      nodes_.u8(id != kNoId);
      if (id != kNoId) write_contract(nodes_, graph_.value(id));
    }
  }

  void write_reference(ByteWriter& out, ValueId id) {
    Place& place = places_[id];
    if (place.tag == Tag::kConstant && place.id == kNoId) {
      place.id = constant_count_++;
      write_constant(graph_.constant_of(id)->tensor);
    }
    put(out, place.tag);
    out.u32(place.tag == Tag::kResult ? node_numbers_[place.id] : place.id);
    if (place.tag == Tag::kResult) out.u32(place.result);
  }

  void write_constant(const Tensor& tensor) {
    constants_.text(dtype_name(tensor.dtype()));
    put_count(constants_, tensor.rank());
    for (int64_t size : tensor.shape()) constants_.i64(size);
    constants_.raw(digests_.digest(tensor));
  }

  void write_argument(ByteWriter& out, const Argument& argument) {
    std::visit([&](const auto& value) { write(out, value); }, argument);
  }
  void write(ByteWriter& out, None) { put(out, Tag::kNone); }
  void write(ByteWriter& out, bool value) {
    put(out, Tag::kBool);
    out.u8(value);
  }
  void write(ByteWriter& out, int64_t value) {
    put(out, Tag::kInt);
    out.i64(value);
  }
  void write(ByteWriter& out, double value) {
    put(out, Tag::kFloat);
    out.f64(value);
  }
  void write(ByteWriter& out, const std::string& value) {
    put(out, Tag::kString);
    out.text(value);
  }
  void write(ByteWriter& out, DType value) {
    put(out, Tag::kDType);
    out.text(dtype_name(value));
  }
  void write(ByteWriter& out, MemoryFormat value) {
    put(out, Tag::kMemoryFormat);
    out.text(memory_format_name(value));
  }
  void write(ByteWriter& out, Layout value) {
    put(out, Tag::kLayout);
    out.u8(value == Layout::kStrided ? 0 : 1);
  }
  void write(ByteWriter& out, const Device& value) {
    put(out, Tag::kDevice);
    out.text(value.type);
  }
  void write(ByteWriter& out, ValueRef value) { write_reference(out, value.id); }
  void write(ByteWriter& out, const TensorList& list) {
    put(out, Tag::kTensors);
    put_count(out, list.items.size());
    for (const auto& item : list.items) {
      if (item) {
        write_reference(out, *item);
      } else {
        put(out, Tag::kNone);
      }
    }
  }
  // The two kinds of integer lists are written alike.
  void write(ByteWriter& out, const std::vector<int64_t>& list) {
    put(out, Tag::kInts);
    put_count(out, list.size());
    for (int64_t item : list) write(out, item);
  }
  void write(ByteWriter& out, const SymIntList& list) {
    put(out, Tag::kInts);
    put_count(out, list.items.size());
    for (const auto& item : list.items) std::visit([&](const auto& v) { write(out, v); }, item);
  }
  void write(ByteWriter& out, const std::vector<double>& list) {
    put(out, Tag::kFloats);
    put_count(out, list.size());
    for (double item : list) out.f64(item);
  }
  void write(ByteWriter& out, const std::vector<bool>& list) {
    put(out, Tag::kBools);
    put_count(out, list.size());
    for (bool item : list) out.u8(item);
  }
  void write(ByteWriter& out, const std::shared_ptr<const Graph>& nested) {
    put(out, Tag::kGraph);
    out.text(region_bytes(*nested, symbols_, digests_));
  }

  // Outputs, assertions, effects.
  ByteWriter write_ends() {
    ByteWriter out;
    put_count(out, graph_.outputs().size());
    for (const Argument& output : graph_.outputs()) write_argument(out, output);
    put_count(out, graph_.assertions().size());
    for (const Assertion& a : graph_.assertions()) {
      write_reference(out, a.condition);
      out.text(a.message);
    }
    std::vector<uint32_t> effects;
    for (NodeId n = 0; n < graph_.nodes().size(); ++n) {
      if (has_effects(graph_.node(n))) effects.push_back(node_numbers_[n]);
    }
    put_count(out, effects.size());
    for (uint32_t n : effects) out.u32(n);
    return out;
  }

  void write_symbols(ByteWriter& out) const {
    std::vector<std::pair<uint32_t, SymbolRange>> ranges;
    for (const auto& [name, range] : graph_.symbols()) {
      if (const auto number = symbols_.known(name)) ranges.emplace_back(*number, range);
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    put_count(out, ranges.size());
    for (const auto& [number, range] : ranges) {
      out.u32(number);
      for (const auto& bound : {range.min, range.max}) {
        out.u8(bound.has_value());
        out.i64(bound.value_or(0));
      }
    }
  }

  const Graph& graph_;
  SymbolNumbers& symbols_;
  ParameterDigests& digests_;
  std::vector<Place> places_;           // by ValueId
  std::vector<uint32_t> node_numbers_;  // by NodeId; kNoId = not written
  uint32_t node_count_ = 0;
  uint32_t constant_count_ = 0;
  ByteWriter ports_;
  ByteWriter nodes_;
  ByteWriter constants_;
};

}  // namespace

std::string region_bytes(const Graph& graph, SymbolNumbers& symbols, ParameterDigests& digests) {
  return Walk(graph, symbols, digests).run();
}

}  // namespace changeaware
