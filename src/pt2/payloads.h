// Payloads: the weights and constants of one program as tensors over mapped memory.
//
// Format: data/{weights,constants}/<program>_{weights,constants}_config.json map a fully qualified
// name to {path_name, use_pickle, tensor_meta}; the payload is
// data/{weights,constants}/<path_name>, the bytes of a whole storage. Names with one path_name
// share one Storage. Errors: Corrupt (a missing payload, a view that reaches past its payload, a
// wrong CRC), Unsupported (pickled payloads); all name the entry and the fully qualified name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "archive/archive.h"
#include "base/json.h"
#include "changeaware/tensor.h"

namespace changeaware {

class Payloads {
 public:
  // Tensors keep `archive` alive. With `check_crc` every payload that the configs name is compared
  // with its CRC-32; that reads all of it once.
  static Result<Payloads> read(std::shared_ptr<const Archive> archive, const std::string& program,
                               bool check_crc);

  // Parameters and persistent buffers are weights; other buffers and lifted tensors are constants.
  // Each is looked for in its own folder first. Corrupt when neither has it.
  Result<Tensor> weight(const std::string& fqn) const;
  Result<Tensor> constant(const std::string& fqn) const;

 private:
  struct Folder;
  Status read_folder(const Folder& folder, const std::string& program);
  Result<std::shared_ptr<Storage>> storage_of(const std::string& entry_name);
  Result<Tensor> read_tensor(const JsonView& meta, const std::string& entry_name);

  std::shared_ptr<const Archive> archive_;
  bool check_crc_ = false;
  std::map<std::string, std::shared_ptr<Storage>> storages_;  // by entry name
  std::map<std::string, Result<Tensor>> weights_;             // by fully qualified name
  std::map<std::string, Result<Tensor>> constants_;
};

// The storage of an archive entry: mapped where it is stored and aligned for every dtype, otherwise
// a copy in memory of its own.
Result<std::shared_ptr<Storage>> entry_storage(const std::shared_ptr<const Archive>& archive,
                                               const ArchiveEntry& entry);

}  // namespace changeaware
