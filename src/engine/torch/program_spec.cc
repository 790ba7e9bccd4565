#include "engine/torch/program_spec.h"

#include <deque>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "engine/torch_numbers.h"

namespace changeaware::torch {
namespace {

int32_t value_number(ValueId id) { return id == kNoId ? -1 : static_cast<int32_t>(id); }

}  // namespace

// Deques: what points into them stays valid as they grow.
struct ProgramSpec::Parts {
  std::vector<CaTorchInput> inputs;
  std::vector<CaTorchConstant> constants;
  std::vector<CaTorchNode> nodes;
  std::vector<int32_t> outputs;
  std::deque<std::vector<CaTorchArgument>> arguments;
  std::deque<std::vector<int32_t>> node_outputs;
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<uint8_t>> flags;
};

namespace {

// Writes one kind of argument each.
class ArgumentWriter {
 public:
  ArgumentWriter(std::deque<std::vector<int64_t>>& integers,
                 std::deque<std::vector<uint8_t>>& flags)
      : integers_(integers), flags_(flags) {}

  Status operator()(const None&) { return number(CA_TORCH_NONE, 0); }
  Status operator()(bool v) { return number(CA_TORCH_BOOL, v ? 1 : 0); }
  Status operator()(int64_t v) { return number(CA_TORCH_INT, v); }
  Status operator()(double v) {
    out.number = v;
    return number(CA_TORCH_FLOAT, 0);
  }
  Status operator()(const std::string& v) { return text(CA_TORCH_STRING, v); }
  Status operator()(DType v) { return number(CA_TORCH_DTYPE, scalar_type_number(v)); }
  Status operator()(MemoryFormat v) {
    return number(CA_TORCH_MEMORY_FORMAT, memory_format_number(v));
  }
  Status operator()(Layout v) {
    if (v != Layout::kStrided) return unsupported("a layout that is not strided");
    return number(CA_TORCH_LAYOUT, 0);
  }
  Status operator()(const Device& v) { return text(CA_TORCH_DEVICE, v.type); }
  Status operator()(const ValueRef& v) { return number(CA_TORCH_VALUE, value_number(v.id)); }
  Status operator()(const TensorList& v) {
    std::vector<int64_t> items;
    for (const auto& item : v.items) items.push_back(item ? value_number(*item) : -1);
    return list(CA_TORCH_VALUES, std::move(items));
  }
  Status operator()(const std::vector<int64_t>& v) { return list(CA_TORCH_INTS, v); }
  Status operator()(const std::vector<double>& v) {
    out.kind = CA_TORCH_FLOATS;
    out.count = v.size();
    out.numbers = v.data();
    return {};
  }
  Status operator()(const std::vector<bool>& v) {
    return list(CA_TORCH_BOOLS, std::vector<int64_t>(v.begin(), v.end()));
  }
  Status operator()(const SymIntList& v) {
    std::vector<int64_t> items;
    std::vector<uint8_t> is_value;
    for (const auto& item : v.items) {
      const auto* ref = std::get_if<ValueRef>(&item);
      items.push_back(ref != nullptr ? value_number(ref->id) : std::get<int64_t>(item));
      is_value.push_back(ref != nullptr ? 1 : 0);
    }
    out.is_value = flags_.emplace_back(std::move(is_value)).data();
    return list(CA_TORCH_SYMBOLIC_INTS, std::move(items));
  }
  Status operator()(const std::shared_ptr<const Graph>&) { return unsupported("a nested graph"); }

  CaTorchArgument out{};

 private:
  Status number(CaTorchArgumentKind kind, int64_t v) {
    out.kind = kind;
    out.integer = v;
    return {};
  }
  Status text(CaTorchArgumentKind kind, const std::string& v) {
    out.kind = kind;
    out.text = v.c_str();
    return {};
  }
  Status list(CaTorchArgumentKind kind, std::vector<int64_t> items) {
    const auto& kept = integers_.emplace_back(std::move(items));
    out.kind = kind;
    out.count = kept.size();
    out.integers = kept.data();
    return {};
  }

  std::deque<std::vector<int64_t>>& integers_;
  std::deque<std::vector<uint8_t>>& flags_;
};

}  // namespace

CaTorchTensor describe(const Tensor& tensor) {
  return {scalar_type_number(tensor.dtype()), static_cast<int32_t>(tensor.rank()),
          tensor.shape().data(), tensor.strides().data(), tensor.mutable_data()};
}

ProgramSpec::ProgramSpec(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {
  const Parts& p = *parts_;
  spec_.input_count = p.inputs.size();
  spec_.inputs = p.inputs.data();
  spec_.constant_count = p.constants.size();
  spec_.constants = p.constants.data();
  spec_.node_count = p.nodes.size();
  spec_.nodes = p.nodes.data();
  spec_.output_count = p.outputs.size();
  spec_.outputs = p.outputs.data();
}
ProgramSpec::ProgramSpec(ProgramSpec&&) noexcept = default;
ProgramSpec::~ProgramSpec() = default;

Result<ProgramSpec> ProgramSpec::of(const Graph& graph) {
  auto parts = std::make_unique<Parts>();
  for (const ValueId id : graph.inputs()) {
    parts->inputs.push_back({value_number(id), graph.value(id).kind != ValueKind::kTensor});
  }
  for (const Constant& constant : graph.constants()) {
    parts->constants.push_back({value_number(constant.value),
                                constant.kind == ConstantKind::kParameter,
                                describe(constant.tensor)});
  }
  for (const Node& node : graph.nodes()) {
    auto& arguments = parts->arguments.emplace_back();
    for (const Argument& argument : node.args) {
      ArgumentWriter writer(parts->integers, parts->flags);
      const Status status = std::visit(writer, argument);
      if (!status.ok()) {
        return unsupported("node '{}' ({}): {}", node.name, node.op->name, status.message());
      }
      arguments.push_back(writer.out);
    }
    auto& outputs = parts->node_outputs.emplace_back();
    for (const ValueId id : node.outputs) outputs.push_back(value_number(id));
    parts->nodes.push_back({node.name.c_str(), node.op->name.c_str(), arguments.size(),
                            arguments.data(), outputs.size(), outputs.data()});
  }
  for (const Argument& output : graph.outputs()) {
    const auto* ref = std::get_if<ValueRef>(&output);
    if (ref == nullptr) return internal_error("an output of the region is not a value");
    parts->outputs.push_back(value_number(ref->id));
  }
  ProgramSpec out(std::move(parts));
  out.spec_.value_count = graph.values().size();
  return out;
}

}  // namespace changeaware::torch
