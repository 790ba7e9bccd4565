// Engine: turns a region (a functional Graph) into something that runs.
//
// An engine knows nothing of caches, strategies or files. Graphs it gets are functional: no
// mutation, no random operator, assertions already lifted to Graph::assertions (which it ignores:
// the caller makes their conditions outputs).
// Errors: compile() gives Unsupported naming the node and operator that it cannot run faithfully,
// also when the engine's own checks (dtype or shape of a converted node against the program's
// metadata) fail; InvalidProgram when a constant index is outside its dimension. run() gives
// InvalidArgument naming the port for a wrong dtype or shape, and naming node and operator for an
// index outside its dimension or an integer divisor of zero, which PyTorch refuses too.
// Thread safety: compile() and run() may be called concurrently, run() also on one Executable.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "changeaware/status.h"
#include "changeaware/tensor.h"
#include "graph/graph.h"

namespace changeaware {

struct EngineInfo {
  std::string name;  // "openvino"
  std::string version;
};

// What became of the compiled blobs that an engine keeps on disk, since it was made.
struct BlobReport {
  std::string folder;  // empty: none are kept
  uint64_t used = 0;
  uint64_t stored = 0;
  uint64_t ignored = 0;
  std::vector<std::string>
      reasons;  // the first few of those ignored: foreign, damaged, not written
};

// A node that an engine cannot run faithfully.
struct NodeRefusal {
  NodeId node = kNoId;
  std::string reason;  // without the node's name
};

class Executable {
 public:
  virtual ~Executable() = default;

  // `inputs` in the order of Graph::inputs(), each with the dtype of its spec and a shape that fits
  // it; symbolic numbers are tensors of rank 0: int64, bool or float64. Contiguous inputs are bound
  // without a copy.
  // `outputs` in the order of Graph::outputs(), of which every one must be a ValueRef. An entry
  // that is defined() must be contiguous, of the right dtype and shape, and is written in place; an
  // entry that is not is allocated, in any layout whose elements do not overlap and have no gaps
  // between them. After an error the contents of outputs are unspecified.
  virtual Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual EngineInfo info() const = 0;
  // The graph's constants must stay alive as long as the Executable; the Executable holds their
  // Storage. REQUIRES: every output is a ValueRef.
  virtual Result<std::unique_ptr<Executable>> compile(const Graph& graph) const = 0;
  // The same, for a graph whose identity (src/identity) is known: an engine may keep what it
  // compiled on disk under it and use that the next time. Trouble with what is kept is no error;
  // blob_report() has the reasons. REQUIRES: constants have the contents that `identity` says.
  virtual Result<std::unique_ptr<Executable>> compile_identified(
      const Graph& graph, const std::string& identity) const {
    (void)identity;
    return compile(graph);
  }
  // The nodes for which compile() would give Unsupported, in order. Errors: those that no choice of
  // engine mends (an index that is outside its dimension).
  virtual Result<std::vector<NodeRefusal>> refusals(const Graph& graph) const {
    (void)graph;
    return std::vector<NodeRefusal>();
  }
  virtual BlobReport blob_report() const { return {}; }
};

}  // namespace changeaware
