// Writes sample inputs as torch.save does: a zip archive with a protocol 2 pickle of (args,
// kwargs).
#pragma once

#include <string>
#include <vector>

#include "changeaware/tensor.h"
#include "graph/argument.h"
#include "pt2/treespec.h"

namespace changeaware {

// One leaf of the inputs: a tensor, or the number, text or None that was fixed at export.
struct SampleLeaf {
  Tensor tensor;      // when defined()
  Argument constant;  // None, bool, int64_t, double, std::string otherwise
};

// `leaves` in the order of `in_spec`. Unsupported for nesting other than tuples, lists and
// dictionaries, and for dtypes without a storage class.
Result<std::string> write_sample_archive(const TreeSpec& in_spec,
                                         const std::vector<SampleLeaf>& leaves);

}  // namespace changeaware
