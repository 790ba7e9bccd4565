#include "tensor/buffer_pool.h"

#include <deque>
#include <mutex>
#include <new>
#include <vector>

namespace changeaware {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Block {
  std::byte* data;
  size_t bytes;
};

void free_block(const Block& block) { ::operator delete(block.data, kAlignment); }

class Pool {
 public:
  std::byte* take(size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      for (auto it = idle_.rbegin(); it != idle_.rend(); ++it) {  // the warmest first
        if (it->bytes != bytes) continue;
        std::byte* const data = it->data;
        idle_.erase(std::next(it).base());
        idle_bytes_ -= bytes;
        return data;
      }
    }
    return static_cast<std::byte*>(::operator new(bytes, kAlignment));
  }

  void give(const Block& block) {
    std::vector<Block> out;
    {
      const std::lock_guard lock(mutex_);
      idle_.push_back(block);
      idle_bytes_ += block.bytes;
      while (idle_bytes_ > kMostIdleBytes) out.push_back(pop_oldest());
    }
    for (const Block& b : out) free_block(b);
  }

  void release() {
    std::vector<Block> out;
    {
      const std::lock_guard lock(mutex_);
      while (!idle_.empty()) out.push_back(pop_oldest());
    }
    for (const Block& b : out) free_block(b);
  }

  size_t idle_bytes() {
    const std::lock_guard lock(mutex_);
    return idle_bytes_;
  }

 private:
  Block pop_oldest() {
    const Block block = idle_.front();
    idle_.pop_front();
    idle_bytes_ -= block.bytes;
    return block;
  }

  std::mutex mutex_;
  std::deque<Block> idle_;  // oldest first
  size_t idle_bytes_ = 0;
};

Pool& pool() {
  static Pool* const instance = new Pool;  // never destroyed: tensors may outlive main()
  return *instance;
}

}  // namespace

std::shared_ptr<std::byte> allocate_buffer(size_t bytes) {
  if (bytes < kLeastPooledBytes) {
    auto* data = static_cast<std::byte*>(::operator new(bytes, kAlignment));
    return {data, [](std::byte* p) { ::operator delete(p, kAlignment); }};
  }
  return {pool().take(bytes), [bytes](std::byte* p) { pool().give({p, bytes}); }};
}

void release_idle_buffers() { pool().release(); }

size_t idle_buffer_bytes() { return pool().idle_bytes(); }

}  // namespace changeaware
