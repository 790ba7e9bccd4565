// Argument: the value of one operator argument in a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "changeaware/tensor.h"

namespace changeaware {

class Graph;

// Index into Graph::values().
using ValueId = uint32_t;
// Index into Graph::nodes().
using NodeId = uint32_t;
inline constexpr uint32_t kNoId = 0xffffffffu;

struct None {
  bool operator==(const None&) const = default;
};
// A tensor or symbolic number computed at run time.
struct ValueRef {
  ValueId id = kNoId;
  bool operator==(const ValueRef&) const = default;
};
// Tensor[] and Tensor?[]; an element may be absent.
struct TensorList {
  std::vector<std::optional<ValueId>> items;
  bool operator==(const TensorList&) const = default;
};
// int[] of which at least one element is computed at run time.
struct SymIntList {
  std::vector<std::variant<int64_t, ValueRef>> items;
  bool operator==(const SymIntList&) const = default;
};
enum class MemoryFormat : uint8_t { kContiguous, kChannelsLast, kChannelsLast3d, kPreserve };
enum class Layout : uint8_t { kStrided, kOther };
struct Device {
  std::string type;  // "cpu"
  bool operator==(const Device&) const = default;
};

using Argument =
    std::variant<None, bool, int64_t, double, std::string, DType, MemoryFormat, Layout, Device,
                 ValueRef, TensorList, std::vector<int64_t>, std::vector<double>, std::vector<bool>,
                 SymIntList, std::shared_ptr<const Graph>>;

}  // namespace changeaware
