#include "strategy/change_sets.h"

#include <algorithm>
#include <set>

namespace changeaware {

std::vector<InputSet> all_change_sets(size_t input_count) {
  std::vector<InputSet> out;
  for (uint64_t bits = 0; bits < uint64_t{1} << input_count; ++bits) {
    out.emplace_back(input_count, bits);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const InputSet& a, const InputSet& b) { return a.count() < b.count(); });
  return out;
}

std::vector<InputSet> covering_change_sets(size_t input_count) {
  const InputSet none(input_count);
  std::vector<InputSet> candidates = {none};
  for (size_t i = 0; i < input_count; ++i) candidates.push_back(InputSet(none).set(i));
  for (size_t i = 0; i < input_count; ++i) candidates.push_back(~InputSet(none).set(i));
  candidates.push_back(~none);
  std::vector<InputSet> out;
  std::set<InputSet> seen;
  for (InputSet& set : candidates) {
    if (seen.insert(set).second) out.push_back(std::move(set));
  }
  return out;
}

}  // namespace changeaware
