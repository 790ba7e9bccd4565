// InputSet: a set of program inputs, of any number.
#pragma once

#include <boost/dynamic_bitset.hpp>

#include <string>
#include <vector>

namespace changeaware {

// Bit i = Graph::inputs()[i]. All sets of one program have the same size.
using InputSet = boost::dynamic_bitset<uint64_t>;

// Positions of the members, increasing.
inline std::vector<size_t> members(const InputSet& set) {
  std::vector<size_t> out;
  for (size_t i = set.find_first(); i != InputSet::npos; i = set.find_next(i)) out.push_back(i);
  return out;
}

}  // namespace changeaware
