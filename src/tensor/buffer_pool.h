// BufferPool: memory of large tensors, used again while it is warm.
//
// An allocator gives large blocks back to the system at once, and fresh pages cost as much as
// copying into them. Here a freed block waits for the next tensor of its size, the longest idle
// goes first. Together those that wait take at most `kMostIdleBytes`, and no more than by how much
// the bytes in use went up and down of late: many requests at once need many blocks again and
// again, while what is only ever added to needs none. When memory runs out, what waits is given
// back first. Thread safety: every function may be called concurrently.
#pragma once

#include <cstddef>
#include <memory>

namespace changeaware {

inline constexpr size_t kLeastPooledBytes = size_t{1} << 20;
inline constexpr size_t kMostIdleBytes = size_t{256} << 20;
// "Of late": this many blocks taken, and as many before them.
inline constexpr size_t kDemandWindow = 64;

// 64-byte aligned, uninitialised; `bytes` may be 0. The memory is pooled from kLeastPooledBytes on.
std::shared_ptr<std::byte> allocate_buffer(size_t bytes);
// Gives what waits back to the system.
void release_idle_buffers();
size_t idle_buffer_bytes();

}  // namespace changeaware
