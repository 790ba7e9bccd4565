#include "normalise/identities.h"

#include <algorithm>

#include "normalise/aliasing.h"
#include "normalise/rewriter.h"

namespace changeaware {
namespace {

// The call of a pure node with one tensor `self` of the same sizes and dtype as its result.
using Condition = bool (*)(const Graph&, const Node&);

const TensorSpec& spec_of(const Graph& graph, const Node& node) {
  return graph.value(std::get<ValueRef>(node.args[0]).id).spec;
}

bool always(const Graph&, const Node&) { return true; }

// Elements keep their order, so equal sizes are enough.
bool on_cpu(const Graph&, const Node& node) {
  if (node.op->arg_index("device") < 0) return true;
  const auto* device = std::get_if<Device>(&argument(node, "device"));
  return device == nullptr || device->type == "cpu";
}

bool is_step_one(const Graph&, const Node& node) { return int_argument(node, "step") == 1; }

std::optional<int64_t> wrapped(const Argument& argument, size_t rank) {
  const auto* dim = std::get_if<int64_t>(&argument);
  if (dim == nullptr) return std::nullopt;
  return *dim < 0 ? *dim + static_cast<int64_t>(rank) : *dim;
}

bool exchanges_nothing(const Graph& graph, const Node& node) {
  const size_t rank = spec_of(graph, node).dims.size();
  const auto a = wrapped(node.args[1], rank);
  return a && a == wrapped(node.args[2], rank);
}

bool is_vector(const Graph& graph, const Node& node) {
  return spec_of(graph, node).dims.size() < 2;
}

bool permutes_nothing(const Graph&, const Node& node) {
  const auto* dims = std::get_if<std::vector<int64_t>>(&argument(node, "dims"));
  if (dims == nullptr) return false;
  const auto rank = static_cast<int64_t>(dims->size());
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t dim = (*dims)[static_cast<size_t>(i)];
    if (dim != i && dim + rank != i) return false;
  }
  return true;
}

bool pads_nothing(const Graph&, const Node& node) {
  const auto* pad = std::get_if<std::vector<int64_t>>(&argument(node, "pad"));
  return pad != nullptr && std::all_of(pad->begin(), pad->end(), [](int64_t p) { return p == 0; });
}

bool repeats_once(const Graph&, const Node& node) {
  const auto* times = std::get_if<std::vector<int64_t>>(&node.args[1]);
  return times != nullptr &&
         std::all_of(times->begin(), times->end(), [](int64_t t) { return t == 1; });
}

bool flips_nothing(const Graph&, const Node& node) {
  const auto* dims = std::get_if<std::vector<int64_t>>(&argument(node, "dims"));
  return dims != nullptr && dims->empty();
}

struct Entry {
  std::string_view name;
  Condition condition;
  bool copies = false;  // gives memory of its own, in a layout that may be another
};

constexpr Entry kIdentities[] = {
    {"aten.alias.default", always},
    {"aten.clone.default", always, true},
    {"aten.contiguous.default", always, true},
    {"aten.detach.default", always},
    {"aten.lift.default", always},
    {"aten.lift_fresh.default", always},
    {"aten.positive.default", always},
    {"aten.resolve_conj.default", always},
    {"aten.resolve_neg.default", always},
    {"aten.to.dtype", always, true},
    {"aten.to.device", on_cpu, true},
    {"aten.to.dtype_layout", on_cpu, true},
    {"aten._to_copy.default", on_cpu, true},
    // Equal sizes in, equal elements out.
    {"aten.broadcast_to.default", always},
    {"aten.expand.default", always},
    {"aten.expand_as.default", always},
    {"aten.flatten.using_ints", always},
    {"aten.reshape.default", always},
    {"aten.reshape_as.default", always},
    {"aten.unflatten.int", always},
    {"aten.view.default", always},
    {"aten.view_as.default", always},
    {"aten.squeeze.default", always},
    {"aten.squeeze.dim", always},
    {"aten.squeeze.dims", always},
    {"aten.narrow.default", always},
    {"aten.slice.Tensor", is_step_one},
    {"aten.transpose.int", exchanges_nothing},
    {"aten.t.default", is_vector},
    {"aten.permute.default", permutes_nothing},
    {"aten.constant_pad_nd.default", pads_nothing, true},
    {"aten.pad.default", pads_nothing, true},
    {"aten.repeat.default", repeats_once, true},
    {"aten.tile.default", repeats_once, true},
    {"aten.flip.default", flips_nothing, true},
};

// A copy of what is dense and row-major is dense and row-major, unless another layout is asked for.
bool keeps_layout(const Graph& graph, const Node& node) {
  if (is_contiguous(spec_of(graph, node)) != Ternary::kYes) return false;
  if (node.op->arg_index("memory_format") < 0) return true;
  const auto* format = std::get_if<MemoryFormat>(&argument(node, "memory_format"));
  return format == nullptr || *format == MemoryFormat::kContiguous ||
         *format == MemoryFormat::kPreserve;
}

// A scatter over the whole of its target leaves nothing of it.
bool covers_target(const Graph& graph, const Node& node) {
  const ValueId src = tensor_argument(node, "src");
  return src != kNoId && int_argument(node, "step") == 1 &&
         graph.value(src).spec.dims == spec_of(graph, node).dims;
}

}  // namespace

ValueId identity_of(const Graph& graph, const Node& node, bool keep_layout) {
  if (node.outputs.size() != 1 || node.outputs[0] == kNoId || node.args.empty()) return kNoId;
  const TensorSpec& result = graph.value(node.outputs[0]).spec;
  if (node.op->name == "aten.cat.default") {
    const auto* list = std::get_if<TensorList>(&node.args[0]);
    if (list == nullptr || list->items.size() != 1 || !list->items[0]) return kNoId;
    const TensorSpec& only = graph.value(*list->items[0]).spec;
    const bool fits = !keep_layout || is_contiguous(only) == Ternary::kYes;
    return fits && only.dtype == result.dtype && only.dims == result.dims ? *list->items[0] : kNoId;
  }
  const auto* self = std::get_if<ValueRef>(&node.args[0]);
  if (self == nullptr || graph.value(self->id).kind != ValueKind::kTensor) return kNoId;
  const TensorSpec& spec = graph.value(self->id).spec;
  if (node.op->name == "aten.slice_scatter.default" && covers_target(graph, node)) {
    const ValueId src = tensor_argument(node, "src");
    const bool fits = !keep_layout || (is_contiguous(graph.value(src).spec) == Ternary::kYes &&
                                       is_contiguous(spec) == Ternary::kYes);
    return fits && graph.value(src).spec.dtype == result.dtype ? src : kNoId;
  }
  if (spec.dtype != result.dtype || spec.dims != result.dims) return kNoId;
  const auto* entry = std::find_if(std::begin(kIdentities), std::end(kIdentities),
                                   [&](const Entry& e) { return e.name == node.op->name; });
  if (entry == std::end(kIdentities) || !entry->condition(graph, node)) return kNoId;
  if (keep_layout && entry->copies && !keeps_layout(graph, node)) return kNoId;
  return self->id;
}

}  // namespace changeaware
