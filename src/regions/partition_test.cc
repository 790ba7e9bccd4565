#include "regions/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"

namespace changeaware {
namespace {

using ::testing::HasSubstr;

struct Made {
  Graph graph;
  Partition partition;
};

Made cut(const char* text, const PartitionOptions& options) {
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
  const Made c = cut(kTwoTowers, kExact);
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_img: 2 nodes (img) -> (i1, i2)\n"
            "segment_txt: 2 nodes (txt) -> (t2)\n"
            "segment_img+txt: 2 nodes (i1, i2, t2) -> (o)\n");
}

TEST(Partition, ATinySegmentWithOneReaderIsMergedAndSaysSo) {
  const Made c = cut(kTwoTowers, {.tiny_us = 20, .split_us = 1e12});
  EXPECT_EQ(dump(c.graph, c.partition), "segment_img+txt: 6 nodes (img, txt) -> (o)\n");
  ASSERT_EQ(c.partition.merged.size(), 2u);
  EXPECT_EQ(c.partition.merged[0].into, "segment_img+txt");
  EXPECT_THAT(c.partition.merged[0].reason, HasSubstr("less than the 20 us of a call"));
}

TEST(Partition, AContractionIsNeverTooSmallForItsOwnSegment) {
  const Made c = cut(R"(graph(%img: f32[1, 4], %txt: f32[1, 4]) {
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
  const Made c = cut(R"(graph(%a: f32[4], %b: f32[4]) {
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
  const Made c = cut(R"(graph(%a: f32[4]) {
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
  const Made c = cut(R"(graph(%x: f32[s0, 4], %y: f32[4]) {
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
  const Made split = cut(kHeads, {.tiny_us = 0, .split_us = 1000});
  EXPECT_EQ(dump(split.graph, split.partition),
            "segment_x: 1 nodes (x) -> (a)\n"
            "segment_x_2: 1 nodes (x, a) -> (b)\n"
            "segment_x_3: 1 nodes (a) -> (c)\n");
  const Made whole = cut(kHeads, {.tiny_us = 0, .split_us = 1e6});
  EXPECT_EQ(whole.partition.segments.size(), 1u);
}

TEST(Partition, AnAssertionBelongsToTheSegmentThatDecidesIt) {
  const Made c = cut(R"(graph(%a: f32[4], %b: f32[4]) {
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

// img is squeezed to 8 elements in the middle; 100 us per node.
constexpr const char* kHourglass = R"(graph(%img: f32[100], %txt: f32[4]) {
  %a: f32[100] = aten.sin.default(%img)
  %b: f32[8] = aten.cos.default(%a)
  %c: f32[100] = aten.sin.default(%b)
  %t: f32[4] = aten.sin.default(%txt)
  %o: f32[4] = aten.add.Tensor(%c, %t)
  return (%o)
})";

PartitionOptions sliced(size_t nodes) {
  PartitionOptions options = kExact;
  options.node_us.assign(nodes, 100);
  options.cuts.min_saved_bytes = 64;
  return options;
}

TEST(Slices, AClassIsCutWhereItIsThin) {
  const Made c = cut(kHourglass, sliced(5));
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_img: 2 nodes (img) -> (b)\n"
            "segment_img_2: 1 nodes (b) -> (c)\n"
            "segment_txt: 1 nodes (txt) -> (t)\n"
            "segment_img+txt: 1 nodes (c, t) -> (o)\n");
  ASSERT_EQ(c.partition.classes.size(), 2u);
  const SlicedClass& img = c.partition.classes[0];
  EXPECT_EQ(img.name, "img");
  EXPECT_EQ(img.segments, (std::vector<uint32_t>{0, 1}));
  ASSERT_EQ(img.cuts.size(), 3u);
  EXPECT_EQ(img.cuts[1].retained, (std::vector<ValueId>{c.graph.find_value("b")}));
  EXPECT_EQ(img.cuts[1].retained_bytes, 32u);
  EXPECT_DOUBLE_EQ(img.cuts[1].recompute_us, 100);
  EXPECT_EQ(img.cuts[2].retained_bytes, 400u);
  EXPECT_EQ(c.partition.classes[1].name, "txt");
  EXPECT_EQ(c.partition.classes[1].cuts.size(), 2u);
}

TEST(Slices, WithoutTimesNothingIsSlicedAndClassesAreNamedAllTheSame) {
  const Made c = cut(kHourglass, kExact);
  ASSERT_EQ(c.partition.classes.size(), 2u);
  EXPECT_EQ(c.partition.classes[0].segments.size(), 1u);
  EXPECT_EQ(c.partition.classes[0].cuts.size(), 2u);
  ASSERT_EQ(c.partition.rejected.size(), 1u);
  EXPECT_EQ(c.partition.rejected[0].name, "img+txt");
  EXPECT_THAT(c.partition.rejected[0].reason, HasSubstr("depends on every input"));
}

TEST(Slices, ACutThatSavesLittleIsTurnedDownByName) {
  PartitionOptions options = sliced(5);
  options.cuts.min_saved_bytes = 1000;
  const Made c = cut(kHourglass, options);
  EXPECT_EQ(c.partition.classes[0].segments.size(), 1u);
  ASSERT_EQ(c.partition.rejected.size(), 2u);
  EXPECT_EQ(c.partition.rejected[0].name, "img at 32 bytes");
  EXPECT_THAT(c.partition.rejected[0].reason, HasSubstr("fewer than 1000"));
}

TEST(Slices, AViewTakesNoTimeAndIsNotRetainedWhereItsSourceIsSmaller) {
  PartitionOptions options = sliced(4);
  options.cuts.min_saved_bytes = 16;
  const Made c = cut(R"(graph(%img: f32[100], %txt: f32[100]) {
    %a: f32[4] = aten.sin.default(%img)
    %e: f32[100] = aten.expand.default(%a, [100])
    %t: f32[100] = aten.sin.default(%txt)
    %o: f32[100] = aten.add.Tensor(%e, %t)
    return (%o)
  })",
                     options);
  const SlicedClass& img = c.partition.classes[0];
  ASSERT_EQ(img.cuts.size(), 3u);
  EXPECT_EQ(img.cuts[1].retained_bytes, 16u);
  EXPECT_DOUBLE_EQ(img.cuts[1].recompute_us, 0);
}

TEST(Partition, ATensorThatIsReadInTwoShapesIsHandedOnOnce) {
  const Made c = cut(R"(graph(%img: f32[2, 4], %txt: f32[8]) {
    %a: f32[2, 4] = aten.sin.default(%img)
    %f: f32[8] = aten.view.default(%a, [8])
    %u: f32[1, 8] = aten.unsqueeze.default(%f, 0)
    %t: f32[8] = aten.sin.default(%txt)
    %p: f32[8] = aten.add.Tensor(%f, %t)
    %q: f32[1, 8] = aten.add.Tensor(%u, %p)
    %r: f32[2, 4] = aten.add.Tensor(%a, %a)
    %o: f32[2, 8] = aten.add.Tensor(%q, %r)
    return (%o)
  })",
                     kExact);
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_img: 4 nodes (img) -> (a, r)\n"
            "segment_txt: 1 nodes (txt) -> (t)\n"
            "segment_img+txt: 5 nodes (a, t, r) -> (o)\n");
  EXPECT_EQ(c.partition.classes[0].cuts.back().retained_bytes, 64u);
}

TEST(Partition, AReturnedViewIsAnOutputOfItsSegment) {
  const Made c = cut(R"(graph(%img: f32[2, 4], %txt: f32[8]) {
    %a: f32[2, 4] = aten.sin.default(%img)
    %f: f32[8] = aten.view.default(%a, [8])
    %p: f32[8] = aten.add.Tensor(%f, %txt)
    return (%p, %f)
  })",
                     kExact);
  EXPECT_EQ(dump(c.graph, c.partition),
            "segment_img: 2 nodes (img) -> (f)\n"
            "segment_img+txt: 1 nodes (txt, f) -> (p)\n");
}

TEST(Slices, WhatIsConstantOrReadByNobodyIsNoBoundary) {
  const Made c = cut(R"(graph(%a: f32[4], %b: f32[4]) {
    %w = constant f32[4] {1, 2, 3, 4}
    %m: f32[4] = aten.neg.default(%w)
    %p: bool[4] = aten.gt.Scalar(%b, 0)
    %ok: bool[] = aten.all.default(%p)
    %x: f32[4] = aten.add.Tensor(%a, %m)
    assert %ok "b > 0"
    return (%m, %x)
  })",
                     kExact);
  ASSERT_EQ(c.partition.rejected.size(), 2u);
  EXPECT_EQ(c.partition.rejected[0].name, "constant");
  EXPECT_EQ(c.partition.rejected[1].name, "b");
  EXPECT_THAT(c.partition.rejected[1].reason, HasSubstr("nothing else reads it"));
  ASSERT_EQ(c.partition.classes.size(), 1u);
  EXPECT_EQ(c.partition.classes[0].name, "a");
}

TEST(Slices, ManyBytesThatTakeLessThanACallAreNotRetained) {
  PartitionOptions options{.tiny_us = 20, .split_us = 1e12};
  options.node_us.assign(3, 5);
  const Made c = cut(R"(graph(%a: f32[100000], %b: f32[4]) {
    %x: f32[100000] = aten.neg.default(%a)
    %y: f32[4] = aten.add.Tensor(%x, %b)
    %z: f32[4] = aten.neg.default(%y)
    return (%z, %x)
  })",
                     options);
  ASSERT_EQ(c.partition.rejected.size(), 2u);
  EXPECT_EQ(c.partition.rejected[0].name, "a");
  EXPECT_THAT(c.partition.rejected[0].reason, HasSubstr("retains 400000 bytes to avoid 5.0 us"));
}

TEST(Slices, TimesMustBeOnePerNodeAndCosts) {
  auto graph = parse_graph(kHourglass);
  const Dependencies d = *analyse_dependencies(*graph);
  EXPECT_THAT(make_partition(*graph, d, sliced(4)).status().message(),
              HasSubstr("4 node times for a graph of 5 nodes"));
  PartitionOptions options = sliced(5);
  options.node_us[1] = -1;
  EXPECT_THAT(make_partition(*graph, d, options).status().message(), HasSubstr("'b'"));
}

TEST(VerifyPartition, NamesTheClassWhoseCutsAreWrong) {
  const Made c = cut(kHourglass, sliced(5));
  const Dependencies d = *analyse_dependencies(c.graph);
  const auto message = [&](const auto& change) {
    Partition broken = c.partition;
    change(broken.classes[0]);
    return verify_partition(c.graph, d, broken).message();
  };
  EXPECT_THAT(message([](SlicedClass& k) { k.cuts[1].retained.clear(); }),
              HasSubstr("cut 1 must retain what crosses it and nothing else: 'b'"));
  EXPECT_THAT(message([](SlicedClass& k) { k.cuts[2].retained_bytes = 7; }),
              HasSubstr("class 'img': cut 2 retains 400 bytes, not 7"));
  EXPECT_THAT(message([](SlicedClass& k) { std::swap(k.segments[0], k.segments[1]); }),
              HasSubstr("'b' is read before the cut 1"));
  EXPECT_THAT(message([](SlicedClass& k) { k.cuts.pop_back(); }),
              HasSubstr("2 segments and 2 cuts"));
  EXPECT_THAT(message([](SlicedClass& k) { k.segments[1] = k.segments[0]; }),
              HasSubstr("of no class or of two"));
  EXPECT_THAT(message([](SlicedClass& k) { k.segments.clear(); }), HasSubstr("no segments"));
}

TEST(VerifyPartition, NamesWhatIsBroken) {
  Made c = cut(kTwoTowers, kExact);
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
