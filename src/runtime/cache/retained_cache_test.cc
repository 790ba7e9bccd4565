#include "runtime/cache/retained_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace changeaware {
namespace {

using ::testing::HasSubstr;
using Pin = RetainedCache::Pin;
using Key = RetainedCache::Key;

Tensor bytes(int64_t n) { return Tensor::empty(DType::kUInt8, {n}); }

// Stores n bytes under (region, version) and keeps the pin only when asked to.
Pin put(RetainedCache& cache, size_t region, const std::string& version, int64_t n,
        double cost_us = 100, bool only_exact_repeat = false) {
  std::string why;
  return cache.store({Key{region, version}, {bytes(n)}, cost_us, only_exact_repeat}, why);
}

bool has(RetainedCache& cache, size_t region, const std::string& version) {
  return static_cast<bool>(cache.find(Key{region, version}).pin);
}

TEST(RetainedCache, VersionsLiveSideBySide) {
  RetainedCache cache(100);
  put(cache, 0, "a", 40);
  put(cache, 0, "b", 40);
  EXPECT_TRUE(has(cache, 0, "a"));
  EXPECT_TRUE(has(cache, 0, "b"));
  EXPECT_FALSE(has(cache, 1, "a"));
  EXPECT_EQ(cache.stats().bytes, 80u);
}

TEST(RetainedCache, TheCheapestPerByteAndLeastRecentGoesFirst) {
  RetainedCache cache(100);
  put(cache, 0, "dear", 40, 1000);
  put(cache, 1, "cheap", 40, 10);
  put(cache, 2, "new", 40, 100);
  EXPECT_TRUE(has(cache, 0, "dear"));
  EXPECT_FALSE(has(cache, 1, "cheap"));
  EXPECT_EQ(cache.stats().evictions, 1u);
}

TEST(RetainedCache, AmongEqualsTheLeastRecentlyUsedGoes) {
  RetainedCache cache(100);
  put(cache, 0, "a", 50);
  put(cache, 0, "b", 50);
  cache.use(cache.find(Key{0, "a"}).pin);
  put(cache, 0, "c", 50);
  EXPECT_TRUE(has(cache, 0, "a"));
  EXPECT_FALSE(has(cache, 0, "b"));
}

TEST(RetainedCache, TheLargestEntriesAreListedAndAddUp) {
  RetainedCache cache(1000);
  EXPECT_TRUE(cache.largest(10).empty());
  put(cache, 1, "a", 40);
  put(cache, 2, "b", 300);
  put(cache, 1, "c", 60);
  cache.use(cache.find(Key{1, "c"}).pin);
  const auto all = cache.largest(10);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].region, 2u);
  EXPECT_EQ(all[1].uses, 2u);
  EXPECT_EQ(all[2].uses, 1u);
  EXPECT_NE(all[1].version, all[2].version);
  EXPECT_EQ(all[0].bytes + all[1].bytes + all[2].bytes, cache.stats().bytes);
  ASSERT_EQ(cache.largest(1).size(), 1u);
  EXPECT_EQ(cache.largest(1)[0].bytes, 300u);
}

TEST(RetainedCache, WhatIsForgottenIsNotFoundAndGoesWithItsLastPin) {
  RetainedCache cache(100);
  {
    const Pin pin = put(cache, 0, "a", 40);
    cache.forget(pin);
    EXPECT_FALSE(has(cache, 0, "a"));
    EXPECT_EQ(cache.stats().bytes, 40u);
    EXPECT_TRUE(cache.check_invariants());
  }
  EXPECT_EQ(cache.stats().bytes, 0u);
  EXPECT_TRUE(put(cache, 0, "a", 40));
}

TEST(RetainedCache, AgeOvertakesCost) {
  RetainedCache cache(100);
  put(cache, 0, "once dear", 50, 200);
  for (int i = 0; i < 10; ++i) put(cache, 1, std::to_string(i), 50, 100);
  EXPECT_FALSE(has(cache, 0, "once dear"));
}

TEST(RetainedCache, WhatOnlyAnExactRepeatUsesGoesFirst) {
  RetainedCache cache(100);
  put(cache, 0, "tower", 50, 1);
  put(cache, 1, "result", 50, 1e6, true);
  put(cache, 0, "tower 2", 50, 1);
  EXPECT_TRUE(has(cache, 0, "tower"));
  EXPECT_FALSE(has(cache, 1, "result"));
}

TEST(RetainedCache, ARegionKeepsTheLatestEightExactRepeats) {
  RetainedCache cache(1 << 20);
  for (int i = 0; i < 20; ++i) {
    put(cache, 0, std::to_string(i), 10, 100, true);
    put(cache, 1, std::to_string(i), 10, 100, false);
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(has(cache, 0, std::to_string(i)), i >= 12) << i;
    EXPECT_TRUE(has(cache, 1, std::to_string(i)));
  }
  EXPECT_TRUE(cache.check_invariants());
}

TEST(RetainedCache, APinnedEntryStays) {
  RetainedCache cache(100);
  Pin pin = put(cache, 0, "a", 60);
  std::string why;
  EXPECT_FALSE(cache.store({Key{0, "b"}, {bytes(60)}, 1e9, false}, why));
  EXPECT_THAT(why, HasSubstr("no room for 60 bytes"));
  pin.reset();
  EXPECT_TRUE(cache.store({Key{0, "b"}, {bytes(60)}, 1, false}, why));
  EXPECT_FALSE(has(cache, 0, "a"));
}

TEST(RetainedCache, NothingIsEvictedInVain) {
  RetainedCache cache(100);
  Pin pin = put(cache, 0, "pinned", 60);
  put(cache, 1, "small", 40);
  std::string why;
  EXPECT_FALSE(cache.store({Key{2, "big"}, {bytes(50)}, 1e9, false}, why));
  EXPECT_TRUE(has(cache, 1, "small"));
}

TEST(RetainedCache, WhatIsLargerThanTheBudgetIsNotKeptAndSaysSo) {
  RetainedCache cache(100);
  put(cache, 0, "a", 100);
  std::string why;
  EXPECT_FALSE(cache.store({Key{0, "b"}, {bytes(101)}, 1, false}, why));
  EXPECT_EQ(why, "101 bytes are more than the budget of 100");
  EXPECT_TRUE(has(cache, 0, "a"));
  RetainedCache none(0);
  EXPECT_FALSE(none.store({Key{0, "a"}, {bytes(1)}, 1, false}, why));
  EXPECT_TRUE(none.check_invariants());
}

TEST(RetainedCache, WhatIsUsedOftenOutlivesWhatWasUsedOnce) {
  RetainedCache cache(100);
  put(cache, 0, "often", 50, 100);
  for (int i = 0; i < 5; ++i) cache.use(cache.find(Key{0, "often"}).pin);
  put(cache, 0, "once", 50, 200);
  put(cache, 0, "new", 50, 100);
  EXPECT_TRUE(has(cache, 0, "often"));
  EXPECT_FALSE(has(cache, 0, "once"));
}

TEST(RetainedCache, AnEntryIsFoundByEveryKeyOfItsAndCountsOnce) {
  RetainedCache cache(100);
  const Pin pin = put(cache, 0, "a", 40);
  cache.add_key(pin, Key{0, "b"});
  EXPECT_EQ(cache.find(Key{0, "b"}).pin.outputs()[0].data(), pin.outputs()[0].data());
  EXPECT_EQ(cache.stats().entries, 1u);
  EXPECT_EQ(cache.stats().bytes, 40u);
  EXPECT_TRUE(cache.check_invariants());
}

TEST(RetainedCache, AKeyThatLeadsSomewhereStaysThere) {
  RetainedCache cache(100);
  const Pin a = put(cache, 0, "a", 40);
  const Pin b = put(cache, 0, "b", 40);
  cache.add_key(b, Key{0, "a"});
  EXPECT_EQ(cache.find(Key{0, "a"}).pin.outputs()[0].data(), a.outputs()[0].data());
}

TEST(RetainedCache, OldKeysOfAnEntryAreForgotten) {
  RetainedCache cache(100);
  const Pin pin = put(cache, 0, "first", 40);
  for (int i = 0; i < 100; ++i) cache.add_key(pin, Key{0, std::to_string(i)});
  EXPECT_FALSE(has(cache, 0, "first"));
  EXPECT_TRUE(has(cache, 0, "99"));
  EXPECT_TRUE(cache.check_invariants());
}

TEST(RetainedCache, AnEntryMayHoldSomeOutputsAndGrow) {
  RetainedCache cache(100);
  std::string why;
  const Key key{0, "a"};
  cache.store({key, {bytes(30), Tensor()}, 1, false}, why);
  EXPECT_EQ(cache.stats().bytes, 30u);
  EXPECT_FALSE(cache.find(key).pin.outputs()[1].defined());
  cache.store({key, {Tensor(), bytes(50)}, 1, false}, why);
  const auto found = cache.find(key);
  EXPECT_EQ(found.pin.outputs()[0].size_bytes(), 30u);
  EXPECT_EQ(found.pin.outputs()[1].size_bytes(), 50u);
  EXPECT_EQ(cache.stats().bytes, 80u);
  EXPECT_EQ(cache.stats().entries, 1u);
}

TEST(RetainedCache, AnEntryThatSomebodyReadsDoesNotChange) {
  RetainedCache cache(100);
  std::string why;
  const Key key{0, "a"};
  const Pin reader = cache.store({key, {bytes(30), Tensor()}, 1, false}, why);
  EXPECT_FALSE(cache.store({key, {Tensor(), bytes(50)}, 1, false}, why));
  EXPECT_THAT(why, HasSubstr("another request is reading"));
  EXPECT_FALSE(reader.outputs()[1].defined());
}

TEST(RetainedCache, RemembersWhatHadToMakeRoom) {
  RetainedCache cache(100);
  put(cache, 0, "a", 60);
  EXPECT_FALSE(cache.find(Key{0, "b"}).was_evicted);
  put(cache, 0, "b", 60);
  EXPECT_TRUE(cache.find(Key{0, "a"}).was_evicted);
  EXPECT_FALSE(cache.find(Key{1, "a"}).was_evicted);
}

TEST(RetainedCache, ALoweredBudgetEvictsAtOnceWhatIsNotPinned) {
  RetainedCache cache(100);
  Pin pinned = put(cache, 0, "pinned", 40, 1);
  put(cache, 0, "free", 40, 100);
  cache.set_budget(50);
  EXPECT_EQ(cache.stats().bytes, 80u);  // the cheaper one goes when it is released
  pinned.reset();
  EXPECT_EQ(cache.stats().bytes, 40u);
  EXPECT_TRUE(has(cache, 0, "free"));
  cache.set_budget(10);
  EXPECT_EQ(cache.stats().bytes, 0u);
  EXPECT_TRUE(cache.check_invariants());
}

TEST(RetainedCache, StoringTwiceCountsOnce) {
  RetainedCache cache(100);
  const Pin first = put(cache, 0, "a", 30);
  const Pin second = put(cache, 0, "a", 30);
  EXPECT_EQ(cache.stats().bytes, 30u);
  EXPECT_EQ(first.outputs()[0].data(), second.outputs()[0].data());
}

TEST(RetainedCache, ClearLeavesWhatIsPinnedUntilItIsReleased) {
  RetainedCache cache(100);
  Pin pin = put(cache, 0, "a", 30);
  put(cache, 0, "b", 30);
  cache.clear();
  EXPECT_FALSE(has(cache, 0, "a"));
  EXPECT_EQ(cache.stats().bytes, 30u);
  pin.reset();
  EXPECT_EQ(cache.stats().bytes, 0u);
  EXPECT_TRUE(cache.check_invariants());
}

TEST(RetainedCache, EntriesWithoutTensorsCountToo) {
  RetainedCache cache(1000);
  std::string why;
  for (int i = 0; i < 100; ++i) cache.store({Key{0, std::to_string(i)}, {}, 1, false}, why);
  EXPECT_LE(cache.stats().bytes, 1000u);
  EXPECT_LT(cache.stats().entries, 100u);
  EXPECT_TRUE(cache.check_invariants());
}

TEST(RetainedCache, InvariantsHoldOverRandomHistories) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    RetainedCache cache(1000);
    std::vector<Pin> pins;
    for (int step = 0; step < 2000; ++step) {
      const size_t region = random() % 4;
      const std::string version = std::to_string(random() % 8);
      switch (random() % 8) {
        case 6:
          if (Pin pin = cache.find(Key{region, version}).pin)
            cache.add_key(pin, Key{region, "alias " + std::to_string(random() % 40)});
          break;
        case 7:
          if (random() % 50 == 0) cache.set_budget(500 + random() % 500);
          break;
        case 0: pins.push_back(cache.find(Key{region, version}).pin); break;
        case 1:
          if (!pins.empty()) pins.erase(pins.begin() + random() % pins.size());
          break;
        case 2:
          if (random() % 50 == 0) cache.clear();
          break;
        default: put(cache, region, version, random() % 400, random() % 1000, random() % 2);
      }
      if (pins.size() > 3) pins.clear();
      ASSERT_TRUE(cache.check_invariants()) << seed << " " << step;
      ASSERT_LE(cache.stats().peak_bytes, 1000u);
    }
    pins.clear();
    cache.clear();
    ASSERT_EQ(cache.stats().bytes, 0u);
  }
}

TEST(RetainedCache, ManyThreadsKeepTheInvariants) {
  RetainedCache cache(5000);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 2000; ++i) {
        const Key key{random() % 3, std::to_string(random() % 20)};
        if (Pin pin = cache.find(key).pin) {
          cache.use(pin);
        } else {
          std::string why;
          const Pin stored =
              cache.store({key, {bytes(static_cast<int64_t>(random() % 900))}, 5, false}, why);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(cache.check_invariants());
}

}  // namespace
}  // namespace changeaware
