#include "graph/text_names.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/element.h"

namespace changeaware {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 16> kDTypes = {{
    {DType::kUInt8, "u8"},
    {DType::kInt8, "i8"},
    {DType::kInt16, "i16"},
    {DType::kInt32, "i32"},
    {DType::kInt64, "i64"},
    {DType::kFloat16, "f16"},
    {DType::kFloat32, "f32"},
    {DType::kFloat64, "f64"},
    {DType::kComplex32, "c32"},
    {DType::kComplex64, "c64"},
    {DType::kComplex128, "c128"},
    {DType::kBool, "bool"},
    {DType::kBFloat16, "bf16"},
    {DType::kUInt16, "u16"},
    {DType::kUInt32, "u32"},
    {DType::kUInt64, "u64"},
}};

constexpr std::array<std::pair<MemoryFormat, std::string_view>, 4> kFormats = {{
    {MemoryFormat::kContiguous, "contiguous_format"},
    {MemoryFormat::kChannelsLast, "channels_last"},
    {MemoryFormat::kChannelsLast3d, "channels_last_3d"},
    {MemoryFormat::kPreserve, "preserve_format"},
}};

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
  for (int64_t i = 0; i < dense.numel(); ++i) {
    const bool truth = tensor.dtype() == DType::kBool;
    items.push_back(truth ? (dense.data_as<bool>()[i] ? "1" : "0") : element_text(dense, i));
  }
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

bool store_elements(const Tensor& tensor, const std::vector<double>& values) {
  return with_element_type(tensor.dtype(), [&](auto type) {
    using T = decltype(type);
    for (size_t i = 0; i < values.size(); ++i) {
      reinterpret_cast<T*>(tensor.mutable_data())[i] = static_cast<T>(values[i]);
    }
  });
}

}  // namespace changeaware
