// A request runs what the changed inputs make necessary, and answers with the bits of a full run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::IsEmpty;
using ::testing::Pointwise;

// Towers big enough to be segments of their own (not "tiny"): 2 MB of weights each.
std::string towers() {
  return R"(graph(%image: f32[4, 512], %text: f32[8, 512], %scale: f32[1]) {
    %wi = constant f32[1024, 512] "image.weight"
    %wt = constant f32[1024, 512] "text.weight"
    %bi = constant f32[1] {0.5}
    %ip: f32[4, 1024] = aten.linear.default(%image, %wi)
    %ib: f32[4, 1024] = aten.add.Tensor(%ip, %bi)
    %if: f32[4, 1024] = aten.cos.default(%ib)
    %tp: f32[8, 1024] = aten.linear.default(%text, %wt)
    %tb: f32[8, 1024] = aten.sub.Tensor(%tp, %bi)
    %tf: f32[8, 1024] = aten.sin.default(%tb)
    %sim: f32[4, 8] = aten.linear.default(%if, %tf)
    %logits: f32[4, 8] = aten.mul.Tensor(%sim, %scale)
    return (%logits)
  })";
}

Inputs inputs_for(unsigned image, unsigned text, unsigned scale) {
  return {{"image", noise({4, 512}, image)},
          {"text", noise({8, 512}, 100 + text)},
          {"scale", noise({1}, 200 + scale)}};
}

class Towers : public ::testing::Test {
 protected:
  Towers() : program_(towers(), inputs_for(0, 0, 0)) {}
  CompiledProgram program_;
};

TEST_F(Towers, AreSegmentsByTheirInputs) {
  const Manifest& m = program_.package()->manifest();
  EXPECT_TRUE(m.verified);
  std::vector<std::string> names;
  for (const Callable& c : m.callables) names.push_back(c.name);
  EXPECT_THAT(names, ElementsAre("main", "segment_image", "segment_text", "segment_image+text",
                                 "segment_image+text+scale"));
}

// All change masks: which callables run is what the sets say, and every bit is a full run's.
TEST_F(Towers, EveryChangeMaskRunsWhatMeetsItAndEqualsTheFullRun) {
  const auto session = program_.session();
  unsigned version[3] = {0, 0, 0};
  run(*session, inputs_for(0, 0, 0));
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned mask = 0; mask < 8; ++mask) {
      for (unsigned i = 0; i < 3; ++i) version[i] += (mask >> i) & 1;
      const Inputs inputs = inputs_for(version[0], version[1], version[2]);
      const Response response = run(*session, inputs);
      expect_identical(response.outputs, program_.full_run(inputs));
      std::vector<std::string> expected;
      if (mask & 1) expected.push_back("segment_image");
      if (mask & 2) expected.push_back("segment_text");
      if (mask & 3) expected.push_back("segment_image+text");
      if (mask & 7) expected.push_back("segment_image+text+scale");
      EXPECT_EQ(response.report.ran, expected) << mask;
    }
  }
}

TEST_F(Towers, MainAgreesWithinTheTolerance) {
  const Inputs inputs = inputs_for(3, 4, 5);
  const auto session = program_.session();
  const auto whole = session->run({.inputs = inputs, .strategy = "monolithic"});
  ASSERT_TRUE(whole.ok());
  EXPECT_THAT(whole->report.ran, ElementsAre("main"));
  const auto expected = floats(program_.full_run(inputs)[0].tensor);
  EXPECT_THAT(floats(whole->outputs[0].tensor), Pointwise(FloatNear(1e-3f), expected));
}

TEST_F(Towers, NothingChangedRunsNothing) {
  const auto session = program_.session();
  const Inputs inputs = inputs_for(1, 2, 3);
  const Response first = run(*session, inputs);
  EXPECT_THAT(first.report.changed, ElementsAre("image", "text", "scale"));
  const Response second = run(*session, inputs);
  EXPECT_THAT(second.report.changed, IsEmpty());
  EXPECT_THAT(second.report.ran, IsEmpty());
  EXPECT_THAT(second.report.reused, ElementsAre("segment_image+text+scale"));
  expect_identical(second.outputs, first.outputs);
}

TEST_F(Towers, EarlierVersionsAreStillThere) {
  const auto session = program_.session();
  run(*session, inputs_for(1, 0, 0));
  run(*session, inputs_for(2, 0, 0));
  const Response back = run(*session, inputs_for(1, 0, 0));
  EXPECT_THAT(back.report.ran, IsEmpty());
  const Response mixed = run(*session, inputs_for(1, 0, 9));
  EXPECT_THAT(mixed.report.ran, ElementsAre("segment_image+text+scale"));
  expect_identical(mixed.outputs, program_.full_run(inputs_for(1, 0, 9)));
}

TEST_F(Towers, AFullRunNeitherReadsNorWritesWhatIsRetained) {
  const auto session = program_.session();
  const Inputs inputs = inputs_for(1, 1, 1);
  run(*session, inputs);
  const uint64_t entries = session->stats().retained_entries;
  const auto full = session->run({.inputs = inputs, .reuse = false});
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->report.ran.size(), 4u);
  EXPECT_EQ(session->stats().retained_entries, entries);
  const auto fresh = program_.session();
  ASSERT_TRUE(fresh->run({.inputs = inputs, .reuse = false}).ok());
  EXPECT_EQ(fresh->stats().retained_entries, 0u);
}

// Writing into one piece of a split, then reading another: every piece survives the way through the
// package file.
TEST(Pieces, OfASplitThatIsWrittenToAreRight) {
  const CompiledProgram program(R"(graph(%x: f32[4], %y: f32[2]) {
    %c: f32[4] = aten.clone.default(%x)
    %u: f32[2], %v: f32[2] = aten.split.Tensor(%c, 2)
    %w: f32[2] = aten.add_.Tensor(%u, %y)
    %s: f32[2] = aten.add.Tensor(%u, %v)
    return (%s, %c)
  })",
                                {{"x", f32({4}, {1, 2, 3, 4})}, {"y", f32({2}, {10, 20})}});
  const auto session = program.session();
  const Response r = run(*session, {{"x", f32({4}, {1, 2, 3, 4})}, {"y", f32({2}, {10, 20})}});
  ASSERT_EQ(r.outputs.size(), 2u);
  EXPECT_EQ(floats(r.outputs[0].tensor), (std::vector<float>{14, 26}));
  EXPECT_EQ(floats(r.outputs[1].tensor), (std::vector<float>{11, 22, 3, 4}));
}

// Random programs: random graphs of elementwise nodes over up to four inputs, random requests.
TEST(RandomPrograms, IncrementalAnswersEqualFullRuns) {
  std::mt19937 random(7);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int graph = 0; graph < 12; ++graph) {
    const size_t inputs = 2 + pick(3);
    std::string text = "graph(";
    std::vector<std::string> names;
    for (size_t i = 0; i < inputs; ++i) {
      text += "%x" + std::to_string(i) + ": f32[64, 256], ";
      names.push_back("x" + std::to_string(i));
    }
    text += ") {\n%w = constant f32[256, 256] \"w\"\n";
    const size_t nodes = 4 + pick(12);
    for (size_t n = 0; n < nodes; ++n) {
      const std::string name = "n" + std::to_string(n);
      const std::string a = names[pick(names.size())];
      const std::string b = names[pick(names.size())];
      const char* kinds[] = {"aten.add.Tensor", "aten.mul.Tensor", "aten.sub.Tensor"};
      if (pick(3) == 0) {
        text += "%" + name + ": f32[64, 256] = aten.cos.default(%" + a + ")\n";
      } else {
        text += "%" + name + ": f32[64, 256] = " + kinds[pick(3)] + "(%" + a + ", %" + b + ")\n";
      }
      names.push_back(name);
    }
    text += "return (%" + names.back() + ", %" + names[inputs + pick(nodes)] + ")\n}";
    Inputs values;
    for (size_t i = 0; i < inputs; ++i)
      values["x" + std::to_string(i)] = noise({64, 256}, static_cast<unsigned>(i));
    const CompiledProgram program(text, values);
    const auto session = program.session(pick(2) ? 1 << 30 : 200000);
    for (unsigned step = 0; step < 12; ++step) {
      for (size_t i = 0; i < inputs; ++i) {
        if (pick(3) == 0)
          values["x" + std::to_string(i)] =
              noise({64, 256}, static_cast<unsigned>(pick(4) * 10 + i));
      }
      const Response response = run(*session, values);
      expect_identical(response.outputs, program.full_run(values));
      if (::testing::Test::HasFailure()) FAIL() << text;
    }
  }
}

}  // namespace
}  // namespace changeaware::testing
