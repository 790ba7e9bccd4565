#include "cli/replayer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/npy.h"
#include "cli/test_files.h"

namespace changeaware::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// y = x + offset, and a None output; fails for negative x. Keeps the requests it got.
class FakeSession : public Session {
 public:
  explicit FakeSession(float offset) : offset_(offset) {}

  Result<Response> run(const Request& request) override {
    requests.push_back(request);
    const auto x = request.inputs.find("x");
    if (x == request.inputs.end()) return Status(StatusCode::kInvalidArgument, "no x");
    const float value = *x->second.data_as<float>();
    if (value < 0) return Status(StatusCode::kFailedAssertion, "x is negative");
    Response response;
    response.outputs.push_back({"y", Tensor::of<float>(DType::kFloat32, {1}, {value + offset_})});
    response.outputs.push_back({"nothing", Tensor()});
    response.report.strategy = "chosen";
    response.report.ran = {"main"};
    return response;
  }
  Result<Response> run(const Request& request, const Plan&) override { return run(request); }
  Result<Plan> plan(const Request&) override { return Plan(); }
  Status load() override { return {}; }
  SessionStats stats() const override { return {}; }
  void clear() override {}
  void set_budgets(uint64_t, uint64_t) override {}

  std::vector<Request> requests;

 private:
  float offset_;
};

class ReplayerTest : public testing::Test {
 protected:
  // A trace request that gives `value` to x.
  TraceRequest give(float value, const std::string& tag = "") {
    const std::string path = folder_.file(std::to_string(value) + ".npy");
    EXPECT_TRUE(write_npy(path, Tensor::of<float>(DType::kFloat32, {1}, {value})).ok());
    TraceRequest request;
    request.inputs["x"] = path;
    if (!tag.empty()) request.versions["x"] = tag;
    return request;
  }
  static float x_of(const Request& request) { return *request.inputs.at("x").data_as<float>(); }

  TemporaryFolder folder_;
  FakeSession session_{1};
};

TEST_F(ReplayerTest, AnInputLeftOutKeepsItsValueAndTag) {
  Replayer replayer(session_, {}, nullptr);
  EXPECT_TRUE(replayer.run(0, give(5, "five")).status.ok());
  EXPECT_TRUE(replayer.run(1, {}).status.ok());
  ASSERT_EQ(session_.requests.size(), 2u);
  EXPECT_EQ(x_of(session_.requests[1]), 5);
  EXPECT_THAT(session_.requests[1].versions, ElementsAre(Pair("x", "five")));
}

TEST_F(ReplayerTest, ANewValueDropsTheOldTag) {
  Replayer replayer(session_, {}, nullptr);
  EXPECT_TRUE(replayer.run(0, give(5, "five")).status.ok());
  EXPECT_TRUE(replayer.run(1, give(6)).status.ok());
  EXPECT_THAT(session_.requests.at(1).versions, IsEmpty());
}

TEST_F(ReplayerTest, AFailedRequestLeavesTheValuesAsTheyWere) {
  Replayer replayer(session_, {}, nullptr);
  EXPECT_TRUE(replayer.run(0, give(5)).status.ok());
  EXPECT_EQ(replayer.run(1, give(-1)).status.code(), StatusCode::kFailedAssertion);
  EXPECT_TRUE(replayer.run(2, {}).status.ok());
  EXPECT_EQ(x_of(session_.requests.at(2)), 5);
}

TEST_F(ReplayerTest, AnUnreadableFileFailsItsRequestOnly) {
  Replayer replayer(session_, {}, nullptr);
  TraceRequest missing;
  missing.inputs["x"] = folder_.file("missing.npy");
  const ReplayResult failed = replayer.run(0, missing);
  EXPECT_EQ(failed.status.code(), StatusCode::kIo);
  EXPECT_THAT(failed.status.message(), HasSubstr("inputs.x: " + missing.inputs["x"]));
  EXPECT_THAT(session_.requests, IsEmpty());
  EXPECT_TRUE(replayer.run(1, give(2)).status.ok());
}

TEST_F(ReplayerTest, AFileThatIsNoArrayIsNamedWithItsInput) {
  Replayer replayer(session_, {}, nullptr);
  TraceRequest request;
  request.inputs["side"] = folder_.write("notes.txt", "no array");
  const ReplayResult failed = replayer.run(0, request);
  EXPECT_EQ(failed.status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(failed.status.message(), HasSubstr("inputs.side: " + request.inputs["side"]));
}

TEST_F(ReplayerTest, OptionsReachTheSession) {
  Replayer replayer(session_, {.strategy = "forced", .full = true}, nullptr);
  TraceRequest request = give(1);
  request.want = {"y"};
  EXPECT_TRUE(replayer.run(0, request).status.ok());
  EXPECT_EQ(session_.requests.at(0).strategy, "forced");
  EXPECT_FALSE(session_.requests.at(0).reuse);
  EXPECT_THAT(session_.requests.at(0).want, ElementsAre("y"));
}

TEST_F(ReplayerTest, OutputsAreNamedByTheirDigest) {
  Replayer replayer(session_, {}, nullptr);
  const ReplayResult result = replayer.run(0, give(0));
  ASSERT_EQ(result.outputs.size(), 2u);
  // SHA-256 of the bytes 00 00 80 3f, the float 1.
  EXPECT_EQ(result.outputs[0].second,
            "e00e5eb9444182f352323374ef4e08ebcb784725fdd4fd612d7730540b3e0c8c");
  EXPECT_EQ(result.outputs[1].second, std::nullopt);
  EXPECT_EQ(result.equal, std::nullopt);
}

TEST_F(ReplayerTest, TheReferenceRunsInFullWithTheStrategyOfTheAnswer) {
  FakeSession reference(1);
  Replayer replayer(session_, {}, &reference);
  EXPECT_EQ(replayer.run(0, give(3)).equal, true);
  ASSERT_EQ(reference.requests.size(), 1u);
  EXPECT_EQ(reference.requests[0].strategy, "chosen");
  EXPECT_FALSE(reference.requests[0].reuse);
  EXPECT_TRUE(session_.requests.at(0).reuse);
}

TEST_F(ReplayerTest, ADifferentAnswerIsReportedWithItsOutput) {
  FakeSession reference(2);
  Replayer replayer(session_, {}, &reference);
  const ReplayResult result = replayer.run(0, give(3));
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.equal, false);
  EXPECT_THAT(result.different, ElementsAre("y"));
}

TEST_F(ReplayerTest, FailingAlikeIsEqual) {
  FakeSession reference(1);
  Replayer replayer(session_, {}, &reference);
  const ReplayResult result = replayer.run(0, give(-1));
  EXPECT_EQ(result.equal, true);
  EXPECT_THAT(result.reference_error, HasSubstr("x is negative"));
}

}  // namespace
}  // namespace changeaware::cli
