#include "engine/mixed/halves.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace changeaware::mixed {
namespace {

// Of tensors that pass from one half to the other.
constexpr size_t kMostPassed = 2;
// A constant that both halves read is packed by both.
constexpr uint64_t kMostBytesReadTwice = uint64_t{1} << 20;

// Passing integers on would be checked against 32 bits at every run.
bool may_pass(const Value& value) {
  return value.kind == ValueKind::kTensor &&
         (is_floating(value.spec.dtype) || value.spec.dtype == DType::kBool);
}

// For each place between two nodes of a piece, what lies on either side.
class Places {
 public:
  Places(const Graph& graph, const std::vector<NodeId>& nodes)
      : passed_(nodes.size() + 1), barred_(nodes.size() + 1), weight_bytes_(nodes.size() + 1) {
    std::map<ValueId, size_t> made;
    std::map<ValueId, Span> read;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for_each_input(graph.node(nodes[i]), [&](ValueId id) {
        read.try_emplace(id, Span{i, i}).first->second.last = i;
      });
      for (ValueId id : graph.node(nodes[i]).outputs) made.emplace(id, i);
    }
    for (const auto& [id, span] : read) {
      if (const Constant* constant = graph.constant_of(id)) {
        add_constant(constant->tensor.size_bytes(), span);
      } else if (const auto producer = made.find(id); producer != made.end()) {
        add_value(graph.value(id), {producer->second, span.last});
      }
    }
    for (size_t i = 1; i < weight_bytes_.size(); ++i) weight_bytes_[i] += weight_bytes_[i - 1];
  }

  uint64_t total_bytes() const { return weight_bytes_.back(); }

  // The number of nodes before the place that parts the bytes best.
  std::optional<size_t> best() const {
    std::optional<size_t> best;
    uint64_t best_smaller = total_bytes() / 4;
    for (size_t i = 1; i + 1 < weight_bytes_.size(); ++i) {
      if (barred_[i] != 0 || passed_[i] > kMostPassed) continue;
      const uint64_t smaller = std::min(weight_bytes_[i], total_bytes() - weight_bytes_[i]);
      if (smaller < best_smaller || (best && smaller == best_smaller)) continue;
      best = i;
      best_smaller = smaller;
    }
    return best;
  }

 private:
  struct Span {
    size_t first;
    size_t last;
  };

  void add_constant(uint64_t bytes, const Span& span) {
    weight_bytes_[span.first + 1] += bytes;
    if (bytes <= kMostBytesReadTwice) return;
    for (size_t i = span.first + 1; i <= span.last; ++i) ++barred_[i];
  }

  void add_value(const Value& value, const Span& span) {
    for (size_t i = span.first + 1; i <= span.last; ++i) {
      ++passed_[i];
      if (!may_pass(value)) ++barred_[i];
    }
  }

  // By the number of nodes before the place.
  std::vector<size_t> passed_;
  std::vector<size_t> barred_;
  std::vector<uint64_t> weight_bytes_;  // read for the first time before it
};

}  // namespace

std::vector<Piece> halve_heavy_pieces(const Graph& graph, std::vector<Piece> pieces,
                                      uint64_t least_bytes) {
  std::vector<Piece> out;
  for (Piece& piece : pieces) {
    out.push_back(std::move(piece));
    if (out.back().kind != PieceKind::kFast) continue;
    const Places places(graph, out.back().nodes);
    if (places.total_bytes() < least_bytes) continue;
    const std::optional<size_t> place = places.best();
    if (!place) continue;
    std::vector<NodeId>& nodes = out.back().nodes;
    const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(*place);
    Piece second{PieceKind::kFast, {middle, nodes.end()}};
    nodes.erase(middle, nodes.end());
    out.push_back(std::move(second));
  }
  return out;
}

}  // namespace changeaware::mixed
