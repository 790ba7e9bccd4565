#include "normalise/test_util.h"

namespace changeaware {
namespace {

std::string checked(const std::string& statement) {
  return run_pass(check_effects,
                  "graph(%x: f32[4, 4], %i: i64[4]) {\n" + statement + "\n return (%r) }");
}

void expect_refused(const std::string& statement, const std::string& part) {
  const std::string text = checked(statement);
  EXPECT_EQ(text.find("Unsupported: node 'r': "), 0u) << text;
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Effects, ARandomOperatorIsRefusedByName) {
  expect_refused("%r: f32[4, 4] = aten.rand_like.default(%x)", "aten.rand_like.default");
  expect_refused("%r: f32[4, 4] = aten.bernoulli.p(%x, 0.5)", "aten.bernoulli.p");
}

TEST(Effects, ActiveDropoutIsRefusedByName) {
  expect_refused("%r: f32[4, 4] = aten.dropout.default(%x, 0.1, True)", "aten.dropout.default");
  expect_refused("%r: f32[4, 4] = aten.feature_dropout.default(%x, 0.1, True)", "model.eval()");
  expect_refused("%r: f32[4, 4] = aten.rrelu.default(%x, training=True)", "aten.rrelu.default");
  expect_refused(
      "%r: f32[4, 4] = aten.scaled_dot_product_attention.default(%x, %x, %x, dropout_p=0.1)",
      "aten.scaled_dot_product_attention.default");
}

TEST(Effects, InactiveDropoutIsAnAlias) {
  for (const char* call :
       {"aten.dropout.default(%x, 0.1, False)", "aten.dropout.default(%x, 0.0, True)",
        "aten.alpha_dropout.default(%x, 0.3, False)"}) {
    const std::string text = checked(std::string("%r: f32[4, 4] = ") + call);
    EXPECT_NE(text.find("%r: f32[4, 4] = aten.alias.default(%x)"), std::string::npos) << text;
  }
  const std::string native =
      checked("%r: f32[4, 4], %m: bool[4, 4] = aten.native_dropout.default(%x, 0.1, False)");
  EXPECT_NE(native.find("%r: f32[4, 4] = aten.alias.default(%x)"), std::string::npos) << native;
}

TEST(Effects, TheMaskOfInactiveDropoutIsRefusedWhenItIsRead) {
  const std::string text = run_pass(check_effects, R"(graph(%x: f32[4]) {
    %r: f32[4], %m: bool[4] = aten.native_dropout.default(%x, 0.1, False)
    return (%m)
  })");
  EXPECT_EQ(text,
            "Unsupported: node 'r': the mask of an inactive aten.native_dropout.default is read");
}

TEST(Effects, CallsThatAreNotRandomStay) {
  for (const char* call :
       {"aten.rrelu.default(%x)", "aten.scaled_dot_product_attention.default(%x, %x, %x)"}) {
    EXPECT_NE(checked(std::string("%r: f32[4, 4] = ") + call).find(call), std::string::npos)
        << call;
  }
}

TEST(Effects, AShapeThatDependsOnValuesIsTheEnginesMatter) {
  for (const char* call :
       {"aten.nonzero.default(%x)", "aten.item.default(%x)", "aten.one_hot.default(%i)"}) {
    EXPECT_NE(checked(std::string("%r: i64[u0, 2] = ") + call).find(call), std::string::npos)
        << call;
  }
}

TEST(Effects, ABranchThatAssertsAndIsNotReadIsRefused) {
  const auto program = [](const std::string& result) {
    return run_pass(check_effects, R"(graph(%p: bool[], %x: f32[4]) {
      %c: f32[4] = higher_order.cond(%p,
        {graph(%y: f32[4]) {
          %ok: bool[] = aten.all.default(%y)
          assert %ok "all"
          return (%y)
        }},
        {graph(%y: f32[4]) { return (%y) }}, [%x])
      return ()" + result + R"()
    })");
  };
  EXPECT_NE(program("%c").find("higher_order.cond(%p"), std::string::npos) << program("%c");
  EXPECT_EQ(program("%x"),
            "Unsupported: node 'c': higher_order.cond asserts something, but nothing reads its "
            "results");
}

TEST(Effects, AReaderOfTheMemoryLayoutIsRefusedByName) {
  expect_refused("%r: sym = aten.sym_stride.int(%x, 0)", "aten.sym_stride.int");
}

TEST(Effects, BatchNormThatUpdatesItsStatisticsIsRefusedByTheirNames) {
  const auto program = [](const std::string& training) {
    return run_pass(check_effects, R"(graph(%x: f32[2, 20]) {
      %m = constant f32[20] "bn.running_mean"
      %v = constant f32[20] "bn.running_var"
      %r: f32[2, 20] = aten.batch_norm.default(%x, None, None, %m, %v, )" +
                                       training + R"(, 0.1, 1e-05, False)
      return (%r)
    })");
  };
  const std::string text = program("True");
  EXPECT_EQ(text.find("Unsupported: node 'r': aten.batch_norm.default updates"), 0u) << text;
  EXPECT_NE(text.find("'bn.running_mean' and 'bn.running_var'"), std::string::npos) << text;
  EXPECT_NE(program("False").find("aten.batch_norm.default(%x, None, None, %m, %v, False"),
            std::string::npos);
}

TEST(Effects, AnOperatorWithUnknownEffectsIsRefusedByName) {
  const std::string text = run_pass(check_effects, R"(graph(%x: f32[4]) {
    aten._linalg_check_errors.default(%x, "solve", is_matrix=True)
    return (%x)
  })");
  EXPECT_NE(text.find("aten._linalg_check_errors.default does something besides"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace changeaware
