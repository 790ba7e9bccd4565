#include "base/digest.h"

#include <gtest/gtest.h>

#include <string_view>

namespace changeaware {
namespace {

std::span<const std::byte> bytes(std::string_view s) {
  return std::as_bytes(std::span(s.data(), s.size()));
}

// The two-block example of FIPS 180-2, appendix B.2, and the empty message.
TEST(Digest, MatchesThePublishedVectors) {
  EXPECT_EQ(to_hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Digest, DoesNotDependOnHowTheBytesArrive) {
  Sha256 hash;
  hash.update(bytes("abcdbcdecdefdefgefghfghighi"));
  hash.update(bytes("jhijkijkljklmklmnlmnomnopnopq"));
  EXPECT_EQ(hash.finish(),
            sha256(bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")));
}

}  // namespace
}  // namespace changeaware
