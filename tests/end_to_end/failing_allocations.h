// Memory that runs out at a chosen moment.
#pragma once

namespace changeaware::testing {

// While it exists, the allocation number `countdown` (from 0) that this thread makes throws
// std::bad_alloc, once. Counted are those of this program's own code through operator new, not
// those inside shared libraries: what these do with exceptions is not tested here.
class FailingAllocation {
 public:
  explicit FailingAllocation(int countdown);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  bool has_failed() const;
};

}  // namespace changeaware::testing
