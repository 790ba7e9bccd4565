// The numbers of c_api.h are those of the C++ enumerations.
#include <gtest/gtest.h>

#include <string>

#include "changeaware/c_api.h"
#include "changeaware/package.h"
#include "changeaware/session.h"
#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware {
namespace {

TEST(Numbers, CodesAreThoseOfStatusCode) {
  for (ca_code code = CA_OK; code <= CA_INTERNAL; ++code) {
    EXPECT_EQ(ca_code_name(code), status_code_name(static_cast<StatusCode>(code)));
  }
  EXPECT_EQ(CA_INTERNAL, static_cast<ca_code>(StatusCode::kInternal));
  EXPECT_EQ(CA_STALE_PLAN, static_cast<ca_code>(StatusCode::kStalePlan));
  EXPECT_EQ(CA_FAILED_ASSERTION, static_cast<ca_code>(StatusCode::kFailedAssertion));
  EXPECT_STREQ(ca_code_name(CA_INTERNAL + 1), "Unknown");
  EXPECT_STREQ(ca_code_name(-1), "Unknown");
}

TEST(Numbers, DtypesAreThoseOfDType) {
  for (ca_dtype dtype = CA_UINT8; dtype <= CA_UINT64; ++dtype) {
    const std::string name = ca_dtype_name(dtype);
    const auto parsed = parse_dtype(name);
    ASSERT_TRUE(parsed.ok()) << name;
    EXPECT_EQ(static_cast<ca_dtype>(*parsed), dtype);
    EXPECT_EQ(ca_dtype_bytes(dtype), dtype_bytes(*parsed));
  }
  EXPECT_STREQ(ca_dtype_name(CA_BFLOAT16), "bfloat16");
  EXPECT_STREQ(ca_dtype_name(CA_COMPLEX128), "complex128");
  EXPECT_STREQ(ca_dtype_name(CA_NO_DTYPE), "none");
  EXPECT_EQ(ca_dtype_bytes(CA_UINT64 + 1), 0U);
}

TEST(Numbers, KindsAreThoseOfProgramOutput) {
  using Kind = ProgramOutput::Kind;
  EXPECT_EQ(CA_TENSOR, static_cast<ca_kind>(Kind::kPort));
  EXPECT_EQ(CA_CONSTANT_TENSOR, static_cast<ca_kind>(Kind::kConstantTensor));
  EXPECT_EQ(CA_NONE, static_cast<ca_kind>(Kind::kNone));
  EXPECT_EQ(CA_INT, static_cast<ca_kind>(Kind::kInt));
  EXPECT_EQ(CA_FLOAT, static_cast<ca_kind>(Kind::kFloat));
  EXPECT_EQ(CA_BOOLEAN, static_cast<ca_kind>(Kind::kBool));
  EXPECT_EQ(CA_STRING, static_cast<ca_kind>(Kind::kString));
}

TEST(Numbers, OutcomesAndCausesAreThoseOfDecision) {
  EXPECT_EQ(CA_RAN, static_cast<ca_outcome>(Decision::Outcome::kRan));
  EXPECT_EQ(CA_REUSED, static_cast<ca_outcome>(Decision::Outcome::kReused));
  EXPECT_EQ(CA_NOT_NEEDED, static_cast<ca_outcome>(Decision::Outcome::kNotNeeded));
  using Cause = Decision::Cause;
  EXPECT_EQ(CA_INPUT_CHANGED, static_cast<ca_cause>(Cause::kInputChanged));
  EXPECT_EQ(CA_NOT_RETAINED, static_cast<ca_cause>(Cause::kNotRetained));
  EXPECT_EQ(CA_EVICTED, static_cast<ca_cause>(Cause::kEvicted));
  EXPECT_EQ(CA_NO_REUSE, static_cast<ca_cause>(Cause::kNoReuse));
  EXPECT_EQ(CA_RETAINED, static_cast<ca_cause>(Cause::kRetained));
  EXPECT_EQ(CA_SAME_CONTENTS, static_cast<ca_cause>(Cause::kSameContents));
  EXPECT_EQ(CA_SHARED, static_cast<ca_cause>(Cause::kShared));
  EXPECT_EQ(CA_NOT_DEMANDED, static_cast<ca_cause>(Cause::kNotDemanded));
}

TEST(Numbers, TheVersionIsTheProjects) {
  EXPECT_STREQ(ca_version(), CHANGEAWARE_VERSION);
  EXPECT_EQ(ca_abi_version(), static_cast<uint32_t>(CA_ABI_VERSION));
}

}  // namespace
}  // namespace changeaware
