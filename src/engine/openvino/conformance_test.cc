// Every operator that has a translation of ours, and the frontend's conversions that we rely on,
// against what PyTorch eager answers.
#include <set>

#include "engine/openvino/conformance_cases.h"
#include "engine/openvino/translations/translation.h"

namespace changeaware::ovn {
namespace {

class Conformance : public ::testing::TestWithParam<size_t> {};

TEST_P(Conformance, AgreesWithEager) {
  const ConformanceCase& c = conformance_cases()[GetParam()];
  SCOPED_TRACE(c.graph);
  const auto outputs = run_text(c.graph, numbers_of(c.inputs));
  ASSERT_TRUE(outputs.ok()) << outputs.status().to_string();
  const std::vector<Numbers> expected = numbers_of(c.expected);
  ASSERT_EQ(outputs->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(matches((*outputs)[i], expected[i])) << "output " << i;
  }
}

std::string case_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = conformance_cases()[info.param].op;
  for (char& ch : name) {
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  }
  return name + "_" + std::to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Ops, Conformance, ::testing::Range<size_t>(0, conformance_cases().size()),
                         case_name);

TEST(Conformance, EveryTranslationHasACase) {
  std::set<std::string> covered;
  for (const ConformanceCase& c : conformance_cases()) {
    const auto graph = parse_graph(c.graph);
    ASSERT_TRUE(graph.ok()) << c.graph << graph.status().to_string();
    for (const Node& node : graph->nodes()) {
      const Translation* line = find_translation(*graph, node);
      if (line != nullptr) covered.insert(std::string(line->op));
    }
  }
  for (const Translation& line : translations()) {
    EXPECT_TRUE(covered.contains(std::string(line.op))) << line.op << " has no case";
  }
}

}  // namespace
}  // namespace changeaware::ovn
