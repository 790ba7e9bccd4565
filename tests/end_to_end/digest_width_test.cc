// R1: versions are 128 bits wide, and every bit of them counts. With 16 bits a few hundred items
// collide; with 128, 2^64 would have to be seen.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <string>

#include "end_to_end/compiled_program.h"
#include "runtime/versions.h"

namespace changeaware::testing {
namespace {

constexpr size_t kBits = 128;
constexpr int kImages = 20'000;

// Images that differ in one element by one, as close as images can be.
Tensor image(int number) {
  std::vector<float> values(16, 0.5f);
  values[static_cast<size_t>(number % 16)] = static_cast<float>(number);
  return f32({4, 4}, values);
}

// The digest's bytes are the last 16 of a version; what is before says what kind it is.
std::string digest(const Fingerprinter& fingerprinter, const Tensor& tensor) {
  const auto found = fingerprinter.fingerprint("image", tensor);
  EXPECT_TRUE(found.ok()) << found.status().to_string();
  if (!found.ok() || found->version.size() < kBits / 8) return {};
  return found->version.substr(found->version.size() - kBits / 8);
}

TEST(DigestWidth, EveryOneOf128BitsIsSetForHalfOfTheImages) {
  const Fingerprinter fingerprinter;
  std::array<int, kBits> set{};
  for (int i = 0; i < kImages; ++i) {
    const std::string bytes = digest(fingerprinter, image(i));
    ASSERT_EQ(bytes.size(), kBits / 8);
    for (size_t bit = 0; bit < kBits; ++bit) set[bit] += bytes[bit / 8] >> (bit % 8) & 1;
  }
  for (size_t bit = 0; bit < kBits; ++bit) {
    // Standard deviation 71: ten of them.
    EXPECT_NEAR(set[bit], kImages / 2, 710) << "bit " << bit;
  }
}

// Bits that repeat others would not: no two are equal, nor each other's opposite, over the images.
TEST(DigestWidth, NoBitRepeatsAnother) {
  const Fingerprinter fingerprinter;
  std::array<std::string, kBits> columns;
  for (int i = 0; i < 512; ++i) {
    const std::string bytes = digest(fingerprinter, image(i));
    ASSERT_EQ(bytes.size(), kBits / 8);
    for (size_t bit = 0; bit < kBits; ++bit)
      columns[bit] += (bytes[bit / 8] >> (bit % 8) & 1) != 0 ? '1' : '0';
  }
  std::set<std::string> seen;
  for (std::string column : columns) {
    EXPECT_TRUE(seen.insert(column).second);
    for (char& c : column) c = c == '1' ? '0' : '1';
    EXPECT_TRUE(seen.insert(column).second);
  }
}

// Either half alone tells all images apart, as 64 bits do and 32 bits would in 19 of 20 runs only.
TEST(DigestWidth, NeitherHalfCollides) {
  const Fingerprinter fingerprinter;
  std::set<std::string> low, high;
  for (int i = 0; i < kImages; ++i) {
    const std::string bytes = digest(fingerprinter, image(i));
    low.insert(bytes.substr(0, kBits / 16));
    high.insert(bytes.substr(kBits / 16));
  }
  // Images whose changed element is the 0.5 that all have do not exist: numbers are whole.
  EXPECT_EQ(low.size(), static_cast<size_t>(kImages));
  EXPECT_EQ(high.size(), static_cast<size_t>(kImages));
}

TEST(DigestWidth, AThousandImagesOnOneSessionGetTheirOwnAnswers) {
  const CompiledProgram program(R"(graph(%image: f32[4, 4], %text: f32[4]) {
    %w = constant f32[4, 4] {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4}
    %p: f32[4, 4] = aten.linear.default(%image, %w)
    %y: f32[4, 4] = aten.add.Tensor(%p, %text)
    return (%y)
  })",
                                {{"image", image(1)}, {"text", f32({4}, {0, 0, 0, 0})}});
  const auto session = program.session();
  const Tensor text = f32({4}, {10, 20, 30, 40});
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1'000; ++i) {
      const Tensor picture = image(i);
      std::vector<float> expected = floats(picture);
      for (size_t k = 0; k < 16; ++k) {
        const auto column = static_cast<float>(k % 4 + 1);
        expected[k] = expected[k] * column + 10 * column;
      }
      const Response response = run(*session, {{"image", picture}, {"text", text}});
      ASSERT_EQ(floats(response.outputs.at(0).tensor), expected) << "image " << i;
    }
  }
}

}  // namespace
}  // namespace changeaware::testing
