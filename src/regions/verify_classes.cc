#include "regions/verify_classes.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "analysis/cost.h"
#include "base/errors.h"

namespace changeaware {
namespace {

class ClassVerifier {
 public:
  ClassVerifier(const Graph& graph, const Partition& partition)
      : graph_(graph), partition_(partition), readers_(graph.values().size()) {
    for (uint32_t s = 0; s < partition.segments.size(); ++s) {
      for (ValueId v : partition.segments[s].inputs) readers_[v].push_back(s);
    }
    for (const Argument& output : graph.outputs()) {
      for_each_value(output, [&](ValueId v) { returned_.insert(v); });
    }
  }

  Status run() {
    for (const SlicedClass& c : partition_.classes) {
      CA_RETURN_IF_ERROR(check_segments(c));
      if (c.cuts.size() != c.segments.size() + 1) {
        return invalid_program("class '{}' has {} segments and {} cuts", c.name, c.segments.size(),
                               c.cuts.size());
      }
      for (size_t i = 0; i < c.cuts.size(); ++i) CA_RETURN_IF_ERROR(check_cut(c, i));
    }
    return {};
  }

 private:
  Status check_segments(const SlicedClass& c) {
    if (c.segments.empty()) return invalid_program("class '{}' has no segments", c.name);
    for (uint32_t s : c.segments) {
      if (s >= partition_.segments.size() || !taken_.insert(s).second) {
        return invalid_program("class '{}': segment {} is of no class or of two", c.name, s);
      }
    }
    return {};
  }

  // A cut retains exactly what segments before it give to segments behind it, to other classes or
  // to the program; nothing before it reads anything behind it.
  Status check_cut(const SlicedClass& c, size_t cut) const {
    const std::set<uint32_t> before(c.segments.begin(),
                                    c.segments.begin() + static_cast<std::ptrdiff_t>(cut));
    std::vector<ValueId> expected;
    uint64_t bytes = 0;
    for (uint32_t s : c.segments) {
      for (ValueId v : partition_.segments[s].outputs) {
        if (!before.contains(s)) {
          if (!is_read_in(v, before)) continue;
          return invalid_program("class '{}': '{}' is read before the cut {} that it is behind",
                                 c.name, graph_.value(v).name, cut);
        }
        if (!is_needed_outside(v, before)) continue;
        expected.push_back(v);
        bytes += value_bytes(graph_, v);
      }
    }
    std::sort(expected.begin(), expected.end());
    if (c.cuts[cut].retained == expected && c.cuts[cut].retained_bytes == bytes) return {};
    std::vector<ValueId> differing;
    std::set_symmetric_difference(expected.begin(), expected.end(), c.cuts[cut].retained.begin(),
                                  c.cuts[cut].retained.end(), std::back_inserter(differing));
    if (differing.empty()) {
      return invalid_program("class '{}': cut {} retains {} bytes, not {}", c.name, cut, bytes,
                             c.cuts[cut].retained_bytes);
    }
    return invalid_program("class '{}': cut {} must retain what crosses it and nothing else: '{}'",
                           c.name, cut, graph_.value(differing[0]).name);
  }

  bool is_read_in(ValueId v, const std::set<uint32_t>& segments) const {
    return std::any_of(readers_[v].begin(), readers_[v].end(),
                       [&](uint32_t reader) { return segments.contains(reader); });
  }

  bool is_needed_outside(ValueId v, const std::set<uint32_t>& segments) const {
    return returned_.contains(v) ||
           std::any_of(readers_[v].begin(), readers_[v].end(),
                       [&](uint32_t reader) { return !segments.contains(reader); });
  }

  const Graph& graph_;
  const Partition& partition_;
  std::vector<std::vector<uint32_t>> readers_;  // by ValueId: segments
  std::set<ValueId> returned_;
  std::set<uint32_t> taken_;
};

}  // namespace

Status verify_classes(const Graph& graph, const Partition& partition) {
  return ClassVerifier(graph, partition).run();
}

}  // namespace changeaware
