#include "tensor/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "changeaware/tensor.h"

namespace changeaware {
namespace {

constexpr size_t kLarge = size_t{8} << 20;

TEST(BufferPool, ALargeBlockIsUsedAgainByTheNextOfItsSize) {
  release_idle_buffers();
  auto first = allocate_buffer(kLarge);
  const std::byte* const address = first.get();
  first.reset();
  EXPECT_EQ(idle_buffer_bytes(), kLarge);
  const auto other = allocate_buffer(kLarge + 64);
  EXPECT_NE(other.get(), address) << "another size is another block";
  const auto second = allocate_buffer(kLarge);
  EXPECT_EQ(second.get(), address);
  EXPECT_NE(allocate_buffer(kLarge).get(), address) << "one that is in use is not handed out";
}

TEST(BufferPool, WhatWaitsIsBounded) {
  release_idle_buffers();
  {
    std::vector<std::shared_ptr<std::byte>> blocks;
    for (int i = 0; i < 20; ++i) blocks.push_back(allocate_buffer(kLarge));
    EXPECT_EQ(idle_buffer_bytes(), 0u);
  }
  EXPECT_LE(idle_buffer_bytes(), kMostIdleBytes);
  EXPECT_GT(idle_buffer_bytes(), 0u);
  release_idle_buffers();
  EXPECT_EQ(idle_buffer_bytes(), 0u);
}

// Takes and gives back `count` blocks of `bytes` at once.
void burst(size_t count, size_t bytes) {
  std::vector<std::shared_ptr<std::byte>> blocks;
  while (blocks.size() < count) blocks.push_back(allocate_buffer(bytes));
}

TEST(BufferPool, WhatWaitsFollowsTheDemand) {
  constexpr size_t kBlock = kLeastPooledBytes;
  for (size_t i = 0; i < 2 * kDemandWindow; ++i) burst(1, kBlock);
  EXPECT_EQ(idle_buffer_bytes(), kBlock);
  burst(10, kBlock);
  EXPECT_EQ(idle_buffer_bytes(), 10 * kBlock) << "ten at once are needed again";
  for (size_t i = 0; i < 2 * kDemandWindow; ++i) burst(1, kBlock);
  EXPECT_EQ(idle_buffer_bytes(), kBlock) << "but not for ever";
}

TEST(BufferPool, WhatIsOnlyAddedToLeavesNothingWaiting) {
  constexpr size_t kBlock = kLeastPooledBytes;
  release_idle_buffers();
  std::vector<std::shared_ptr<std::byte>> kept;
  while (kept.size() < 2 * kDemandWindow) {
    burst(1, kBlock);
    kept.push_back(allocate_buffer(kBlock));
    EXPECT_LE(idle_buffer_bytes(), kBlock);
  }
}

TEST(BufferPool, SmallBlocksDoNotWait) {
  release_idle_buffers();
  allocate_buffer(kLeastPooledBytes - 1).reset();
  EXPECT_NE(allocate_buffer(0), nullptr);
  EXPECT_EQ(idle_buffer_bytes(), 0u);
}

TEST(BufferPool, BlocksAreAligned) {
  for (size_t bytes : {size_t{1}, size_t{65}, kLeastPooledBytes, kLarge + 1})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(allocate_buffer(bytes).get()) % 64, 0u) << bytes;
}

TEST(BufferPool, ManyThreadsNeverShareABlock) {
  std::vector<std::thread> threads;
  for (unsigned char t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        const Tensor tensor = Tensor::empty(DType::kUInt8, {static_cast<int64_t>(kLarge / 4)});
        tensor.mutable_data()[0] = static_cast<std::byte>(t);
        tensor.mutable_data()[tensor.size_bytes() - 1] = static_cast<std::byte>(t);
        std::this_thread::yield();
        ASSERT_EQ(tensor.data()[0], static_cast<std::byte>(t));
        ASSERT_EQ(tensor.data()[tensor.size_bytes() - 1], static_cast<std::byte>(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace changeaware
