#include "identity/interner.h"

#include <gtest/gtest.h>

namespace changeaware {
namespace {

TEST(RegionInterner, EqualBytesHaveOneNumber) {
  RegionInterner interner;
  EXPECT_EQ(interner.intern("a"), 0u);
  EXPECT_EQ(interner.intern("b"), 1u);
  EXPECT_EQ(interner.intern("a"), 0u);
  EXPECT_EQ(interner.size(), 2u);
  EXPECT_EQ(interner.canonical(1), "b");
}

TEST(RegionInterner, ACollisionOfDigestsKeepsRegionsApart) {
  RegionInterner interner([](std::span<const std::byte>) { return Digest{}; });
  EXPECT_EQ(interner.intern("a"), 0u);
  EXPECT_EQ(interner.intern("b"), 1u);
  EXPECT_EQ(interner.intern("a "), 2u);
  EXPECT_EQ(interner.intern("b"), 1u);
  EXPECT_EQ(interner.intern("a"), 0u);
  EXPECT_EQ(interner.size(), 3u);
}

}  // namespace
}  // namespace changeaware
