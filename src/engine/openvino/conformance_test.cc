// Every operator that has a translation of ours, and the frontend's conversions that we rely on,
// against what PyTorch eager answers.
#include <set>

#include "engine/openvino/test_support.h"
#include "engine/openvino/translations/translation.h"

namespace changeaware::ovn {
namespace {

struct Case {
  std::string op;
  std::string graph;
  std::vector<Numbers> inputs;
  std::vector<Numbers> expected;
};

const std::vector<Case>& cases() {
  static const auto* all = new std::vector<Case>{
#include "engine/openvino/conformance_cases.inc"
  };
  return *all;
}

class Conformance : public ::testing::TestWithParam<size_t> {};

TEST_P(Conformance, AgreesWithEager) {
  const Case& c = cases().at(GetParam());
  SCOPED_TRACE(c.graph);
  const auto outputs = run_text(c.graph, c.inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().to_string();
  ASSERT_EQ(outputs->size(), c.expected.size());
  for (size_t i = 0; i < c.expected.size(); ++i) {
    EXPECT_TRUE(matches((*outputs)[i], c.expected[i])) << "output " << i;
  }
}

std::string case_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = cases().at(info.param).op;
  for (char& ch : name) {
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  }
  return name + "_" + std::to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Ops, Conformance, ::testing::Range<size_t>(0, cases().size()), case_name);

TEST(Conformance, EveryTranslationHasACase) {
  std::set<std::string> covered;
  for (const Case& c : cases()) {
    const auto graph = parse_graph(c.graph);
    ASSERT_TRUE(graph.ok()) << c.graph << graph.status().to_string();
    for (const Node& node : graph->nodes()) {
      const Translation* line = find_translation(*graph, node);
      if (line != nullptr) covered.insert(std::string(line->op));
    }
  }
  for (const Translation& line : translations()) {
    // Only there to refuse.
    if (line.op == "aten.atan2.default") continue;
    EXPECT_TRUE(covered.contains(std::string(line.op))) << line.op << " has no case";
  }
}

}  // namespace
}  // namespace changeaware::ovn
