// ArchiveWriter: writes a zip of stored, 64-byte aligned entries below one top folder, as PyTorch
// does. zip64 where needed. Byte-reproducible: a fixed time stamp, entries in call order.
// The file appears at `path` only when finish() succeeds (temporary file beside it, fsync, rename);
// until then an existing file at `path` is untouched.
// Errors: Io naming the path; InvalidArgument for a duplicate entry name.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "changeaware/status.h"

namespace changeaware {

class ArchiveWriter {
 public:
  static Result<std::unique_ptr<ArchiveWriter>> create(const std::string& path,
                                                       const std::string& top_folder);
  // The same for an archive that take() returns rather than a file.
  static Result<std::unique_ptr<ArchiveWriter>> create_in_memory(const std::string& top_folder);
  // Removes the temporary file when finish() was not reached.
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  Status add(std::string_view name, std::span<const std::byte> bytes);
  Status add(std::string_view name, std::string_view text);
  Status finish();
  // Ends an archive in memory and returns its bytes. REQUIRES: create_in_memory() made this.
  Result<std::string> take();

 private:
  struct Impl;
  static Result<std::unique_ptr<ArchiveWriter>> start(std::unique_ptr<Impl> impl);
  explicit ArchiveWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace changeaware
