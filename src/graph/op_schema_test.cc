#include "graph/op_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

namespace changeaware {
namespace {

using ::testing::HasSubstr;

const ArgSchema& arg(const OpSchema& op, std::string_view name) {
  const int index = op.arg_index(name);
  EXPECT_GE(index, 0) << op.name << " has no argument " << name;
  return op.args.at(static_cast<size_t>(index));
}

const OpSchema& op(std::string_view name) {
  const OpSchema* found = find_op(name);
  EXPECT_NE(found, nullptr) << name;
  static const OpSchema empty;
  return found == nullptr ? empty : *found;
}

TEST(OpTable, EveryEntryParses) {
  ASSERT_GT(op_table_size(), 3800u);
  for (size_t i = 0; i < op_table_size(); ++i) {
    const std::string_view name = op_name_at(i);
    const OpSchema* found = find_op(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->name, name);
  }
}

TEST(OpTable, NamesAreSortedAndUnique) {
  for (size_t i = 1; i < op_table_size(); ++i) {
    EXPECT_LT(op_name_at(i - 1), op_name_at(i));
  }
}

TEST(OpTable, MutationIsWrittenInReturnsToo) {
  // A result that is marked mutated names the set of a mutated argument.
  for (size_t i = 0; i < op_table_size(); ++i) {
    const OpSchema& schema = op(op_name_at(i));
    std::set<std::string> mutated;
    for (const ArgSchema& a : schema.args) {
      if (a.mutated) mutated.insert(a.alias_set);
    }
    for (const ReturnSchema& r : schema.returns) {
      EXPECT_TRUE(!r.mutated || mutated.contains(r.alias_set)) << schema.name;
    }
  }
}

TEST(OpTable, AnUnknownNameIsNull) {
  EXPECT_EQ(find_op("aten.add.Tensr"), nullptr);
  EXPECT_EQ(find_op("aten.add"), nullptr);
  EXPECT_EQ(find_op(""), nullptr);
  EXPECT_EQ(find_op("zzz"), nullptr);
}

TEST(OpTable, TwoThreadsGetTheSameSchemas) {
  std::vector<const OpSchema*> first, second;
  const auto collect = [](std::vector<const OpSchema*>& out) {
    for (size_t i = 0; i < op_table_size(); ++i) out.push_back(find_op(op_name_at(i)));
  };
  std::thread a([&] { collect(first); });
  std::thread b([&] { collect(second); });
  a.join();
  b.join();
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.size(), op_table_size());
}

TEST(OpTable, PartsOfNames) {
  EXPECT_EQ(op("aten.add.Tensor").ns(), "aten");
  EXPECT_EQ(op("aten.add.Tensor").base_name(), "add");
  EXPECT_EQ(op("aten.add.Tensor").overload(), "Tensor");
  EXPECT_EQ(op("aten.relu.default").overload(), "default");
  EXPECT_EQ(op("_operator.mul").base_name(), "mul");
}

TEST(OpTable, ArgumentsHaveTypesAndDefaults) {
  const OpSchema& add = op("aten.add.Tensor");
  ASSERT_EQ(add.args.size(), 3u);
  EXPECT_EQ(add.args[0].type, ArgType::kTensor);
  EXPECT_FALSE(add.args[0].keyword_only);
  EXPECT_FALSE(add.args[0].has_default);
  EXPECT_EQ(add.args[2].name, "alpha");
  EXPECT_EQ(add.args[2].type, ArgType::kScalar);
  EXPECT_TRUE(add.args[2].keyword_only);
  EXPECT_EQ(add.args[2].default_value, Argument(int64_t{1}));
  EXPECT_FALSE(add.mutates());

  const OpSchema& gelu = op("aten.gelu.default");
  EXPECT_EQ(arg(gelu, "approximate").default_value, Argument(std::string("none")));

  const OpSchema& norm = op("aten.layer_norm.default");
  EXPECT_EQ(arg(norm, "normalized_shape").type, ArgType::kIntList);
  EXPECT_TRUE(arg(norm, "normalized_shape").symbolic);
  EXPECT_TRUE(arg(norm, "weight").optional);
  EXPECT_EQ(arg(norm, "weight").default_value, Argument(None{}));
  EXPECT_EQ(arg(norm, "eps").default_value, Argument(1e-5));
  EXPECT_EQ(arg(norm, "cudnn_enable").default_value, Argument(true));
}

TEST(OpTable, FixedSizeListsAndTheirDefaults) {
  const OpSchema& conv = op("aten.conv2d.default");
  EXPECT_EQ(arg(conv, "stride").list_size, 2);
  EXPECT_EQ(arg(conv, "stride").default_value, Argument(std::vector<int64_t>{1, 1}));
  EXPECT_EQ(arg(conv, "padding").default_value, Argument(std::vector<int64_t>{0, 0}));
  const OpSchema& pool = op("aten.max_pool2d.default");
  EXPECT_EQ(arg(pool, "stride").default_value, Argument(std::vector<int64_t>{}));
  const OpSchema& sum = op("aten.sum.dim_IntList");
  EXPECT_EQ(arg(sum, "dim").list_size, 1);
  EXPECT_TRUE(arg(sum, "dim").optional);
  EXPECT_FALSE(arg(sum, "dim").has_default);
  const OpSchema& backward = op("aten.convolution_backward.default");
  EXPECT_EQ(arg(backward, "output_mask").type, ArgType::kBoolList);
  EXPECT_EQ(arg(backward, "output_mask").list_size, 3);
}

TEST(OpTable, OptionalElementsAreNotAnOptionalList) {
  const OpSchema& index = op("aten.index.Tensor");
  EXPECT_EQ(arg(index, "indices").type, ArgType::kTensorList);
  EXPECT_FALSE(arg(index, "indices").optional);
  const OpSchema& cat = op("aten.cat.default");
  EXPECT_EQ(arg(cat, "tensors").type, ArgType::kTensorList);
}

TEST(OpTable, EnumeratorsAndDevices) {
  EXPECT_EQ(arg(op("aten.contiguous.default"), "memory_format").default_value,
            Argument(MemoryFormat::kContiguous));
  EXPECT_EQ(arg(op("aten.tril_indices.default"), "dtype").default_value, Argument(DType::kInt64));
  const OpSchema& zeros = op("aten.zeros.default");
  EXPECT_EQ(arg(zeros, "dtype").type, ArgType::kScalarType);
  EXPECT_EQ(arg(zeros, "layout").type, ArgType::kLayout);
  EXPECT_EQ(arg(zeros, "device").type, ArgType::kDevice);
  EXPECT_EQ(arg(op("aten.mse_loss.default"), "reduction").default_value, Argument(int64_t{1}));
  EXPECT_EQ(arg(op("aten.bernoulli.default"), "generator").type, ArgType::kOther);
  EXPECT_TRUE(arg(op("aten.bernoulli.default"), "generator").optional);
}

TEST(OpTable, ViewsShareTheSetOfTheirBase) {
  const OpSchema& select = op("aten.select.int");
  EXPECT_EQ(select.args[0].alias_set, "a");
  EXPECT_FALSE(select.args[0].mutated);
  ASSERT_EQ(select.returns.size(), 1u);
  EXPECT_EQ(select.returns[0].alias_set, "a");
  const OpSchema& split = op("aten.split.Tensor");
  EXPECT_TRUE(split.returns_list());
  EXPECT_EQ(split.args[0].alias_set, "a");
  EXPECT_EQ(split.returns[0].alias_set, "a");
  EXPECT_EQ(op("aten.to.prim_dtype").returns[0].alias_set, "a");
  EXPECT_EQ(op("aten.relu.default").returns[0].alias_set, "");
}

TEST(OpTable, InPlaceOperatorsMutate) {
  const OpSchema& copy = op("aten.copy_.default");
  EXPECT_TRUE(copy.mutates());
  EXPECT_TRUE(copy.args[0].mutated);
  EXPECT_FALSE(copy.args[1].mutated);
  EXPECT_TRUE(copy.returns[0].mutated);
  const OpSchema& foreach_add = op("aten._foreach_add_.Scalar");
  EXPECT_TRUE(foreach_add.mutates());
  EXPECT_TRUE(foreach_add.returns.empty());
}

TEST(OpTable, SeveralResults) {
  const OpSchema& max = op("aten.max.dim");
  ASSERT_EQ(max.returns.size(), 2u);
  EXPECT_FALSE(max.returns_list());
  EXPECT_EQ(max.returns[1].type, ArgType::kTensor);
  const OpSchema& flash = op("aten._flash_attention_forward.default");
  EXPECT_EQ(flash.returns.size(), 5u);
  EXPECT_TRUE(op("aten._assert_async.msg").returns.empty());
  EXPECT_EQ(op("aten.sym_size.int").returns[0].type, ArgType::kInt);
}

TEST(OpTable, FlagsComeFromTagsAndFromTheLists) {
  for (const char* name :
       {"aten.dropout.default", "aten.dropout_.default", "aten.bernoulli_.float",
        "aten.rand.default", "aten.rand_like.default", "aten.randn.default", "aten.randint.low",
        "aten.randperm.default", "aten.multinomial.default", "aten.normal.float_Tensor",
        "aten.native_dropout.default", "aten.alpha_dropout.default", "aten.feature_dropout.default",
        "aten.rrelu.default", "aten.uniform_.default", "aten.exponential_.default",
        "aten.poisson.default", "aten.lstm.input", "aten.scaled_dot_product_attention.default"}) {
    EXPECT_TRUE(op(name).random) << name;
  }
  for (const char* name : {"aten.add.Tensor", "aten.igamma.default", "aten.relu.default",
                           "aten.native_dropout_backward.default"}) {
    EXPECT_FALSE(op(name).random) << name;
  }
  for (const char* name :
       {"aten._assert_async.msg", "aten._assert_scalar.default",
        "aten._assert_tensor_metadata.default", "aten._print.default", "aten.record_stream.default",
        "aten.sym_constrain_range_for_size.default"}) {
    EXPECT_TRUE(op(name).has_effects) << name;
  }
  EXPECT_FALSE(op("aten.add_.Tensor").has_effects);
  EXPECT_TRUE(op("aten.nonzero.default").data_dependent_shape);
  EXPECT_TRUE(op("aten.item.default").data_dependent_shape);
  EXPECT_FALSE(op("aten.sum.default").data_dependent_shape);
  EXPECT_TRUE(op("aten.conv2d.default").composite);
  EXPECT_FALSE(op("aten.convolution.default").composite);
}

TEST(OpTable, SubgraphsAndSymbolicArithmetic) {
  const OpSchema& grad = op("higher_order.wrap_with_set_grad_enabled");
  ASSERT_EQ(grad.args.size(), 3u);
  EXPECT_EQ(grad.args[1].type, ArgType::kGraph);
  EXPECT_EQ(grad.args[2].type, ArgType::kTensorList);
  EXPECT_TRUE(grad.returns_list());
  const OpSchema& autocast = op("higher_order.wrap_with_autocast");
  EXPECT_EQ(autocast.args.size(), 6u);
  EXPECT_TRUE(arg(autocast, "cache_enabled").optional);
  EXPECT_EQ(op("_operator.floordiv").args.size(), 2u);
  EXPECT_EQ(op("_operator.lt").returns[0].type, ArgType::kBool);
  EXPECT_EQ(op("torch.sym_ite").args.size(), 3u);
  EXPECT_EQ(op("torch.sym_sum").args[0].type, ArgType::kIntList);
}

TEST(ParseOpSchema, ReadsTheSpellingOfNativeFunctionsYaml) {
  const auto parsed = parse_op_schema(
      "x.y.z",
      "(Tensor(a!) self, int[2] stride=1, *, int reduction=Mean, str mode='re\\'flect', "
      "ScalarType dtype=long, MemoryFormat? memory_format=contiguous_format, float eps=1e-05, "
      "float[]? scales=None, bool[2] mask=[True, False]) -> (Tensor(a!) out, Tensor[] rest)");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(arg(*parsed, "stride").default_value, Argument(std::vector<int64_t>{1, 1}));
  EXPECT_EQ(arg(*parsed, "reduction").default_value, Argument(int64_t{1}));
  EXPECT_EQ(arg(*parsed, "mode").default_value, Argument(std::string("re'flect")));
  EXPECT_EQ(arg(*parsed, "dtype").default_value, Argument(DType::kInt64));
  EXPECT_EQ(arg(*parsed, "memory_format").default_value, Argument(MemoryFormat::kContiguous));
  EXPECT_EQ(arg(*parsed, "eps").default_value, Argument(1e-5));
  EXPECT_EQ(arg(*parsed, "mask").default_value, Argument(std::vector<bool>{true, false}));
  EXPECT_FALSE(arg(*parsed, "stride").keyword_only);
  EXPECT_TRUE(arg(*parsed, "mask").keyword_only);
  ASSERT_EQ(parsed->returns.size(), 2u);
  EXPECT_EQ(parsed->returns[1].type, ArgType::kTensorList);
}

TEST(ParseOpSchema, WhatItCannotReadIsNamed) {
  for (const char* text :
       {"", "(", "(Tensor self)", "(Tensor self) -> ", "(Tensor self -> Tensor",
        "(Tensor) -> Tensor", "(Tensor x=1) -> Tensor", "(int x='a') -> Tensor",
        "(int[] x=1) -> Tensor", "(bool x=None) -> Tensor", "(str x=\"a) -> Tensor",
        "(Tensor self) -> Tensor junk more", "(int[2 x) -> Tensor", "(int x=[1) -> Tensor"}) {
    const auto parsed = parse_op_schema("own.op.default", text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidProgram);
    EXPECT_THAT(parsed.status().message(), HasSubstr("own.op.default"));
  }
}

TEST(RegisteredOps, AreFoundAndKeepTheirFirstSchema) {
  EXPECT_EQ(find_op("mylib.twice.default"), nullptr);
  const char* schema = "(Tensor x, int times=2) -> Tensor";
  ASSERT_TRUE(register_op("mylib.twice.default", schema).ok());
  const OpSchema* op = find_op("mylib.twice.default");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->args.size(), 2u);
  EXPECT_TRUE(register_op("mylib.twice.default", schema).ok());
  EXPECT_EQ(find_op("mylib.twice.default"), op);
  const Status other = register_op("mylib.twice.default", "(Tensor x) -> Tensor");
  EXPECT_EQ(other.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(other.message().find("mylib.twice.default"), std::string::npos);
}

TEST(RegisteredOps, PyTorchsOwnStayWhatTheyAre) {
  const Status status = register_op("aten.relu.default", "(Tensor self) -> Tensor");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("aten.relu.default"), std::string::npos);
}

TEST(RegisteredOps, UnknownEffectsAreRefusedByName) {
  const Status status = register_op("mylib.log.default", "(Tensor x) -> ()");
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("mylib.log.default"), std::string::npos);
  EXPECT_TRUE(register_op("mylib.zero_.default", "(Tensor(a!) x) -> ()").ok());
  EXPECT_EQ(register_op("mylib.bad", "(Tensor x) -> Tensor").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(register_op("mylib.bad.default", "(Tensor x").code(), StatusCode::kInvalidProgram);
}

}  // namespace
}  // namespace changeaware
