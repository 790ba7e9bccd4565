#include "compiler/share_storages.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace changeaware {
namespace {

bool same_bytes(const Storage& a, const Storage& b) {
  if (a.data() == b.data()) return true;
  // Different weights differ in their first bytes, so this reads little.
  return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

}  // namespace

void share_equal_storages(Graph& graph) {
  std::map<std::pair<size_t, DType>, std::vector<std::shared_ptr<Storage>>> known;
  for (size_t i = 0; i < graph.constants().size(); ++i) {
    const Tensor& tensor = graph.constants()[i].tensor;
    const std::shared_ptr<Storage>& own = tensor.storage();
    auto& candidates = known[{own->bytes(), tensor.dtype()}];
    const auto first = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const auto& other) { return same_bytes(*own, *other); });
    if (first == candidates.end()) {
      candidates.push_back(own);
    } else if (*first != own) {
      auto shared = Tensor::view(tensor.dtype(), tensor.shape(), tensor.strides(),
                                 tensor.storage_offset(), *first);
      // It fits: the storage has as many bytes as the one before.
      if (shared.ok()) graph.set_constant_tensor(i, *std::move(shared));
    }
  }
}

}  // namespace changeaware
