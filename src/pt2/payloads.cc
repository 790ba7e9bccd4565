#include "pt2/payloads.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "pt2/codes.h"
#include "pt2/meta_reader.h"

namespace changeaware {
namespace {

constexpr uintptr_t kLargestElement = 16;

}  // namespace

struct Payloads::Folder {
  std::string path;  // "data/weights/"
  std::string config;
  std::map<std::string, Result<Tensor>>* tensors;
};

Result<std::shared_ptr<Storage>> entry_storage(const std::shared_ptr<const Archive>& archive,
                                               const ArchiveEntry& entry) {
  const auto copy = [&] {
    return Tensor::empty(DType::kUInt8, {static_cast<int64_t>(entry.size)});
  };
  if (entry.deflated) {
    Tensor memory = copy();
    CA_RETURN_IF_ERROR(archive->inflate(entry, {memory.mutable_data(), entry.size}));
    return memory.storage();
  }
  CA_ASSIGN_OR_RETURN(const auto bytes, archive->map(entry));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kLargestElement == 0) {
    return std::make_shared<Storage>(const_cast<std::byte*>(bytes.data()), bytes.size(), archive,
                                     /*is_file_mapping=*/true);
  }
  Tensor memory = copy();
  if (!bytes.empty()) std::memcpy(memory.mutable_data(), bytes.data(), bytes.size());
  return memory.storage();
}

Result<std::shared_ptr<Storage>> Payloads::storage_of(const std::string& entry_name) {
  const auto known = storages_.find(entry_name);
  if (known != storages_.end()) return known->second;
  const ArchiveEntry* entry = archive_->find(entry_name);
  if (entry == nullptr) return corrupt("entry {} is missing", entry_name);
  if (check_crc_ && !entry->deflated) CA_RETURN_IF_ERROR(archive_->check_crc(*entry));
  CA_ASSIGN_OR_RETURN(std::shared_ptr<Storage> storage, entry_storage(archive_, *entry));
  storages_.emplace(entry_name, storage);
  return storage;
}

Result<Tensor> Payloads::read_tensor(const JsonView& meta, const std::string& entry_name) {
  CA_ASSIGN_OR_RETURN(const StoredTensorMeta m, read_stored_tensor_meta(meta));
  CA_ASSIGN_OR_RETURN(std::shared_ptr<Storage> storage, storage_of(entry_name));
  auto tensor = Tensor::view(m.dtype, m.sizes, m.strides, m.storage_offset, std::move(storage));
  if (!tensor.ok()) return corrupt("entry {}: {}", entry_name, tensor.status().message());
  return tensor;
}

Status Payloads::read_folder(const Folder& folder, const std::string& program) {
  const std::string legacy = folder.path + program + ".pt";
  if (archive_->find(legacy) != nullptr) {
    return unsupported("{}: entry {}: pickled weights of an old PyTorch; save the program again",
                       archive_->path(), legacy);
  }
  CA_ASSIGN_OR_RETURN(const std::string text, archive_->read_text(folder.config));
  CA_ASSIGN_OR_RETURN(const auto document, JsonDocument::parse(text, folder.config));
  CA_ASSIGN_OR_RETURN(const JsonView config, document->root().get("config"));
  CA_ASSIGN_OR_RETURN(const auto members, config.members());
  for (const auto& member : members) {
    const std::string fqn(member.first);
    CA_ASSIGN_OR_RETURN(const JsonView path_view, member.second.get("path_name"));
    CA_ASSIGN_OR_RETURN(const std::string_view path_name, path_view.as_string());
    CA_ASSIGN_OR_RETURN(const JsonView pickle_view, member.second.get("use_pickle"));
    CA_ASSIGN_OR_RETURN(const bool use_pickle, pickle_view.as_bool());
    const std::string entry_name = folder.path + std::string(path_name);
    const auto add = [&](Result<Tensor> tensor) {
      folder.tensors->emplace(fqn, std::move(tensor));
    };
    if (use_pickle) {
      add(unsupported("entry {}: a pickled object or tensor subclass", entry_name));
      continue;
    }
    CA_ASSIGN_OR_RETURN(const JsonView meta, member.second.get("tensor_meta"));
    add(read_tensor(meta, entry_name));
  }
  return {};
}

Result<Payloads> Payloads::read(std::shared_ptr<const Archive> archive, const std::string& program,
                                bool check_crc) {
  Payloads out;
  out.archive_ = std::move(archive);
  out.check_crc_ = check_crc;
  const std::vector<Folder> folders = {
      {"data/weights/", "data/weights/" + program + "_weights_config.json", &out.weights_},
      {"data/constants/", "data/constants/" + program + "_constants_config.json", &out.constants_}};
  for (const Folder& folder : folders) CA_RETURN_IF_ERROR(out.read_folder(folder, program));
  return out;
}

namespace {

Result<Tensor> look_up(const std::map<std::string, Result<Tensor>>& first,
                       const std::map<std::string, Result<Tensor>>& second,
                       const std::string& fqn) {
  for (const auto* table : {&first, &second}) {
    const auto it = table->find(fqn);
    if (it == table->end()) continue;
    if (!it->second.ok()) return it->second.status().with_context(fqn);
    return *it->second;
  }
  return corrupt("{}: no config names a payload for it", fqn);
}

}  // namespace

Result<Tensor> Payloads::weight(const std::string& fqn) const {
  return look_up(weights_, constants_, fqn);
}

Result<Tensor> Payloads::constant(const std::string& fqn) const {
  return look_up(constants_, weights_, fqn);
}

}  // namespace changeaware
