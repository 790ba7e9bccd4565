#include "engine/mixed/pieces.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace changeaware::mixed {
namespace {

// What a node needs; the first three are PieceKinds.
enum class Need : uint8_t { kFast, kExact, kControlFlow, kAny };

bool is_number(const Graph& graph, ValueId id) {
  const ValueKind kind = graph.value(id).kind;
  return kind == ValueKind::kSymInt || kind == ValueKind::kSymBool;
}

// Integer arithmetic has the same result on either engine.
bool reckons_with_sizes(const Graph& graph, const Node& node) {
  bool numbers = true;
  for (ValueId id : node.outputs) numbers &= id == kNoId || is_number(graph, id);
  if (!numbers) return false;
  if (node.op->name == "aten.sym_size.int") return true;
  for_each_input(node, [&](ValueId id) { numbers &= is_number(graph, id); });
  return numbers && (node.op->ns() == "_operator" || node.op->ns() == "torch");
}

Need need_of(const Graph& graph, const Node& node) {
  if (is_control_flow(node)) return Need::kControlFlow;
  if (node.exact) return Need::kExact;
  return reckons_with_sizes(graph, node) ? Need::kAny : Need::kFast;
}

// Runs the graph on paper: an engine goes on as long as there is something that it can run, then
// the other one does.
class Schedule {
 public:
  explicit Schedule(const Graph& graph)
      : graph_(graph), missing_(graph.nodes().size(), 0), readers_(graph.nodes().size()) {
    std::vector<NodeId> producer(graph.values().size(), kNoId);
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      for_each_input(graph.node(id), [&](ValueId v) {
        if (producer[v] == kNoId) return;
        readers_[producer[v]].push_back(id);
        ++missing_[id];
      });
      for (ValueId v : graph.node(id).outputs) {
        if (v != kNoId) producer[v] = id;
      }
      needs_.push_back(need_of(graph, graph.node(id)));
    }
  }

  std::vector<Piece> run(Need first) {
    for (NodeId id = 0; id < missing_.size(); ++id) {
      if (missing_[id] == 0) ready(needs_[id]).push_back(id);
    }
    Need turn = first;
    std::vector<NodeId> carried;
    while (true) {
      if (carried.empty() && run_control_flow()) continue;
      take(Need::kAny, carried);
      if (!carried.empty() && !ready(Need::kControlFlow).empty() && idle()) {
        flush(carried, Need::kFast);
        continue;
      }
      if (idle()) break;
      if (ready(turn).empty()) turn = other(turn);
      std::vector<NodeId> nodes = std::exchange(carried, {});
      while (!ready(turn).empty() || !ready(Need::kAny).empty()) {
        take(turn, nodes);
        take(Need::kAny, nodes);
      }
      flush(nodes, turn);
      turn = other(turn);
    }
    flush(carried, Need::kFast);
    return std::move(pieces_);
  }

 private:
  static Need other(Need need) { return need == Need::kFast ? Need::kExact : Need::kFast; }
  std::vector<NodeId>& ready(Need need) { return ready_[static_cast<size_t>(need)]; }
  bool idle() { return ready(Need::kFast).empty() && ready(Need::kExact).empty(); }

  void finish(NodeId id) {
    for (NodeId reader : readers_[id]) {
      if (--missing_[reader] == 0) ready(needs_[reader]).push_back(reader);
    }
  }

  // Moves what is ready, and what becomes ready by that.
  void take(Need need, std::vector<NodeId>& nodes) {
    while (!ready(need).empty()) {
      const NodeId id = ready(need).back();
      ready(need).pop_back();
      nodes.push_back(id);
      finish(id);
    }
  }

  bool run_control_flow() {
    auto& waiting = ready(Need::kControlFlow);
    if (waiting.empty()) return false;
    const auto next = std::min_element(waiting.begin(), waiting.end());
    const NodeId id = *next;
    waiting.erase(next);
    pieces_.push_back({PieceKind::kControlFlow, {id}});
    finish(id);
    return true;
  }

  void flush(std::vector<NodeId>& nodes, Need need) {
    if (nodes.empty()) return;
    std::sort(nodes.begin(), nodes.end());
    pieces_.push_back({static_cast<PieceKind>(need), std::exchange(nodes, {})});
  }

  const Graph& graph_;
  std::vector<size_t> missing_;  // per node: operands that are not there yet
  std::vector<std::vector<NodeId>> readers_;
  std::vector<Need> needs_;
  std::array<std::vector<NodeId>, 4> ready_;
  std::vector<Piece> pieces_;
};

}  // namespace

bool is_control_flow(const Node& node) {
  return std::any_of(node.args.begin(), node.args.end(), [](const Argument& a) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(a);
  });
}

std::vector<Piece> split_into_pieces(const Graph& graph) {
  std::vector<Piece> fast_first = Schedule(graph).run(Need::kFast);
  std::vector<Piece> exact_first = Schedule(graph).run(Need::kExact);
  return exact_first.size() < fast_first.size() ? exact_first : fast_first;
}

}  // namespace changeaware::mixed
