// Partition of a program into segments: pieces that run as a whole or are reused as a whole.
//
// Nodes with the same pair (values, shapes) of dependency sets form a class. Classes are convex and
// their quotient graph is acyclic (sets only grow along edges), so classes are the finest useful
// partition for full retention: with change mask M exactly the classes whose set meets M run.
//
//   - A class of which some outputs of the program need only a part is split by the outputs that
//     its nodes reach, when every part is worth its own call; a request for some outputs then runs
//     only what they need. Sets of reached outputs only shrink along edges, so the parts are convex
//     too.
//   - Nodes that depend on nothing (constant arithmetic) are not a segment: each segment that reads
//     one has its own copy, which engines fold when they compile it. They are a segment of their
//     own only where the program returns their result.
//   - A view that keeps elements and order is made by each segment that reads it (views.h), so that
//     a tensor is handed on and retained once, whatever shapes it is read in.
//   - A segment whose estimated time is below `tiny_us` and that exactly one other segment reads is
//     merged into that reader: its own call would cost more than its recomputation. Not one with a
//     matrix product, a convolution or other contraction: estimates are rough, and what people call
//     a tower must run only when its inputs change, however small it is.
//   - With node times, a class that is worth retaining is sliced by its chain of cuts (cuts.h): the
//     slices are convex and only earlier ones are read by later ones, so strategies can retain any
//     cut of the chain. Worth retaining is what some change spares (its inputs are not all that the
//     program depends on), others read or the program returns, and costs more than a call or takes
//     little room. A class that was merged into a reader is part of that reader's class.
//
// Invariants (verify_partition): every node that depends on something is in exactly one segment,
// but for views made by readers; segments are convex and in execution order; every value that a
// segment reads is a program input, a constant, its own, or an output of an earlier segment; every
// value that another segment or the program's result reads is an output of its segment. A cut
// retains exactly what segments before it hand to segments behind it, to other classes and to the
// program, and nothing before it reads what is behind it.
#pragma once

#include <string>
#include <vector>

#include "analysis/dependencies.h"
#include "graph/graph.h"
#include "regions/cuts.h"

namespace changeaware {

struct Segment {
  std::string name;                // "segment_image", "segment_image+text"; unique
  InputSet dependencies;           // inputs whose values its outputs depend on
  InputSet shape_dependencies;     // inputs of which only the shape matters; disjoint from those
  std::vector<NodeId> nodes;       // increasing; with copies of constant arithmetic and views
  std::vector<ValueId> inputs;     // program inputs first, then outputs of other segments
  std::vector<ValueId> outputs;    // what others read or the program returns
  std::vector<size_t> assertions;  // indices into Graph::assertions() that it decides
  double estimated_us = 0;
};

struct MergedClass {
  std::string name;
  std::string into;
  std::string reason;
};

// A class of which strategies may retain something.
struct SlicedClass {
  std::string name;                // of its first segment without "segment_": "image", "image+text"
  std::vector<uint32_t> segments;  // indices in Partition::segments, in slice order
  // From nothing retained to the whole frontier: cut i retains what segments 0 … i-1 of the class
  // give to others. Its times are the nodes', its bytes those at the example shapes.
  std::vector<Cut> cuts;
};

// A boundary or a cut that was turned down.
struct RejectedBoundary {
  std::string name;    // "image+text", or for a cut "image at 8388608 bytes"
  std::string reason;  // "depends on every input: only an exact repeat could use it"
};

struct Partition {
  std::vector<Segment> segments;     // in execution order
  std::vector<MergedClass> merged;   // classes that did not become segments, and why
  std::vector<SlicedClass> classes;  // in the order of their first segments
  std::vector<RejectedBoundary> rejected;
};

struct PartitionOptions {
  double tiny_us = 20;     // what one call of a segment costs
  double split_us = 1000;  // least time worth skipping for outputs nobody asked for
  // What each node takes, by NodeId; empty = estimates, and no class is sliced. Views count as
  // nothing whatever is given.
  std::vector<double> node_us;
  CutOptions cuts;
};

// Unsupported when an assertion's condition is a program input itself, naming it. InvalidArgument
// when a node's time is not a cost or a cut option is out of range.
Result<Partition> make_partition(const Graph& graph, const Dependencies& dependencies,
                                 const PartitionOptions& options = {});

// InvalidProgram naming the segment and value that break an invariant.
Status verify_partition(const Graph& graph, const Dependencies& dependencies,
                        const Partition& partition);

// One line per segment: name, node count, ports.
std::string dump(const Graph& graph, const Partition& partition);

}  // namespace changeaware
