// Writes the storages of constants as payload entries, each distinct one once.
//
// PyTorch looks for weights and for constants in different folders and gives a payload one dtype,
// so a storage that is used as both, or with two dtypes, is written once for each. Thread safety:
// none.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "archive/archive_writer.h"
#include "base/digest.h"
#include "graph/graph.h"

namespace changeaware {

class PayloadWriter {
 public:
  // `archive` must outlive this.
  explicit PayloadWriter(ArchiveWriter* archive) : archive_(archive) {}

  // Writes what is new of the constants and then the two configs of `program`.
  Status add_program(const std::string& program, const std::vector<Constant>& constants);
  // Of every payload so far, in the order in which they were written.
  const std::vector<Digest>& digests() const { return digests_; }

 private:
  struct Folder;
  struct Hashed {
    std::shared_ptr<Storage> storage;  // kept, so that its address stays its own
    Digest digest;
  };
  Result<std::string> path_of(const Folder& folder, const Tensor& tensor);
  Status write_config(const Folder& folder, const std::string& program,
                      const std::vector<Constant>& constants);
  const Digest& digest_of(const std::shared_ptr<Storage>& storage);

  ArchiveWriter* archive_;
  std::map<std::pair<const std::byte*, size_t>, Hashed> hashed_;
  std::map<std::tuple<std::string, DType, Digest>, std::string> paths_;  // folder, dtype, bytes
  std::map<std::string, size_t> counts_;                                 // payloads by folder
  std::vector<Digest> digests_;
};

}  // namespace changeaware
