#include <algorithm>
#include <set>

#include "base/errors.h"
#include "regions/partition.h"
#include "regions/verify_classes.h"
#include "regions/views.h"

namespace changeaware {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, const Dependencies& dependencies, const Partition& partition)
      : graph_(graph),
        dependencies_(dependencies),
        partition_(partition),
        source_(shaped_from(graph)) {
    for (ValueId v : graph.inputs()) available_.insert(v);
  }

  Status run() {
    for (const Segment& s : partition_.segments) CA_RETURN_IF_ERROR(check_segment(s));
    for (NodeId n = 0; n < graph_.nodes().size(); ++n) {
      if (!is_constant(n) && !placed_.contains(n)) {
        return invalid_program("node '{}' is in no segment", graph_.node(n).name);
      }
    }
    return check_roots();
  }

 private:
  bool is_constant(NodeId n) const {
    for (ValueId v : graph_.node(n).outputs) {
      if (v != kNoId && dependencies_.shapes[v].any()) return false;
    }
    return true;
  }

  bool is_made_by_readers(NodeId n) const {
    const auto& outputs = graph_.node(n).outputs;
    return outputs.size() == 1 && outputs[0] != kNoId && source_[outputs[0]] != outputs[0];
  }

  // Reading only what is available, in order, is convexity and acyclicity at once: a path that
  // leaves the segment and returns would have to read a value of a later segment.
  Status check_segment(const Segment& s) {
    std::set<ValueId> known;
    for (ValueId v : s.inputs) {
      if (!available_.contains(v)) {
        return invalid_program("{} reads '{}', which no earlier segment gives", s.name,
                               graph_.value(v).name);
      }
      known.insert(v);
      CA_RETURN_IF_ERROR(check_input_port(s, v));
    }
    for (NodeId n : s.nodes) CA_RETURN_IF_ERROR(check_node(s, n, known));
    for (ValueId v : s.outputs) {
      if (!known.contains(v))
        return invalid_program("{} does not compute '{}'", s.name, graph_.value(v).name);
      available_.insert(v);
    }
    return {};
  }

  // A request gives what the dependency sets name, so a port that is a program input must be there.
  Status check_input_port(const Segment& s, ValueId v) const {
    const auto& inputs = graph_.inputs();
    const auto at = std::find(inputs.begin(), inputs.end(), v);
    if (at == inputs.end()) return {};
    const auto i = static_cast<size_t>(at - inputs.begin());
    if (s.dependencies.test(i) || s.shape_dependencies.test(i)) return {};
    return invalid_program("{} reads '{}' and does not depend on it", s.name, graph_.value(v).name);
  }

  Status check_node(const Segment& s, NodeId n, std::set<ValueId>& known) {
    Status status;
    for_each_input(graph_.node(n), [&](ValueId v) {
      if (status.ok() && !known.contains(v) && graph_.constant_of(v) == nullptr) {
        status = invalid_program("{} lacks the port '{}'", s.name, graph_.value(v).name);
      }
    });
    CA_RETURN_IF_ERROR(status);
    if (!placed_.insert(n).second && !is_constant(n) && !is_made_by_readers(n)) {
      return invalid_program("node '{}' is in two segments", graph_.node(n).name);
    }
    for (ValueId v : graph_.node(n).outputs) {
      if (v == kNoId) continue;
      known.insert(v);
      if (!dependencies_.values[v].is_subset_of(s.dependencies)) {
        return invalid_program("'{}' depends on more than {}", graph_.value(v).name, s.name);
      }
      if (!dependencies_.shapes[v].is_subset_of(s.dependencies | s.shape_dependencies)) {
        return invalid_program("the shape of '{}' depends on more than {}", graph_.value(v).name,
                               s.name);
      }
    }
    return {};
  }

  Status check_roots() const {
    Status status;
    for (const Argument& output : graph_.outputs()) {
      for_each_value(output, [&](ValueId v) {
        if (status.ok() && !available_.contains(v) && graph_.constant_of(v) == nullptr) {
          status = invalid_program("no segment gives the result '{}'", graph_.value(v).name);
        }
      });
    }
    CA_RETURN_IF_ERROR(status);
    std::set<size_t> decided;
    for (const Segment& s : partition_.segments)
      decided.insert(s.assertions.begin(), s.assertions.end());
    if (decided.size() != graph_.assertions().size())
      return invalid_program("an assertion is in no segment");
    return {};
  }

  const Graph& graph_;
  const Dependencies& dependencies_;
  const Partition& partition_;
  const std::vector<ValueId> source_;  // by ValueId: shaped_from()
  std::set<ValueId> available_;
  std::set<NodeId> placed_;
};

}  // namespace

Status verify_partition(const Graph& graph, const Dependencies& dependencies,
                        const Partition& partition) {
  CA_RETURN_IF_ERROR(Verifier(graph, dependencies, partition).run());
  return verify_classes(graph, partition);
}

}  // namespace changeaware
