// CutNetwork: a directed network with one source and one sink, and its minimum cut.
//
// Capacities are exact integers of 128 bits, so the answer is the same on every machine. The
// maximum flow is Boost.Graph's push_relabel_max_flow; the cut is read from its residual network.
// Source: Goldberg and Tarjan, A new approach to the maximum-flow problem (1988).
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace changeaware {

using Capacity = __int128;

// Which end the flow is pushed from; the answer is the same, the time is not. From the source all
// supply sweeps to a few far sinks at once; from the sink each of many fills its surroundings.
enum class PushFrom : uint8_t { kEither, kSource, kSink };

class CutNetwork {
 public:
  // Numbers of vertices count from 0.
  uint32_t add_vertex();
  void reserve(size_t vertices, size_t edges);
  // Parallel calls add up. A capacity is not negative; the sum from the source is below 2^124.
  void add_from_source(uint32_t vertex, Capacity capacity) { from_source_[vertex] += capacity; }
  void add_to_sink(uint32_t vertex, Capacity capacity) { to_sink_[vertex] += capacity; }
  void add_edge(uint32_t from, uint32_t to, Capacity capacity);
  // An edge that no minimum cut contains.
  void add_unbounded_edge(uint32_t from, uint32_t to);

  // By vertex: on the source side of the minimum cut. Of all minimum cuts the one with the most
  // vertices on that side.
  std::vector<bool> source_side(PushFrom from = PushFrom::kEither) const;

 private:
  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    Capacity capacity = 0;  // kUnbounded: more than everything that the source gives
  };
  static constexpr Capacity kUnbounded = -1;

  bool pushes_from_sink(PushFrom from) const;
  std::vector<Edge> edges_with_ends() const;

  std::vector<Capacity> from_source_;
  std::vector<Capacity> to_sink_;
  std::vector<Edge> edges_;
};

}  // namespace changeaware
