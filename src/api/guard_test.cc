// No exception passes the wall, and each leaves a code and a message.
#include "api/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/errors.h"

namespace changeaware::api {
namespace {

using ::testing::HasSubstr;

class Guard : public ::testing::Test {
 protected:
  const char* message() const { return ca_status_message(&status_); }
  ca_status status_;
};

TEST_F(Guard, AStatusIsHandedOn) {
  EXPECT_EQ(guard(&status_, {}, []() -> Status { return corrupt("{}: no entry", "a.pt2"); }),
            CA_CORRUPT);
  EXPECT_EQ(ca_status_code(&status_), CA_CORRUPT);
  EXPECT_STREQ(message(), "a.pt2: no entry");
}

TEST_F(Guard, ASuccessClearsWhatWasThere) {
  guard(&status_, {}, []() -> Status { return corrupt("something"); });
  EXPECT_EQ(guard(&status_, {}, []() -> Status { return {}; }), CA_OK);
  EXPECT_EQ(ca_status_code(&status_), CA_OK);
  EXPECT_STREQ(message(), "");
}

TEST_F(Guard, MemoryThatRunsOutIsOverBudget) {
  EXPECT_EQ(guard(&status_, {}, []() -> Status { throw std::bad_alloc(); }), CA_OVER_BUDGET);
  EXPECT_EQ(ca_status_code(&status_), CA_OVER_BUDGET);
  EXPECT_STREQ(message(), "memory has run out");
  EXPECT_EQ(guard(&status_, {}, []() -> Status { return {}; }), CA_OK);
  EXPECT_STREQ(message(), "");
}

TEST_F(Guard, AnExceptionIsInternalAndIsNamed) {
  EXPECT_EQ(guard(&status_, {}, []() -> Status { throw std::runtime_error("the moon"); }),
            CA_INTERNAL);
  EXPECT_THAT(message(), HasSubstr("the moon"));
}

TEST_F(Guard, AnythingThrownIsInternal) {
  EXPECT_EQ(guard(&status_, {}, []() -> Status { throw 7; }), CA_INTERNAL);  // NOLINT
  EXPECT_THAT(message(), HasSubstr("unknown type"));
}

TEST_F(Guard, AHandleIsNullOnFailureOnly) {
  using Handle = std::unique_ptr<ca_strings>;
  ca_strings* made = guard_handle<ca_strings>(
      &status_, {}, []() -> Result<Handle> { return std::make_unique<ca_strings>(); });
  EXPECT_NE(made, nullptr);
  delete made;
  made = guard_handle<ca_strings>(&status_, {}, []() -> Result<Handle> { throw std::bad_alloc(); });
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(ca_status_code(&status_), CA_OVER_BUDGET);
}

TEST_F(Guard, NobodyNeedsAStatus) {
  EXPECT_EQ(guard(nullptr, {}, []() -> Status { return corrupt("something"); }), CA_CORRUPT);
  EXPECT_EQ(guard(nullptr, {}, []() -> Status { throw std::bad_alloc(); }), CA_OVER_BUDGET);
  EXPECT_EQ(guard(nullptr, {}, []() -> Status { throw 7; }), CA_INTERNAL);  // NOLINT
}

TEST(Require, TheFirstNullIsNamed) {
  const int there = 0;
  EXPECT_TRUE(require({{&there, "a"}}).ok());
  const Status status = require({{&there, "a"}, {nullptr, "b"}, {nullptr, "c"}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "b is NULL");
}

}  // namespace
}  // namespace changeaware::api
