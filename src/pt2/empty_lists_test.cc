// An exporter that does not know the elements' type spells an empty list as one of another kind.
#include <gtest/gtest.h>

#include "graph/text.h"
#include "pt2/argument_reader.h"
#include "pt2/test_programs.h"

namespace changeaware {
namespace {

constexpr const char* kSpellings[] = {
    "as_tensors", "as_optional_tensors", "as_ints",        "as_sym_ints",
    "as_floats",  "as_sym_floats",       "as_bools",       "as_sym_bools",
    "as_strings", "as_int_lists",        "as_float_lists", "as_nested_tensors",
};

// The argument of the type that is spelt {"as_…": []}, as an operator gets it.
Result<Argument> read_empty(const char* spelling, const std::string& type) {
  CA_ASSIGN_OR_RETURN(const OpSchema op,
                      parse_op_schema("trial.op.default", "(" + type + " list) -> Tensor"));
  CA_ASSIGN_OR_RETURN(const auto json,
                      JsonDocument::parse("{\"" + std::string(spelling) + "\": []}", "test"));
  CA_ASSIGN_OR_RETURN(const Argument argument, read_argument(json->root(), ArgumentScope{}));
  return fit_argument(argument, op.args[0], Graph());
}

struct EmptyListCase {
  const char* type;
  Argument wanted;
};

class EmptyLists : public testing::TestWithParam<EmptyListCase> {};

TEST_P(EmptyLists, AreReadInEverySpelling) {
  for (const char* spelling : kSpellings) {
    const auto argument = read_empty(spelling, GetParam().type);
    ASSERT_TRUE(argument.ok()) << spelling << ": " << argument.status().to_string();
    EXPECT_EQ(*argument, GetParam().wanted) << spelling;
  }
}

const std::vector<int64_t> kNoInts;
const std::vector<double> kNoFloats;
const std::vector<bool> kNoBools;

INSTANTIATE_TEST_SUITE_P(
    EveryElementType, EmptyLists,
    testing::Values(
        EmptyListCase{"Tensor[]", TensorList{}}, EmptyListCase{"Tensor?[]", TensorList{}},
        EmptyListCase{"int[]", kNoInts}, EmptyListCase{"SymInt[]", kNoInts},
        EmptyListCase{"int[]?", kNoInts}, EmptyListCase{"int[2]", kNoInts},
        EmptyListCase{"float[]", kNoFloats}, EmptyListCase{"float[]?", kNoFloats},
        EmptyListCase{"SymFloat[]", kNoFloats}, EmptyListCase{"Scalar[]", kNoFloats},
        EmptyListCase{"bool[]", kNoBools}, EmptyListCase{"SymBool[]", kNoBools},
        EmptyListCase{"bool[]?", kNoBools}, EmptyListCase{"str[]", TensorList{}},
        EmptyListCase{"ScalarType[]", TensorList{}}, EmptyListCase{"Device[]", TensorList{}},
        EmptyListCase{"Dimname[]", TensorList{}}, EmptyListCase{"Tensor[][]", TensorList{}},
        EmptyListCase{"int[][]", TensorList{}}));

TEST(EmptyList, IsNoNumberAndNoTensor) {
  for (const char* type : {"Tensor", "int", "float", "bool", "Scalar", "str", "Generator?"}) {
    const auto argument = read_empty("as_bools", type);
    ASSERT_FALSE(argument.ok()) << type;
    EXPECT_EQ(argument.status().code(), StatusCode::kInvalidProgram) << type;
  }
}

TEST(EmptyList, OfOperandsIsReadInEverySpelling) {
  const std::string wanted = print_graph(read_ok(program_path("no_operands")).graph);
  for (const char* spelling : kSpellings) {
    const auto program = read_archive(edited_copy(
        program_path("no_operands"), replace_in("models/model.json", "\"as_tensors\": []",
                                                "\"" + std::string(spelling) + "\": []")));
    ASSERT_TRUE(program.ok()) << spelling << ": " << program.status().to_string();
    EXPECT_EQ(print_graph(program->graph), wanted) << spelling;
  }
}

TEST(EmptyList, OfOperandsMayNotHideElements) {
  const auto program = read_archive(
      edited_copy(program_path("no_operands"),
                  replace_in("models/model.json", "\"as_tensors\": []", "\"as_bools\": [true]")));
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace changeaware
