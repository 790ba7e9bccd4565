// TaggedValues: which versions of tagged inputs hold what the fast engine does not compute. Their
// bytes are read once for that; later requests with the tag do not read them.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/request.h"

namespace changeaware {

// Thread safety: check() may be called concurrently.
class TaggedValues {
 public:
  // check_values() of the tensor, or what it said of an earlier one with this version.
  Status check(const std::string& input, const InputState& state);

 private:
  using Key = std::pair<std::string, Version>;
  static constexpr size_t kMost = 1024;  // those that were seen longest ago are read again

  std::mutex mutex_;
  std::map<Key, Status> known_;
  std::deque<Key> by_age_;
};

}  // namespace changeaware
