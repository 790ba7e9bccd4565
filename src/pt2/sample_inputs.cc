#include "pt2/sample_inputs.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "pt2/payloads.h"
#include "pt2/pickle.h"
#include "pt2/treespec.h"

namespace changeaware {
namespace {

using Kind = PickleValue::Kind;

const PickleValue* find_key(const PickleValue& dict, const std::string& key) {
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& k = *dict.items[i];
    if (k.kind == Kind::kString ? k.text == key
                                : k.kind == Kind::kInt && std::to_string(k.number) == key) {
      return dict.items[i + 1];
    }
  }
  return nullptr;
}

// The leaves of `value` in the order of the tree, which decides the order of dictionaries.
Status flatten(const PickleValue& value, const TreeSpec& spec,
               std::vector<const PickleValue*>& leaves) {
  if (spec.is_leaf()) {
    leaves.push_back(&value);
    return {};
  }
  const bool is_dict = value.kind == Kind::kDict;
  const bool is_sequence = value.kind == Kind::kTuple || value.kind == Kind::kList;
  const size_t count = value.items.size() / (is_dict ? 2 : 1);
  if ((!is_dict && !is_sequence) || count != spec.children.size() ||
      (is_dict && spec.keys.size() != count)) {
    return corrupt("its nesting differs from in_spec at a {}", spec.type);
  }
  for (size_t i = 0; i < count; ++i) {
    const PickleValue* child = is_dict ? find_key(value, spec.keys[i]) : value.items[i];
    if (child == nullptr) return corrupt("it has no key {}", spec.keys[i]);
    CA_RETURN_IF_ERROR(flatten(*child, spec.children[i], leaves));
  }
  return {};
}

// One input of the graph; numbers become tensors of rank 0.
Result<Tensor> to_tensor(const PickleValue& leaf, const Value& input) {
  if (input.kind != ValueKind::kTensor) {
    if (leaf.kind == Kind::kInt) return Tensor::of<int64_t>(DType::kInt64, {}, {leaf.number});
    if (leaf.kind == Kind::kFloat) return Tensor::of<double>(DType::kFloat64, {}, {leaf.real});
    if (leaf.kind == Kind::kBool) return Tensor::of<uint8_t>(DType::kBool, {}, {leaf.number != 0});
    return corrupt("input {} is no number", input.name);
  }
  if (leaf.kind != Kind::kTensor) return corrupt("input {} is no tensor", input.name);
  if (leaf.tensor.dtype() != input.spec.dtype || leaf.tensor.rank() != input.spec.dims.size()) {
    return corrupt("input {} is {} {}, the program wants {} of rank {}", input.name,
                   dtype_name(leaf.tensor.dtype()), shape_to_string(leaf.tensor.shape()),
                   dtype_name(input.spec.dtype), input.spec.dims.size());
  }
  return leaf.tensor;
}

Result<std::vector<Tensor>> match(const PickleValue& root, const ExportedProgram& program) {
  const Signature& signature = program.signature;
  const std::string in_spec =
      signature.in_spec.empty() ? flat_in_spec(signature.inputs.size()) : signature.in_spec;
  CA_ASSIGN_OR_RETURN(const TreeSpec spec,
                      parse_treespec(in_spec, "in_spec", program.named_tuples));
  std::vector<const PickleValue*> leaves;
  CA_RETURN_IF_ERROR(flatten(root, spec, leaves));
  if (leaves.size() != signature.inputs.size()) {
    return corrupt("{} values for {} inputs", leaves.size(), signature.inputs.size());
  }
  std::vector<Tensor> out;
  for (const ValueId id : program.graph.inputs()) {
    const auto it =
        std::find_if(signature.inputs.begin(), signature.inputs.end(),
                     [&](const InputSpec& s) { return s.value == Argument(ValueRef{id}); });
    if (it == signature.inputs.end()) return corrupt("input {} is not in the signature", id);
    const auto index = static_cast<size_t>(it - signature.inputs.begin());
    CA_ASSIGN_OR_RETURN(Tensor tensor, to_tensor(*leaves[index], program.graph.value(id)));
    out.push_back(std::move(tensor));
  }
  return out;
}

Result<std::vector<Tensor>> read(const std::shared_ptr<const Archive>& archive,
                                 const ArchiveEntry& entry, const ExportedProgram& program) {
  CA_ASSIGN_OR_RETURN(const std::shared_ptr<Storage> whole, entry_storage(archive, entry));
  CA_ASSIGN_OR_RETURN(const auto nested,
                      Archive::open_memory("torch.save", {whole->data(), whole->bytes()}, whole));
  if (nested->find("byteorder") != nullptr) {
    CA_ASSIGN_OR_RETURN(const std::string order, nested->read_text("byteorder"));
    if (order != "little") return unsupported("tensors in {}-endian order", order);
  }
  CA_ASSIGN_OR_RETURN(const std::string text, nested->read_text("data.pkl"));
  const auto load = [&](const std::string& key) -> Result<std::shared_ptr<Storage>> {
    const ArchiveEntry* data = nested->find("data/" + key);
    if (data == nullptr) return corrupt("entry data/{} is missing", key);
    return entry_storage(nested, *data);
  };
  CA_ASSIGN_OR_RETURN(const Pickle pickle,
                      Pickle::load(std::as_bytes(std::span(text.data(), text.size())), load));
  return match(pickle.root(), program);
}

}  // namespace

Status read_sample_inputs(const std::shared_ptr<const Archive>& archive, ExportedProgram& program) {
  const std::string name = "data/sample_inputs/" + program.name + ".pt";
  const ArchiveEntry* entry = archive->find(name);
  if (entry == nullptr || entry->size == 0) return {};
  if (!entry->deflated) CA_RETURN_IF_ERROR(archive->check_crc(*entry));
  auto tensors = read(archive, *entry, program);
  if (tensors.ok()) {
    program.sample_inputs = std::move(*tensors);
    return {};
  }
  const std::string place = fmt::format("{}: entry {}", archive->path(), name);
  const Status status = tensors.status().with_context(place);
  if (status.code() != StatusCode::kUnsupported) return status;
  program.sample_inputs_note = status.message();
  return {};
}

}  // namespace changeaware
