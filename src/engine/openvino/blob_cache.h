// BlobCache: compiled blobs in a folder on disk, found by key.
//
// A file is written under another name and renamed, and begins with its key and a checksum: one
// that is foreign, truncated or damaged is ignored with a reason, never used. A full disk or a
// folder that cannot be written only means that nothing is kept.
// Thread safety: every method may be called concurrently, also by several processes on one folder.
// Source: XDG Base Directory Specification 0.8 (where the folder is).
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "engine/engine.h"

namespace changeaware::ovn {

class BlobCache {
 public:
  // Oldest blobs go once the folder holds more than `limit_bytes`. An empty folder name turns the
  // cache off.
  explicit BlobCache(std::string folder, uint64_t limit_bytes = uint64_t{1} << 30);

  bool enabled() const { return !folder_.empty(); }
  std::optional<std::string> load(const Digest& key);
  void store(const Digest& key, std::string_view blob);
  // Why a blob that was found, or could have been made, was not used.
  void note_ignored(std::string reason);
  void note_used();
  BlobReport report() const;
  std::string path_of(const Digest& key) const;

 private:
  void remove_oldest(const std::string& keep) const;

  const std::string folder_;
  const uint64_t limit_bytes_;
  mutable std::mutex mutex_;
  BlobReport report_;  // guarded by mutex_
};

}  // namespace changeaware::ovn
