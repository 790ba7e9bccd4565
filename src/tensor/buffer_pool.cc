#include "tensor/buffer_pool.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>

namespace changeaware {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Block {
  std::byte* data;
  size_t bytes;
};

void free_block(const Block& block) { ::operator delete(block.data, kAlignment); }

// By how much the bytes in use went up and down of late.
class Demand {
 public:
  void take(size_t bytes) {
    in_use_ += bytes;
    now_.high = std::max(now_.high, in_use_);
    if (++taken_ % kDemandWindow != 0) return;
    before_ = now_;
    now_ = {in_use_, in_use_};
  }
  void give(size_t bytes) {
    in_use_ -= bytes;
    now_.low = std::min(now_.low, in_use_);
  }
  size_t swing() const {
    return std::max(now_.high, before_.high) - std::min(now_.low, before_.low);
  }

 private:
  struct Range {
    size_t low = 0;
    size_t high = 0;
  };
  size_t in_use_ = 0;
  size_t taken_ = 0;
  Range now_, before_;
};

class Pool {
 public:
  std::byte* take(size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      demand_.take(bytes);
      for (auto it = idle_.rbegin(); it != idle_.rend(); ++it) {  // the warmest first
        if (it->bytes != bytes) continue;
        std::byte* const data = it->data;
        idle_.erase(std::next(it).base());
        idle_bytes_ -= bytes;
        return data;
      }
    }
    try {
      return allocate(bytes);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      demand_.give(bytes);
      throw;
    }
  }

  // What waits is given up before memory runs out.
  std::byte* allocate(size_t bytes) {
    try {
      return static_cast<std::byte*>(::operator new(bytes, kAlignment));
    } catch (const std::bad_alloc&) {
      if (!release()) throw;
    }
    return static_cast<std::byte*>(::operator new(bytes, kAlignment));
  }

  void give(const Block& block) noexcept {
    size_t most = 0;
    try {
      const std::lock_guard lock(mutex_);
      demand_.give(block.bytes);
      most = std::min(kMostIdleBytes, demand_.swing());
      idle_.push_back(block);
      idle_bytes_ += block.bytes;
    } catch (const std::bad_alloc&) {
      return free_block(block);
    }
    free_oldest(most);
  }

  // True when there was something.
  bool release() noexcept { return free_oldest(0); }

  size_t idle_bytes() {
    const std::lock_guard lock(mutex_);
    return idle_bytes_;
  }

 private:
  // Until at most `most` bytes wait. Freeing large blocks takes long, so others need not wait for
  // it.
  bool free_oldest(size_t most) noexcept {
    bool any = false;
    while (true) {
      Block block;
      {
        const std::lock_guard lock(mutex_);
        if (idle_bytes_ <= most || idle_.empty()) return any;
        block = idle_.front();
        idle_.pop_front();
        idle_bytes_ -= block.bytes;
      }
      free_block(block);
      any = true;
    }
  }

  std::mutex mutex_;
  std::deque<Block> idle_;  // oldest first
  size_t idle_bytes_ = 0;
  Demand demand_;
};

Pool& pool() {
  static Pool* const instance = new Pool;  // never destroyed: tensors may outlive main()
  return *instance;
}

}  // namespace

std::shared_ptr<std::byte> allocate_buffer(size_t bytes) {
  if (bytes < kLeastPooledBytes) {
    return {pool().allocate(bytes), [](std::byte* p) { ::operator delete(p, kAlignment); }};
  }
  return {pool().take(bytes), [bytes](std::byte* p) { pool().give({p, bytes}); }};
}

void release_idle_buffers() { pool().release(); }

size_t idle_buffer_bytes() { return pool().idle_bytes(); }

}  // namespace changeaware
