#include "normalise/aliasing.h"

#include <algorithm>

#include "normalise/polynomial.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

// Sizes and strides at one point of the symbols. Unsigned, so that hostile sizes wrap around.
struct StridedLayout {
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> strides;
};

std::optional<StridedLayout> layout_at(const TensorSpec& spec, uint32_t point) {
  StridedLayout layout;
  for (const Dim& dim : spec.dims) {
    const auto value = value_at(dim, point);
    if (!value) return std::nullopt;
    layout.sizes.push_back(static_cast<uint64_t>(*value));
  }
  for (const Dim& dim : spec.strides) {
    const auto value = value_at(dim, point);
    if (!value) return std::nullopt;
    layout.strides.push_back(static_cast<uint64_t>(*value));
  }
  if (!layout.strides.empty() && layout.strides.size() != layout.sizes.size()) return std::nullopt;
  if (layout.strides.empty()) {
    layout.strides.resize(layout.sizes.size());
    uint64_t stride = 1;
    for (size_t i = layout.sizes.size(); i > 0; --i) {
      layout.strides[i - 1] = stride;
      stride *= layout.sizes[i - 1];
    }
  }
  return layout;
}

bool empty(const StridedLayout& layout) {
  return std::find(layout.sizes.begin(), layout.sizes.end(), 0u) != layout.sizes.end();
}

bool contiguous(const StridedLayout& layout) {
  if (empty(layout)) return true;
  uint64_t expected = 1;
  for (size_t i = layout.sizes.size(); i > 0; --i) {
    if (layout.sizes[i - 1] != 1 && layout.strides[i - 1] != expected) return false;
    expected *= layout.sizes[i - 1];
  }
  return true;
}

// Runs of dimensions that lie in memory like one dimension must each be split among whole
// dimensions of the new shape.
bool viewable(const StridedLayout& from, const std::vector<uint64_t>& to) {
  if (empty(from)) return true;
  size_t j = to.size();
  uint64_t run = 1;
  uint64_t innermost = from.strides.empty() ? 1 : from.strides.back();
  for (size_t i = from.sizes.size(); i > 0; --i) {
    run *= from.sizes[i - 1];
    const bool joins = i > 1 && (from.sizes[i - 2] == 1 || from.strides[i - 2] == run * innermost);
    if (joins) continue;
    uint64_t filled = 1;
    while (j > 0 && (filled < run || to[j - 1] == 1)) filled *= to[--j];
    if (filled != run) return false;
    run = 1;
    if (i > 1) innermost = from.strides[i - 2];
  }
  return std::all_of(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(j),
                     [](uint64_t size) { return size == 1; });
}

// The answer that holds at every point that is tried.
template <class Ask>
Ternary agreed(Ask ask) {
  constexpr uint32_t kPoints = 3;
  std::optional<bool> answer;
  for (uint32_t point = 0; point < kPoints; ++point) {
    const std::optional<bool> here = ask(point);
    if (!here || (answer && *answer != *here)) return Ternary::kUnknown;
    answer = here;
  }
  return *answer ? Ternary::kYes : Ternary::kNo;
}

Sharing sharing_if(Ternary shares, Sharing kind) {
  return shares == Ternary::kYes  ? kind
         : shares == Ternary::kNo ? Sharing::kFresh
                                  : Sharing::kUnknown;
}

const TensorSpec* spec_of(const Graph& graph, ValueId id) {
  return id == kNoId ? nullptr : &graph.value(id).spec;
}

// reshape and its kin: a view where the strides allow one.
Sharing reshape_sharing(const Graph& graph, const Node& node) {
  const auto* self = std::get_if<ValueRef>(&node.args[0]);
  if (self == nullptr || node.outputs[0] == kNoId) return Sharing::kUnknown;
  return sharing_if(can_view(graph.value(self->id).spec, graph.value(node.outputs[0]).spec),
                    Sharing::kView);
}

bool keeps_layout(const Argument& format) {
  if (is_none(format)) return true;
  const auto* f = std::get_if<MemoryFormat>(&format);
  return f != nullptr && *f == MemoryFormat::kPreserve;
}

Sharing contiguous_sharing(const Graph& graph, const Node& node) {
  const auto* self = std::get_if<ValueRef>(&node.args[0]);
  const auto* format = std::get_if<MemoryFormat>(&argument(node, "memory_format"));
  if (self == nullptr) return Sharing::kUnknown;
  if (format != nullptr && *format != MemoryFormat::kContiguous) return Sharing::kUnknown;
  return sharing_if(is_contiguous(graph.value(self->id).spec), Sharing::kSame);
}

// to.*: the tensor itself when nothing about it changes.
Sharing to_sharing(const Graph& graph, const Node& node) {
  const TensorSpec* from = spec_of(graph, tensor_argument(node, "self"));
  const TensorSpec* to = spec_of(graph, node.outputs[0]);
  if (from == nullptr || to == nullptr) return Sharing::kUnknown;
  const auto* copy = std::get_if<bool>(&argument(node, "copy"));
  if (copy == nullptr) return Sharing::kUnknown;
  if (*copy || from->dtype != to->dtype) return Sharing::kFresh;
  if (node.op->arg_index("memory_format") < 0) return Sharing::kSame;
  const Argument& format = argument(node, "memory_format");
  if (keeps_layout(format)) return Sharing::kSame;
  const auto* f = std::get_if<MemoryFormat>(&format);
  if (f == nullptr || *f != MemoryFormat::kContiguous) return Sharing::kUnknown;
  return sharing_if(is_contiguous(*from), Sharing::kSame);
}

Sharing type_as_sharing(const Graph& graph, const Node& node) {
  const TensorSpec* from = spec_of(graph, tensor_argument(node, "self"));
  const TensorSpec* to = spec_of(graph, node.outputs[0]);
  if (from == nullptr || to == nullptr) return Sharing::kUnknown;
  return from->dtype == to->dtype ? Sharing::kSame : Sharing::kFresh;
}

// A contraction of several tensors computes; one tensor may come back permuted.
Sharing einsum_sharing(const Graph&, const Node& node) {
  const auto* tensors = std::get_if<TensorList>(&argument(node, "tensors"));
  return tensors != nullptr && tensors->items.size() > 1 ? Sharing::kFresh : Sharing::kUnknown;
}

Sharing same(const Graph&, const Node&) { return Sharing::kSame; }
Sharing view(const Graph&, const Node&) { return Sharing::kView; }
Sharing unknown(const Graph&, const Node&) { return Sharing::kUnknown; }

struct Rule {
  std::string_view base_name;
  Sharing (*sharing)(const Graph&, const Node&);
};

// Operators of which the schema says too little. The shared argument is the first.
constexpr Rule kRules[] = {
    {"alias", same},
    {"detach", same},
    {"lift", same},
    {"lift_fresh", same},
    {"positive", same},
    {"reshape", reshape_sharing},
    {"reshape_as", reshape_sharing},
    {"flatten", reshape_sharing},
    {"ravel", reshape_sharing},
    {"contiguous", contiguous_sharing},
    {"to", to_sharing},
    {"type_as", type_as_sharing},
    {"_unsafe_view", view},
    {"unsafe_chunk", view},
    {"unsafe_split", view},
    {"unsafe_split_with_sizes", view},
    {"einsum", einsum_sharing},
    {"atleast_1d", unknown},
    {"atleast_2d", unknown},
    {"atleast_3d", unknown},
    {"broadcast_tensors", unknown},
    {"cartesian_prod", unknown},
    {"channel_shuffle", unknown},
    {"data", unknown},
    {"meshgrid", unknown},
    {"native_channel_shuffle", unknown},
    {"sum_to_size", unknown},
};

}  // namespace

Aliasing aliasing_of(const Graph& graph, const Node& node) {
  if (node.op->ns() == "aten") {
    const auto* rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) {
      return r.base_name == node.op->base_name();
    });
    if (rule != std::end(kRules)) return {rule->sharing(graph, node), 0};
  }
  for (const ReturnSchema& result : node.op->returns) {
    if (result.alias_set.empty()) continue;
    for (size_t i = 0; i < node.op->args.size(); ++i) {
      if (node.op->args[i].alias_set != result.alias_set) continue;
      const bool one =
          node.op->returns.size() == 1 && std::holds_alternative<ValueRef>(node.args[i]);
      return {one ? Sharing::kView : Sharing::kUnknown, i};
    }
    return {Sharing::kUnknown, 0};
  }
  return {};
}

Ternary is_contiguous(const TensorSpec& spec) {
  if (spec.strides.empty()) return Ternary::kYes;
  return agreed([&](uint32_t point) -> std::optional<bool> {
    const auto layout = layout_at(spec, point);
    if (!layout) return std::nullopt;
    return contiguous(*layout);
  });
}

Ternary can_view(const TensorSpec& from, const TensorSpec& to) {
  if (is_contiguous(from) == Ternary::kYes) return Ternary::kYes;
  return agreed([&](uint32_t point) -> std::optional<bool> {
    const auto a = layout_at(from, point);
    const auto b = layout_at(to, point);
    if (!a || !b) return std::nullopt;
    return viewable(*a, b->sizes);
  });
}

}  // namespace changeaware
