#include "graph/text_names.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace changeaware {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 16> kDTypes = {{
    {DType::kUInt8, "u8"},       {DType::kInt8, "i8"},         {DType::kInt16, "i16"},
    {DType::kInt32, "i32"},      {DType::kInt64, "i64"},       {DType::kFloat16, "f16"},
    {DType::kFloat32, "f32"},    {DType::kFloat64, "f64"},     {DType::kComplex32, "c32"},
    {DType::kComplex64, "c64"},  {DType::kComplex128, "c128"}, {DType::kBool, "bool"},
    {DType::kBFloat16, "bf16"},  {DType::kUInt16, "u16"},      {DType::kUInt32, "u32"},
    {DType::kUInt64, "u64"},
}};

constexpr std::array<std::pair<MemoryFormat, std::string_view>, 4> kFormats = {{
    {MemoryFormat::kContiguous, "contiguous_format"},
    {MemoryFormat::kChannelsLast, "channels_last"},
    {MemoryFormat::kChannelsLast3d, "channels_last_3d"},
    {MemoryFormat::kPreserve, "preserve_format"},
}};

// Calls f(T{}) with the C++ type of a dtype that has one; false for the others.
template <class F>
bool dispatch(DType dtype, F f) {
  switch (dtype) {
    case DType::kUInt8: f(uint8_t{}); return true;
    case DType::kInt8: f(int8_t{}); return true;
    case DType::kInt16: f(int16_t{}); return true;
    case DType::kInt32: f(int32_t{}); return true;
    case DType::kInt64: f(int64_t{}); return true;
    case DType::kFloat32: f(float{}); return true;
    case DType::kFloat64: f(double{}); return true;
    case DType::kBool: f(bool{}); return true;
    default: return false;
  }
}

}  // namespace

std::string_view text_dtype_name(DType dtype) {
  for (const auto& [d, name] : kDTypes) {
    if (d == dtype) return name;
  }
  return "?";
}

std::optional<DType> text_dtype(std::string_view text) {
  for (const auto& [d, name] : kDTypes) {
    if (name == text) return d;
  }
  return std::nullopt;
}

std::string_view memory_format_name(MemoryFormat format) {
  return kFormats[static_cast<size_t>(format)].second;
}

std::optional<MemoryFormat> memory_format(std::string_view text) {
  for (const auto& [f, name] : kFormats) {
    if (name == text) return f;
  }
  return std::nullopt;
}

std::string print_elements(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  std::vector<std::string> items;
  const bool known = dispatch(tensor.dtype(), [&](auto type) {
    using T = decltype(type);
    for (int64_t i = 0; i < dense.numel(); ++i) {
      const T element = dense.data_as<T>()[i];
      if constexpr (std::is_same_v<T, bool>) {
        items.push_back(element ? "1" : "0");
      } else {
        items.push_back(fmt::format("{}", element));
      }
    }
  });
  return known ? fmt::format("{{{}}}", fmt::join(items, ", ")) : "{…}";
}

bool store_elements(const Tensor& tensor, const std::vector<double>& values) {
  return dispatch(tensor.dtype(), [&](auto type) {
    using T = decltype(type);
    for (size_t i = 0; i < values.size(); ++i) {
      reinterpret_cast<T*>(tensor.mutable_data())[i] = static_cast<T>(values[i]);
    }
  });
}

}  // namespace changeaware
