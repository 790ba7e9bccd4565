// C9: weights are part of what a result is kept for. A package may be replaced while sessions on
// the old file live, and packages of one program with other weights may be open together.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "changeaware/compiler.h"
#include "end_to_end/compiled_program.h"

namespace changeaware::testing {
namespace {

// y = x w + t, where every element of the 4 x 4 weight is w; x of threes gives 12 w + t.
std::string weighted(int weight) {
  std::string values;
  for (int i = 0; i < 16; ++i) values += (i > 0 ? ", " : "") + std::to_string(weight);
  return "graph(%x: f32[2, 4], %t: f32[4]) {\n"
         "  %w = constant f32[4, 4] {" +
         values +
         "}\n"
         "  %p: f32[2, 4] = aten.linear.default(%x, %w)\n"
         "  %y: f32[2, 4] = aten.add.Tensor(%p, %t)\n"
         "  return (%y)\n}";
}

Inputs threes(float shift) {
  return {{"x", f32({2, 4}, std::vector<float>(8, 3))},
          {"t", f32({4}, std::vector<float>(4, shift))}};
}

std::vector<float> all(float value) { return std::vector<float>(8, value); }

std::vector<float> answer(Session& session, float shift) {
  const Response response = run(session, threes(shift));
  return response.outputs.empty() ? std::vector<float>{} : floats(response.outputs[0].tensor);
}

// A package file whose weight can be replaced, as a deployment does it: by compiling over it.
class ReplacedPackage : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = temporary_path("model.pt2");
    path_ = temporary_path("package.pt2");
  }
  void TearDown() override {
    std::filesystem::remove(model_);
    std::filesystem::remove(path_);
  }

  void compile_weight(int weight) {
    write_program(weighted(weight), model_);
    const auto report = compile(model_, path_, {.examples = threes(0)});
    ASSERT_TRUE(report.ok()) << report.status().to_string();
  }

  std::shared_ptr<const Package> open() const {
    auto package = Package::open(path_);
    EXPECT_TRUE(package.ok()) << package.status().to_string();
    return package.ok() ? *package : nullptr;
  }

  std::unique_ptr<Session> session() const { return session_on(open()); }

  static std::unique_ptr<Session> session_on(const std::shared_ptr<const Package>& package) {
    auto session = Session::create(package);
    EXPECT_TRUE(session.ok()) << session.status().to_string();
    return session.ok() ? *std::move(session) : nullptr;
  }

  std::string model_, path_;
};

TEST_F(ReplacedPackage, OtherWeightsAtTheSamePathGiveOtherAnswers) {
  compile_weight(1);
  const auto before = session();
  EXPECT_EQ(answer(*before, 1), all(13));
  compile_weight(2);
  const auto after = session();
  EXPECT_EQ(answer(*after, 1), all(25)) << "the same x as before, for other weights";
  EXPECT_EQ(answer(*after, 2), all(26));
}

TEST_F(ReplacedPackage, ASessionOnTheOldFileKeepsItsWeights) {
  compile_weight(1);
  const auto old = session();
  EXPECT_EQ(answer(*old, 1), all(13));
  compile_weight(2);
  EXPECT_EQ(answer(*old, 2), all(14)) << "x is retained";
  old->clear();
  EXPECT_EQ(answer(*old, 3), all(15)) << "x is computed again from the mapped file";
  EXPECT_EQ(answer(*session(), 3), all(27));
}

TEST_F(ReplacedPackage, WhatWasNotLoadedYetComesFromTheFileThatWasOpened) {
  compile_weight(1);
  const auto package = open();
  ASSERT_NE(package, nullptr);
  compile_weight(2);
  EXPECT_EQ(answer(*session_on(package), 1), all(13));
  EXPECT_EQ(answer(*session(), 1), all(25));
}

TEST_F(ReplacedPackage, PackagesOpenTogetherDoNotShareResults) {
  compile_weight(1);
  const auto one = session();
  compile_weight(2);
  const auto two = session();
  for (int round = 0; round < 20; ++round) {
    const auto shift = static_cast<float>(round % 3);
    EXPECT_EQ(answer(*one, shift), all(12 + shift));
    EXPECT_EQ(answer(*two, shift), all(24 + shift));
  }
}

TEST_F(ReplacedPackage, PackagesOpenTogetherServeTheirOwnThreads) {
  compile_weight(1);
  const auto one = session();
  compile_weight(2);
  const auto two = session();
  const auto serve = [](Session& session, float product, int& wrong) {
    for (int round = 0; round < 50; ++round) {
      const auto shift = static_cast<float>(round % 5);
      wrong += answer(session, shift) != all(product + shift) ? 1 : 0;
    }
  };
  int wrong_one = 0;
  int wrong_two = 0;
  std::thread first([&] { serve(*one, 12, wrong_one); });
  std::thread second([&] { serve(*two, 24, wrong_two); });
  first.join();
  second.join();
  EXPECT_EQ(wrong_one, 0);
  EXPECT_EQ(wrong_two, 0);
}

// Equal identities may share what is loaded; it must outlive the package that loaded it first.
TEST_F(ReplacedPackage, AnEqualPackageOutlivesTheOneThatWasOpenedFirst) {
  compile_weight(1);
  auto first_package = open();
  auto first = session_on(first_package);
  EXPECT_EQ(answer(*first, 1), all(13));
  compile_weight(1);
  const auto second = session();
  EXPECT_EQ(answer(*second, 1), all(13));
  first.reset();
  first_package.reset();
  std::filesystem::remove(path_);
  second->clear();
  EXPECT_EQ(answer(*second, 2), all(14));
  EXPECT_EQ(answer(*second, 3), all(15));
}

TEST_F(ReplacedPackage, TheIdentityOfACallableSaysWhichWeightsItHas) {
  compile_weight(1);
  const auto one = open();
  compile_weight(2);
  const auto two = open();
  compile_weight(1);
  const auto again = open();
  ASSERT_TRUE(one && two && again);
  size_t differing = 0;
  for (const Callable& callable : one->manifest().callables) {
    const Callable* other = two->manifest().find_callable(callable.name);
    const Callable* same = again->manifest().find_callable(callable.name);
    ASSERT_TRUE(other != nullptr && same != nullptr) << callable.name;
    EXPECT_EQ(callable.identity, same->identity) << callable.name;
    EXPECT_EQ(callable.identity != other->identity, callable.weight_bytes > 0) << callable.name;
    differing += callable.identity != other->identity ? 1 : 0;
  }
  EXPECT_GE(differing, 2u) << "main and the segment that reads the weight";
}

}  // namespace
}  // namespace changeaware::testing
