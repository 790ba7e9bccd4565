#include "end_to_end/failing_allocations.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

// Set by the linker.
extern "C" const char __executable_start;
extern "C" const char etext;

namespace changeaware::testing {
namespace {

constexpr int kNever = -1;
constexpr int kHasFailed = -2;

thread_local int countdown_of_thread = kNever;

// Whether this allocation, wanted at `caller`, is to fail.
bool is_to_fail(const void* caller) {
  if (countdown_of_thread < 0) return false;
  const auto at = reinterpret_cast<uintptr_t>(caller);
  if (at < reinterpret_cast<uintptr_t>(&__executable_start) ||
      at >= reinterpret_cast<uintptr_t>(&etext)) {
    return false;
  }
  if (countdown_of_thread-- > 0) return false;
  countdown_of_thread = kHasFailed;
  return true;
}

void* allocate(size_t bytes, size_t alignment, const void* caller) {
  void* data = nullptr;
  if (is_to_fail(caller) ||
      posix_memalign(&data, std::max(alignment, sizeof(void*)), std::max<size_t>(bytes, 1)) != 0) {
    throw std::bad_alloc();
  }
  return data;
}

}  // namespace

FailingAllocation::FailingAllocation(int countdown) { countdown_of_thread = countdown; }
FailingAllocation::~FailingAllocation() { countdown_of_thread = kNever; }
bool FailingAllocation::has_failed() const { return countdown_of_thread == kHasFailed; }

}  // namespace changeaware::testing

// The other forms call these. They replace those of the whole program.
void* operator new(size_t bytes) {
  return changeaware::testing::allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                                        __builtin_return_address(0));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return changeaware::testing::allocate(bytes, static_cast<size_t>(alignment),
                                        __builtin_return_address(0));
}
// Sanitizers have forms of their own for these.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  void* data = nullptr;
  return posix_memalign(&data, __STDCPP_DEFAULT_NEW_ALIGNMENT__, std::max<size_t>(bytes, 1)) == 0
             ? data
             : nullptr;
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, size_t, std::align_val_t) noexcept { std::free(data); }
