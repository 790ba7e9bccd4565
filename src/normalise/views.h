// Writing through views: what the base becomes when elements of a view of it change.
#pragma once

#include "graph/graph.h"
#include "normalise/rewriter.h"

namespace changeaware {

// One view of a base, in terms of the new graph.
struct ViewWrite {
  const Node& view;       // operator and arguments (of the new graph, but for the base)
  size_t result = 0;      // which result of the node
  ValueId base = kNoId;   // the base's content before the write
  ValueId value = kNoId;  // what the view is to contain
};

// Emits the base's content after the write. Unsupported, naming the view's node and operator, when
// a write through this view is not known to be expressible (expand, as_strided, unfold, …).
Result<ValueId> write_through(Rewriter& rewriter, const ViewWrite& write);

}  // namespace changeaware
