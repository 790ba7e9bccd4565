#include "regions/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"

namespace changeaware {
namespace {

using ::testing::HasSubstr;

struct Cut {
  Graph graph;
  Partition partition;
};

Cut cut(const char* text, const PartitionOptions& options) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  auto dependencies = analyse_dependencies(*graph);
  EXPECT_TRUE(dependencies.ok()) << dependencies.status().to_string();
  auto partition = make_partition(*graph, *dependencies, options);
  EXPECT_TRUE(partition.ok()) << partition.status().to_string();
  return {std::move(*graph), std::move(*partition)};
}

constexpr PartitionOptions kExact{.tiny_us = 0, .split_us = 1e12};

constexpr const char* kTwoTowers = R"(graph(%img: f32[4], %txt: f32[4]) {
  %w = constant f32[4] {1, 2, 3, 4}
  %i1: f32[4] = aten.mul.Tensor(%img, %w)
  %t1: f32[4] = aten.add.Tensor(%txt, %w)
  %i2: f32[4] = aten.relu.default(%i1)
  %t2: f32[4] = aten.relu.default(%t1)
  %s: f32[4] = aten.mul.Tensor(%i2, %t2)
  %o: f32[4] = aten.add.Tensor(%s, %i1)
  return (%o)
})";

TEST(Partition, HasOneSegmentPerClassWithCompletePorts) {
  const Cut c = cut(kTwoTowers, kExact);
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_img: 2 nodes (img) -> (i1, i2)\n"
            "segment_txt: 2 nodes (txt) -> (t2)\n"
            "segment_img+txt: 2 nodes (i1, i2, t2) -> (o)\n");
}

TEST(Partition, ATinySegmentWithOneReaderIsMergedAndSaysSo) {
  const Cut c = cut(kTwoTowers, {.tiny_us = 20, .split_us = 1e12});
  EXPECT_EQ(dump(c.graph, c.partition), "segment_img+txt: 6 nodes (img, txt) -> (o)\n");
  ASSERT_EQ(c.partition.merged.size(), 2u);
  EXPECT_EQ(c.partition.merged[0].into, "segment_img+txt");
  EXPECT_THAT(c.partition.merged[0].reason, HasSubstr("less than the 20 us of a call"));
}

TEST(Partition, AContractionIsNeverTooSmallForItsOwnSegment) {
  const Cut c = cut(R"(graph(%img: f32[1, 4], %txt: f32[1, 4]) {
    %w = constant f32[4, 4] "w"
    %i: f32[1, 4] = aten.linear.default(%img, %w)
    %t: f32[1, 4] = aten.relu.default(%txt)
    %o: f32[1, 4] = aten.add.Tensor(%i, %t)
    return (%o)
  })",
                    {.tiny_us = 20, .split_us = 1e12});
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_img: 1 nodes (img) -> (i)\n"
            "segment_img+txt: 2 nodes (txt, i) -> (o)\n");
}

TEST(Partition, ConstantArithmeticIsCopiedToItsReadersAndNeverRetained) {
  const Cut c = cut(R"(graph(%a: f32[4], %b: f32[4]) {
    %w = constant f32[4] {1, 2, 3, 4}
    %m: f32[4] = aten.neg.default(%w)
    %x: f32[4] = aten.add.Tensor(%a, %m)
    %y: f32[4] = aten.add.Tensor(%b, %m)
    return (%x, %y)
  })",
                    kExact);
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_a: 2 nodes (a) -> (x)\n"
            "segment_b: 2 nodes (b) -> (y)\n");
}

TEST(Partition, AReturnedConstantResultIsItsOwnSegment) {
  const Cut c = cut(R"(graph(%a: f32[4]) {
    %w = constant f32[4] {1, 2, 3, 4}
    %m: f32[4] = aten.neg.default(%w)
    %x: f32[4] = aten.add.Tensor(%a, %m)
    return (%x, %m, %w, %a)
  })",
                    kExact);
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_constant: 1 nodes () -> (m)\n"
            "segment_a: 2 nodes (a) -> (x)\n");
}

TEST(Partition, ASizeGetsASegmentThatDependsOnTheShapeOnly) {
  const Cut c = cut(R"(graph(%x: f32[s0, 4], %y: f32[4]) {
    %n: sym(s0) = aten.sym_size.int(%x, 0)
    %z: f32[s0, 4] = aten.full.default([%n, 4], 1.0)
    %p: f32[s0, 4] = aten.add.Tensor(%z, %y)
    %q: f32[s0, 4] = aten.add.Tensor(%p, %x)
    return (%q)
  })",
                    kExact);
  ASSERT_EQ(c.partition.segments.size(), 3u);
  const Segment& shape = c.partition.segments[0];
  EXPECT_EQ(shape.name, "segment_shape_of_x");
  EXPECT_TRUE(shape.dependencies.none());
  EXPECT_EQ(members(shape.shape_dependencies), (std::vector<size_t>{0}));
  const Segment& mixed = c.partition.segments[1];
  EXPECT_EQ(members(mixed.dependencies), (std::vector<size_t>{1}));
  EXPECT_EQ(members(mixed.shape_dependencies), (std::vector<size_t>{0}));
}

TEST(Partition, AClassIsSplitByTheOutputsThatNeedItWhenThatIsWorthACall) {
  constexpr const char* kHeads = R"(graph(%x: f32[512, 512]) {
    %a: f32[512, 512] = aten.mm.default(%x, %x)
    %b: f32[512, 512] = aten.mm.default(%a, %x)
    %c: f32[512, 512] = aten.mm.default(%a, %a)
    return (%b, %c)
  })";
  const Cut split = cut(kHeads, {.tiny_us = 0, .split_us = 1000});
  EXPECT_EQ(dump(split.graph, split.partition),
            "segment_x: 1 nodes (x) -> (a)\n"
            "segment_x_2: 1 nodes (x, a) -> (b)\n"
            "segment_x_3: 1 nodes (a) -> (c)\n");
  const Cut whole = cut(kHeads, {.tiny_us = 0, .split_us = 1e6});
  EXPECT_EQ(whole.partition.segments.size(), 1u);
}

TEST(Partition, AnAssertionBelongsToTheSegmentThatDecidesIt) {
  const Cut c = cut(R"(graph(%a: f32[4], %b: f32[4]) {
    %p: bool[4] = aten.gt.Scalar(%b, 0)
    %ok: bool[] = aten.all.default(%p)
    %x: f32[4] = aten.mul.Scalar(%a, 2)
    assert %ok "b > 0"
    return (%x)
  })",
                    {});
  ASSERT_EQ(c.partition.segments.size(), 2u);
  EXPECT_EQ(c.partition.segments[0].name, "segment_b");
  EXPECT_EQ(c.partition.segments[0].assertions, (std::vector<size_t>{0}));
  EXPECT_TRUE(c.partition.segments[0].outputs.empty());
}

TEST(VerifyPartition, NamesWhatIsBroken) {
  Cut c = cut(kTwoTowers, kExact);
  const Dependencies d = *analyse_dependencies(c.graph);
  Partition lacking = c.partition;
  lacking.segments[2].inputs.pop_back();
  EXPECT_THAT(verify_partition(c.graph, d, lacking).message(), HasSubstr("lacks the port 't2'"));
  Partition twice = c.partition;
  twice.segments[1].nodes.insert(twice.segments[1].nodes.begin(), 0);
  twice.segments[1].inputs.push_back(c.graph.find_value("img"));
  twice.segments[1].dependencies.set(0);
  EXPECT_THAT(verify_partition(c.graph, d, twice).message(), HasSubstr("'i1' is in two segments"));
  Partition order = c.partition;
  std::swap(order.segments[0], order.segments[2]);
  EXPECT_THAT(verify_partition(c.graph, d, order).message(),
              HasSubstr("which no earlier segment gives"));
  Partition dropped = c.partition;
  dropped.segments.erase(dropped.segments.begin() + 1);
  EXPECT_FALSE(verify_partition(c.graph, d, dropped).ok());
  Partition blind = c.partition;
  blind.segments[0].dependencies.reset();
  EXPECT_THAT(verify_partition(c.graph, d, blind).message(),
              HasSubstr("reads 'img' and does not depend on it"));
  Partition narrow = c.partition;
  narrow.segments[2].dependencies.reset(0);
  EXPECT_THAT(verify_partition(c.graph, d, narrow).message(), HasSubstr("depends on more than"));
}

}  // namespace
}  // namespace changeaware
