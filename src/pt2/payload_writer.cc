#include "pt2/payload_writer.h"

#include "base/errors.h"
#include "base/json.h"
#include "pt2/meta_writer.h"

namespace changeaware {

struct PayloadWriter::Folder {
  std::string path;
  std::string payload_prefix;
  std::string config_suffix;
  bool weights;
};

const Digest& PayloadWriter::digest_of(const std::shared_ptr<Storage>& storage) {
  const auto key = std::make_pair(static_cast<const std::byte*>(storage->data()), storage->bytes());
  const auto known = hashed_.find(key);
  if (known != hashed_.end()) return known->second.digest;
  const Digest digest = sha256({storage->data(), storage->bytes()});
  return hashed_.emplace(key, Hashed{storage, digest}).first->second.digest;
}

Result<std::string> PayloadWriter::path_of(const Folder& folder, const Tensor& tensor) {
  const std::shared_ptr<Storage>& storage = tensor.storage();
  const Digest& digest = digest_of(storage);
  const auto key = std::make_tuple(folder.path, tensor.dtype(), digest);
  const auto known = paths_.find(key);
  if (known != paths_.end()) return known->second;
  const std::string path = folder.payload_prefix + std::to_string(counts_[folder.path]++);
  CA_RETURN_IF_ERROR(archive_->add(folder.path + path, {storage->data(), storage->bytes()}));
  digests_.push_back(digest);
  paths_.emplace(key, path);
  return path;
}

Status PayloadWriter::write_config(const Folder& folder, const std::string& program,
                                   const std::vector<Constant>& constants) {
  JsonWriter json;
  json.begin_object().key("config").begin_object();
  for (const Constant& constant : constants) {
    const bool is_weight =
        constant.kind == ConstantKind::kParameter || constant.kind == ConstantKind::kBuffer;
    if (is_weight != folder.weights) continue;
    if (!constant.tensor.defined()) {
      return invalid_program("constant {} of {} has no value", constant.fqn, program);
    }
    CA_ASSIGN_OR_RETURN(const std::string path, path_of(folder, constant.tensor));
    json.key(constant.fqn).begin_object();
    json.field("path_name", path);
    json.field("is_param", constant.kind == ConstantKind::kParameter);
    json.field("use_pickle", false).key("tensor_meta");
    write_stored_tensor_meta(json, constant.tensor);
    json.end_object();
  }
  json.end_object().end_object();
  return archive_->add(folder.path + program + folder.config_suffix, json.take());
}

Status PayloadWriter::add_program(const std::string& program,
                                  const std::vector<Constant>& constants) {
  const std::vector<Folder> folders = {
      {"data/weights/", "weight_", "_weights_config.json", true},
      {"data/constants/", "tensor_", "_constants_config.json", false}};
  for (const Folder& folder : folders) {
    CA_RETURN_IF_ERROR(write_config(folder, program, constants));
  }
  return {};
}

}  // namespace changeaware
