#include "engine/openvino/test_support.h"

#include <cstring>
#include <sstream>
#include <utility>

namespace changeaware::ovn {
namespace {

struct Spec {
  DType dtype;
  Shape shape;
};

Spec parse_spec(const std::string& text) {
  const auto graph = parse_graph("graph(%x: " + text + ") { return (%x) }");
  if (!graph.ok()) return {DType::kFloat32, {-1}};
  const TensorSpec& spec = graph->value(graph->inputs()[0]).spec;
  return {spec.dtype, spec.hint_shape()};
}

uint16_t half_bits(double v) {
  const _Float16 h = static_cast<_Float16>(v);
  uint16_t bits;
  std::memcpy(&bits, &h, sizeof bits);
  return bits;
}

template <class T>
void store(const Tensor& t, const std::vector<double>& values) {
  auto* out = reinterpret_cast<T*>(t.mutable_data());
  for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<T>(values[i]);
}

template <class T>
std::vector<double> load(const Tensor& t) {
  const T* data = t.data_as<T>();
  return std::vector<double>(data, data + t.numel());
}

bool close(double got, double expected, double relative) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return expected == got;
  return std::fabs(got - expected) <= 1e-5 + relative * std::fabs(expected);
}

}  // namespace

Tensor tensor_of(const Numbers& numbers) {
  const Spec spec = parse_spec(numbers.spec);
  Tensor t = Tensor::empty(spec.dtype, spec.shape);
  switch (spec.dtype) {
    case DType::kFloat32: store<float>(t, numbers.values); break;
    case DType::kInt64: store<int64_t>(t, numbers.values); break;
    case DType::kInt32: store<int32_t>(t, numbers.values); break;
    case DType::kInt16: store<int16_t>(t, numbers.values); break;
    case DType::kInt8: store<int8_t>(t, numbers.values); break;
    case DType::kFloat16: {
      auto* out = reinterpret_cast<uint16_t*>(t.mutable_data());
      for (size_t i = 0; i < numbers.values.size(); ++i) out[i] = half_bits(numbers.values[i]);
      break;
    }
    default: store<uint8_t>(t, numbers.values); break;
  }
  return t;
}

std::vector<double> values_of(const Tensor& tensor) {
  const Tensor t = tensor.contiguous();
  switch (t.dtype()) {
    case DType::kFloat32: return load<float>(t);
    case DType::kInt64: return load<int64_t>(t);
    case DType::kInt32: return load<int32_t>(t);
    case DType::kInt16: return load<int16_t>(t);
    case DType::kInt8: return load<int8_t>(t);
    case DType::kFloat16: return load<_Float16>(t);
    default: return load<uint8_t>(t);
  }
}

const Engine& test_engine() {
  static const Engine* engine = [] {
    auto made = make_openvino_engine({.threads = 2});
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return std::move(made).value().release();
  }();
  return *engine;
}

Result<std::unique_ptr<Executable>> compile_text(const std::string& graph) {
  CA_ASSIGN_OR_RETURN(const Graph parsed, parse_graph(graph));
  return test_engine().compile(parsed);
}

Result<std::vector<Tensor>> run_text(const std::string& graph, const std::vector<Numbers>& inputs) {
  CA_ASSIGN_OR_RETURN(const Graph parsed, parse_graph(graph));
  CA_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, test_engine().compile(parsed));
  std::vector<Tensor> given;
  for (const Numbers& n : inputs) given.push_back(tensor_of(n));
  std::vector<Tensor> outputs(parsed.outputs().size());
  CA_RETURN_IF_ERROR(executable->run(given, outputs));
  return outputs;
}

::testing::AssertionResult matches(const Tensor& got, const Numbers& expected, double relative) {
  const Tensor wanted = tensor_of(expected);
  std::ostringstream text;
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape()) {
    return ::testing::AssertionFailure() << dtype_name(got.dtype()) << shape_to_string(got.shape())
                                         << " instead of " << expected.spec;
  }
  const auto a = values_of(got);
  const auto b = values_of(wanted);
  const double allowed = is_floating(wanted.dtype()) ? relative : 0;
  bool same = true;
  for (size_t i = 0; i < b.size(); ++i) {
    const bool ok = is_floating(wanted.dtype()) ? close(a[i], b[i], allowed) : a[i] == b[i];
    same = same && ok;
    text << (ok ? " " : " >") << a[i] << (ok ? "" : "≠" + std::to_string(b[i]));
  }
  if (same) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text.str();
}

}  // namespace changeaware::ovn
