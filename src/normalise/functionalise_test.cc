#include "normalise/test_util.h"

namespace changeaware {
namespace {

std::string functionalised(const std::string& text) { return run_pass(functionalise, text); }
// … and without dead nodes, aliases and duplicates.
std::string simplified(const std::string& text) {
  const Graph graph = parse_or_die(text);
  const Result<Graph> pure = functionalise(graph, context_of(graph));
  if (!pure.ok()) return pure.status().to_string();
  return run_pass(simplify, *pure);
}

TEST(Functionalise, CopyIntoASliceIsASliceScatter) {
  EXPECT_EQ(simplified(R"(graph(%x: f32[4, 3], %y: f32[2, 3]) {
    %c: f32[4, 3] = aten.clone.default(%x)
    %s: f32[2, 3] = aten.slice.Tensor(%c, 0, 1, 3)
    %w: f32[2, 3] = aten.copy_.default(%s, %y)
    return (%c)
  })"),
            R"(graph(%x: f32[4, 3], %y: f32[2, 3]) {
  %slice_scatter: f32[4, 3] = aten.slice_scatter.default(%x, %y, start=1, end=3)
  return (%slice_scatter)
}
)");
}

TEST(Functionalise, CopyIntoASelectOfASliceWalksUpBothViews) {
  EXPECT_EQ(simplified(R"(graph(%x: f32[4, 3], %y: f64[]) {
    %c: f32[4, 3] = aten.clone.default(%x)
    %s: f32[2, 3] = aten.slice.Tensor(%c, 0, 1, 3)
    %e: f32[2] = aten.select.int(%s, 1, 2)
    %w: f32[2] = aten.copy_.default(%e, %y)
    return (%c)
  })"),
            R"(graph(%x: f32[4, 3], %y: f64[]) {
  %s: f32[2, 3] = aten.slice.Tensor(%x, start=1, end=3)
  %w_cast: f32[] = aten.to.dtype(%y, f32)
  %w: f32[2] = aten.expand.default(%w_cast, [2])
  %select_scatter: f32[2, 3] = aten.select_scatter.default(%s, %w, 1, 2)
  %slice_scatter: f32[4, 3] = aten.slice_scatter.default(%x, %select_scatter, start=1, end=3)
  return (%slice_scatter)
}
)");
}

TEST(Functionalise, MulThroughATransposeIsTransposedBack) {
  EXPECT_EQ(simplified(R"(graph(%x: f32[4, 3]) {
    %c: f32[4, 3] = aten.clone.default(%x)
    %t: f32[3, 4] = aten.transpose.int(%c, 0, 1)
    %w: f32[3, 4] = aten.mul_.Tensor(%t, 2)
    return (%c, %w)
  })"),
            R"(graph(%x: f32[4, 3]) {
  %t: f32[3, 4] = aten.transpose.int(%x, 0, 1)
  %w: f32[3, 4] = aten.mul.Tensor(%t, 2)
  %transpose: f32[4, 3] = aten.transpose.int(%w, 0, 1)
  return (%transpose, %w)
}
)");
}

TEST(Functionalise, PermuteIsInverted) {
  const std::string text = simplified(R"(graph(%x: f32[2, 3, 4]) {
    %c: f32[2, 3, 4] = aten.clone.default(%x)
    %p: f32[4, 2, 3] = aten.permute.default(%c, [2, 0, -2])
    %w: f32[4, 2, 3] = aten.neg_.default(%p)
    return (%c)
  })");
  EXPECT_NE(text.find("%permute: f32[2, 3, 4] = aten.permute.default(%w, [1, 2, 0])"),
            std::string::npos)
      << text;
}

TEST(Functionalise, ANestedSetitemFillsAndScattersTwice) {
  const std::string text = simplified(R"(graph(%x: f32[2, 3, 4]) {
    %c: f32[2, 3, 4] = aten.clone.default(%x)
    %a: f32[3, 4] = aten.select.int(%c, 0, 1)
    %b: f32[3] = aten.select.int(%a, 1, 2)
    %w: f32[3] = aten.fill_.Scalar(%b, 7.0)
    return (%c)
  })");
  EXPECT_NE(text.find("%w: f32[3] = aten.full.default([3], 7.0, dtype=f32)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("%select_scatter: f32[3, 4] = aten.select_scatter.default(%a, %w, 1, 2)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("%select_scatter_1: f32[2, 3, 4] = aten.select_scatter.default(%x, "
                      "%select_scatter, 0, 1)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("return (%select_scatter_1)"), std::string::npos) << text;
}

TEST(Functionalise, AViewTakenBeforeAWriteAndReadAfterItSeesTheWrite) {
  EXPECT_EQ(simplified(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    %v: f32[] = aten.select.int(%c, 0, 0)
    %before: f32[] = aten.sin.default(%v)
    %w: f32[4] = aten.add_.Tensor(%c, 1)
    %after: f32[] = aten.cos.default(%v)
    return (%before, %after)
  })"),
            R"(graph(%x: f32[4]) {
  %v: f32[] = aten.select.int(%x, 0, 0)
  %before: f32[] = aten.sin.default(%v)
  %w: f32[4] = aten.add.Tensor(%x, 1)
  %v_1: f32[] = aten.select.int(%w, 0, 0)
  %after: f32[] = aten.cos.default(%v_1)
  return (%before, %after)
}
)");
}

TEST(Functionalise, AWriteToOneViewIsSeenByAnother) {
  const std::string text = simplified(R"(graph(%x: f32[4, 4]) {
    %c: f32[4, 4] = aten.clone.default(%x)
    %row: f32[4] = aten.select.int(%c, 0, 0)
    %col: f32[4] = aten.select.int(%c, 1, 0)
    %w: f32[4] = aten.mul_.Tensor(%row, 3)
    return (%col, %row)
  })");
  EXPECT_NE(text.find("%col_1: f32[4] = aten.select.int(%select_scatter, 1, 0)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("return (%col_1, %w)"), std::string::npos) << text;
}

TEST(Functionalise, AnInPlaceResultIsItsTarget) {
  // A write through the result of add_ reaches the clone.
  EXPECT_EQ(simplified(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    %a: f32[4] = aten.add_.Tensor(%c, 1)
    %m: f32[4] = aten.mul_.Tensor(%a, 2)
    return (%c, %a, %m)
  })"),
            R"(graph(%x: f32[4]) {
  %a: f32[4] = aten.add.Tensor(%x, 1)
  %m: f32[4] = aten.mul.Tensor(%a, 2)
  return (%m, %m, %m)
}
)");
}

TEST(Functionalise, TheTargetKeepsItsDtype) {
  const std::string wider = functionalised(R"(graph(%x: f32[4], %y: f64[4]) {
    %c: f32[4] = aten.clone.default(%x)
    %a: f32[4] = aten.add_.Tensor(%c, %y)
    %e: f32[4] = aten.eq_.Scalar(%c, 0)
    return (%c)
  })");
  EXPECT_NE(wider.find("%a_pure: f64[4] = aten.add.Tensor(%c, %y)"), std::string::npos) << wider;
  EXPECT_NE(wider.find("%a: f32[4] = aten.to.dtype(%a_pure, f32)"), std::string::npos) << wider;
  EXPECT_NE(wider.find("%e_pure: bool[4] = aten.eq.Scalar(%a, 0)"), std::string::npos) << wider;
  EXPECT_NE(wider.find("%e: f32[4] = aten.to.dtype(%e_pure, f32)"), std::string::npos) << wider;
}

TEST(Functionalise, MaskedFillAndIndexPutHavePureCounterparts) {
  const std::string text =
      functionalised(R"(graph(%x: f32[4], %m: bool[4], %i: i64[2], %v: f32[2]) {
    %c: f32[4] = aten.clone.default(%x)
    %a: f32[4] = aten.masked_fill_.Scalar(%c, %m, -inf)
    %b: f32[4] = aten.index_put_.default(%c, [%i], %v, True)
    return (%c)
  })");
  EXPECT_NE(text.find("%a: f32[4] = aten.masked_fill.Scalar(%c, %m, -inf)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("%b: f32[4] = aten.index_put.default(%a, [%i], %v, True)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("return (%b)"), std::string::npos) << text;
}

TEST(Functionalise, PiecesOfASplitAreWrittenWhereTheyLie) {
  const std::string text = functionalised(R"(graph(%x: f32[5, 2]) {
    %c: f32[5, 2] = aten.clone.default(%x)
    %p: f32[2, 2], %q: f32[2, 2], %r: f32[1, 2] = aten.split.Tensor(%c, 2)
    %w: f32[1, 2] = aten.zero_.default(%r)
    %u: f32[2], %v: f32[2] = aten.unbind.int(%q, -1)
    %z: f32[2] = aten.neg_.default(%v)
    return (%c)
  })");
  EXPECT_NE(text.find("aten.slice_scatter.default(%c, %w, start=4, end=5)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("aten.select_scatter.default(%q_1, %z, -1, 1)"), std::string::npos) << text;
}

TEST(Functionalise, DynamicSizesAreReadFromTheTarget) {
  const std::string text = functionalised(R"(graph(%x: f32[s0, 2], %y: f32[]) {
    %c: f32[s0, 2] = aten.clone.default(%x)
    %w: f32[s0, 2] = aten.copy_.default(%c, %y)
    return (%c)
  })");
  EXPECT_NE(text.find("%sym_size: sym(s0) = aten.sym_size.int(%c, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("%w: f32[s0, 2] = aten.expand.default(%y, [%sym_size, 2])"),
            std::string::npos)
      << text;
}

TEST(Functionalise, UnsqueezeInPlaceIsAView) {
  const std::string text = simplified(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    %u: f32[1, 4] = aten.unsqueeze_.default(%c, 0)
    %w: f32[1, 4] = aten.add_.Tensor(%u, 1)
    return (%u)
  })");
  EXPECT_NE(text.find("%w: f32[1, 4] = aten.add.Tensor(%u, 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("return (%w)"), std::string::npos) << text;
}

TEST(Functionalise, AReshapeThatCopiesIsNoView) {
  const auto program = [](const std::vector<int64_t>& strides) {
    Graph graph = parse_or_die(R"(graph(%x: f32[3, 4]) {
      %c: f32[3, 4] = aten.clone.default(%x)
      %t: f32[4, 3] = aten.transpose.int(%c, 0, 1)
      %r: f32[12] = aten.reshape.default(%t, [12])
      %w: f32[12] = aten.add_.Tensor(%r, 1)
      return (%c)
    })");
    set_strides(graph, "t", strides);
    return run_pass(functionalise, graph);
  };
  EXPECT_NE(program({1, 4}).find("return (%c)"), std::string::npos) << program({1, 4});
  // With strides that allow a view the write goes through.
  EXPECT_NE(program({3, 1}).find("return (%transpose)"), std::string::npos) << program({3, 1});
}

TEST(Functionalise, MutationOfAnInputIsRefusedByItsName) {
  const std::string text = functionalised(R"(graph(%img: f32[4, 3]) {
    %v: f32[3] = aten.select.int(%img, 0, 0)
    %w: f32[3] = aten.mul_.Tensor(%v, 2)
    return (%w)
  })");
  EXPECT_EQ(text, "Unsupported: node 'w': aten.mul_.Tensor changes the input 'img' in place");
}

TEST(Functionalise, MutationOfABufferIsRefusedByItsName) {
  const std::string text = functionalised(R"(graph(%x: f32[100]) {
    %b = constant f32[100, 100] "counter.total"
    %d: f32[100, 100] = aten.detach.default(%b)
    %v: f32[100] = aten.select.int(%d, 0, 0)
    %w: f32[100] = aten.add_.Tensor(%v, %x)
    return (%w)
  })");
  EXPECT_NE(text.find("Unsupported: node 'w': aten.add_.Tensor changes the"), std::string::npos)
      << text;
  EXPECT_NE(text.find("'counter.total' in place"), std::string::npos) << text;
}

TEST(Functionalise, AWriteThroughAnExpandIsRefused) {
  const std::string text = functionalised(R"(graph(%x: f32[1, 3]) {
    %c: f32[1, 3] = aten.clone.default(%x)
    %e: f32[4, 3] = aten.expand.default(%c, [4, 3])
    %w: f32[4, 3] = aten.add_.Tensor(%e, 1)
    return (%w)
  })");
  EXPECT_EQ(text,
            "Unsupported: node 'w' (aten.add_.Tensor): a write through the view made by node 'e' "
            "(aten.expand.default) cannot be expressed: its elements share memory");
}

TEST(Functionalise, AnExpandOfABaseThatIsWrittenIsTakenAgain) {
  const std::string text = simplified(R"(graph(%x: f32[1, 3]) {
    %c: f32[1, 3] = aten.clone.default(%x)
    %e: f32[4, 3] = aten.expand.default(%c, [4, 3])
    %w: f32[1, 3] = aten.add_.Tensor(%c, 1)
    return (%e)
  })");
  EXPECT_NE(text.find("%e_1: f32[4, 3] = aten.expand.default(%w, [4, 3])"), std::string::npos)
      << text;
}

TEST(Functionalise, AWriteThroughAsStridedIsRefused) {
  const std::string text = functionalised(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    %e: f32[2] = aten.as_strided.default(%c, [2], [2])
    %w: f32[2] = aten.add_.Tensor(%e, 1)
    return (%w)
  })");
  EXPECT_NE(text.find("node 'e' (aten.as_strided.default)"), std::string::npos) << text;
}

TEST(Functionalise, AnOutArgumentIsRefused) {
  const std::string text = functionalised(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    %w: f32[4] = aten.add.out(%x, %x, out=%c)
    return (%w)
  })");
  EXPECT_EQ(text, "Unsupported: node 'w': aten.add.out writes to its argument out");
}

TEST(Functionalise, AnInPlaceOperatorWithoutAPureCounterpartIsRefused) {
  const std::string text = functionalised(R"(graph(%x: f32[4, 4]) {
    %c: f32[4, 4] = aten.clone.default(%x)
    %w: f32[4, 4] = aten._sobol_engine_initialize_state_.default(%c, 1)
    return (%w)
  })");
  EXPECT_EQ(
      text,
      "Unsupported: node 'w': aten._sobol_engine_initialize_state_.default works in place and has "
      "no known pure counterpart");
}

TEST(Functionalise, CounterpartsUnderAnotherOverloadAreFound) {
  const std::string text = functionalised(R"(graph(%x: f32[4, 3]) {
    %c: f32[4, 3] = aten.clone.default(%x)
    %a: f32[4, 3] = aten.pow_.Scalar(%c, 2)
    %b: f32[4, 3] = aten.floor_divide_.Tensor(%c, %x)
    %d: f32[4, 3] = aten.fill_diagonal_.default(%c, 7)
    return (%c)
  })");
  EXPECT_NE(text.find("%a: f32[4, 3] = aten.pow.Tensor_Scalar(%c, 2)"), std::string::npos) << text;
  EXPECT_NE(text.find("%b: f32[4, 3] = aten.floor_divide.default(%a, %x)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("%d_fill: f32[3] = aten.full.default([3], 7, dtype=f32)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("%d: f32[4, 3] = aten.diagonal_scatter.default(%b, %d_fill)"),
            std::string::npos)
      << text;
}

TEST(Functionalise, AsStridedIsReadOnlyFromTensorsThatAreAllOfTheirMemory) {
  const auto program = [](const std::string& base) {
    return functionalised(
        "graph(%x: f32[4, 3]) {\n %v: f32[3] = aten.select.int(%x, 0, 0)\n"
        "%a: f32[2] = aten.as_strided.default(" +
        base + ", [2], [2])\n return (%a) }");
  };
  EXPECT_NE(program("%x").find("return (%a)"), std::string::npos) << program("%x");
  EXPECT_EQ(
      program("%v"),
      "Unsupported: node 'a': aten.as_strided.default reads the memory that 'v' is a view of");
}

TEST(Functionalise, AListOfTargetsIsRefused) {
  const std::string text = functionalised(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    aten._foreach_neg_.default([%c])
    return (%c)
  })");
  EXPECT_NE(text.find("aten._foreach_neg_.default changes several tensors in place"),
            std::string::npos)
      << text;
}

TEST(Functionalise, AWriteWhoseReachIsUnknownIsRefusedWhenItIsRead) {
  const std::string program = R"(graph(%x: f32[4, 4]) {
    %c: f32[4, 4] = aten.clone.default(%x)
    %e: f32[4, 4] = aten.einsum.default("ij->ji", [%c])
    %w: f32[4, 4] = aten.add_.Tensor(%e, 1)
    return (%RESULT)
  })";
  const auto returning = [&](std::string name) {
    std::string text = program;
    text.replace(text.find("RESULT"), 6, name);
    return functionalised(text);
  };
  EXPECT_NE(
      returning("c").find("'c', which is read later, may or may not share that memory: node 'e'"),
      std::string::npos)
      << returning("c");
  EXPECT_NE(returning("w").find("return (%w)"), std::string::npos) << returning("w");
}

TEST(Functionalise, AWriteThatMayReachAnInputIsRefused) {
  const std::string text = functionalised(R"(graph(%img: f32[4, 4]) {
    %e: f32[4, 4] = aten.einsum.default("ij->ji", [%img])
    %w: f32[4, 4] = aten.add_.Tensor(%e, 1)
    return (%w)
  })");
  EXPECT_NE(text.find("may change the input 'img' in place (node 'e', aten.einsum.default"),
            std::string::npos)
      << text;
}

TEST(Functionalise, ReadingATensorAfterItsSizesChangedIsRefused) {
  const std::string text = functionalised(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    %u: f32[1, 4] = aten.unsqueeze_.default(%c, 0)
    return (%c)
  })");
  EXPECT_NE(text.find("'c' is read after node 'u' (aten.unsqueeze_.default)"), std::string::npos)
      << text;
}

TEST(Functionalise, AnAssertedValueThatChangesLaterIsRefused) {
  const std::string text = functionalised(R"(graph(%x: bool[1]) {
    %c: bool[1] = aten.clone.default(%x)
    %w: bool[1] = aten.zero_.default(%c)
    assert %c "c holds"
    return (%w)
  })");
  EXPECT_NE(text.find("'c', which an assertion (\"c holds\") reads, is changed in place"),
            std::string::npos)
      << text;
}

TEST(Functionalise, AUsersOperatorThatChangesATensorIsRefusedByName) {
  ASSERT_TRUE(register_op("mylib.fill.default", "(Tensor(a!) x, Scalar value) -> ()").ok());
  const std::string text = functionalised(R"(graph(%x: f32[4]) {
    %c: f32[4] = aten.clone.default(%x)
    mylib.fill.default(%c, 1)
    return (%c)
  })");
  EXPECT_NE(text.find("Unsupported: node "), std::string::npos) << text;
  EXPECT_NE(text.find("mylib.fill.default"), std::string::npos) << text;
}

TEST(Functionalise, AUsersOperatorThatChangesAnInputNamesTheInput) {
  ASSERT_TRUE(register_op("mylib.add_.default", "(Tensor(a!) x) -> Tensor(a!)").ok());
  const std::string text = functionalised(R"(graph(%img: f32[4]) {
    %w: f32[4] = mylib.add_.default(%img)
    return (%w)
  })");
  EXPECT_NE(text.find("mylib.add_.default changes the input 'img' in place"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace changeaware
