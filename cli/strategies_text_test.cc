#include "cli/strategies_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Manifest example(const std::vector<std::string>& inputs) {
  Manifest m;
  for (const std::string& name : inputs) m.inputs.push_back({{name, DType::kFloat32, {}}, ""});
  m.inputs.push_back({{"mode", DType::kInt64, {}}, "3"});
  m.strategies.push_back({.name = "monolithic", .callables = {"main"}});
  m.strategies.push_back({.name = "full_retention",
                          .callables = {"segment_a", "segment_b"},
                          .retained = {"features"},
                          .retained_bytes = 4096,
                          .difference_from_main = "output 'y' differs"});
  for (Strategy& s : m.strategies) {
    for (const std::string& name : inputs) {
      s.mask_costs.push_back({{name}, {"segment_b"}, 1500, 2000});
    }
    s.mask_costs.push_back({{inputs[0], inputs[1]}, s.callables, 2.5e6, 3e6});
    if (inputs.size() > 2) s.mask_costs.push_back({inputs, s.callables, 12, 13});
  }
  m.strategy_candidates = 5;
  return m;
}

TEST(StrategiesText, HasTimesBySetAndWhatIsRetained) {
  const std::string text = strategies_text(example({"image", "text"}));
  EXPECT_THAT(text, HasSubstr("strategies: 2 of 5 candidates"));
  EXPECT_THAT(text, HasSubstr("1 = image, 2 = text\n"));
  EXPECT_THAT(text, HasSubstr("4.1 kB   0 B       1.5 ms  1.5 ms  2.50 s  full_retention"));
  EXPECT_THAT(text, HasSubstr("#2  features"));
  EXPECT_THAT(text, HasSubstr("only image changes  runs segment_b"));
  EXPECT_THAT(text, HasSubstr("output 'y' differs"));
}

TEST(StrategiesText, ManyInputsHaveAColumnEachAndOneForAll) {
  const std::string text = strategies_text(example({"a", "b", "c", "d"}));
  EXPECT_THAT(text, HasSubstr("1.5 ms  1.5 ms  1.5 ms  1.5 ms  12 us  full_retention"));
  EXPECT_THAT(text, Not(HasSubstr("2.50 s")));
}

}  // namespace
}  // namespace changeaware::cli
