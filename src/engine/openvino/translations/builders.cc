#include "engine/openvino/translations/builders.h"

namespace changeaware::ovn {

std::vector<int64_t> reduced_dims(const OpContext& context, std::string_view name, size_t rank) {
  std::vector<int64_t> dims;
  if (context.has(name)) dims = context.integers(name);
  if (dims.empty()) {
    for (size_t d = 0; d < rank; ++d) dims.push_back(static_cast<int64_t>(d));
  }
  for (int64_t& d : dims) d = wrap_dim(d, rank);
  if (rank == 0) dims.clear();
  return dims;
}

}  // namespace changeaware::ovn
