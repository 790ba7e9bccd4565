// Guards: conditions on run-time integers without which an operator is an error in PyTorch, while
// OpenVINO answers with some row or number: an index outside its dimension, a zero divisor.
//
// The executable checks them on the tensor itself: an index that is an input of the region is read
// before the call, any other one comes out of the call as a hidden output. Indices that are
// constants are checked here, once.
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace changeaware::ovn {

struct Guard {
  enum class Kind : uint8_t { kIndex, kDivisor };
  Kind kind = Kind::kIndex;
  ValueId value = kNoId;  // integers of any shape
  std::string node, op;   // for messages
  // kIndex: legal are [negative_legal ? -n : 0, n), n being the size of a dimension of `indexed`.
  ValueId indexed = kNoId;
  size_t dim = 0;
  bool negative_legal = false;
};

// InvalidProgram when a constant violates its guard.
Result<std::vector<Guard>> find_guards(const Graph& graph);

// InvalidArgument naming node, operator and the offending value. `extent` is n.
Status check_guard(const Guard& guard, const Tensor& values, int64_t extent);

}  // namespace changeaware::ovn
