// Archive: a memory-mapped zip file whose entries are stored without compression.
//
// Format: PKWARE APPNOTE 6.3 with zip64; PyTorch stores every entry and aligns data to 64 bytes.
// PyTorch puts all entries below one top folder ("efficientsam_ti/models/model.json"); names here
// are without it.
// Errors: Io (cannot open or map), Corrupt (truncated, not a zip, an entry that points outside the
// file, a directory and a local header that disagree, a wrong CRC where it is checked), Unsupported
// (encrypted; deflated entries larger than 256 MiB). All name the file and, where there is one, the
// entry.
// Thread safety: const methods may be called concurrently. The file must not be changed in place
// while an Archive or bytes from it are alive: check_unchanged() notices it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changeaware/status.h"

namespace changeaware {

struct ArchiveEntry {
  std::string name;
  uint64_t offset = 0;  // of the data in the file
  uint64_t size = 0;    // uncompressed bytes
  uint64_t stored_size = 0;
  uint32_t crc32 = 0;
  bool deflated = false;
};

class Archive {
 public:
  static Result<std::shared_ptr<const Archive>> open(const std::string& path);
  // Over bytes in memory, such as an entry of another archive. `name` stands for the path in
  // errors; `owner` keeps the bytes alive and may be null when the caller guarantees that.
  static Result<std::shared_ptr<const Archive>> open_memory(std::string name,
                                                            std::span<const std::byte> bytes,
                                                            std::shared_ptr<const void> owner);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  const std::string& path() const { return path_; }
  // In file order.
  const std::vector<ArchiveEntry>& entries() const { return entries_; }
  // nullptr when there is none.
  const ArchiveEntry* find(std::string_view name) const;

  // A stored entry as mapped memory, valid while this Archive lives. Unsupported when the entry is
  // deflated. Pages are read from disk when touched.
  Result<std::span<const std::byte>> map(const ArchiveEntry& entry) const;
  // A (small) entry as text, stored or deflated, CRC checked. Corrupt when it is missing.
  Result<std::string> read_text(std::string_view name) const;
  // A deflated entry, inflated into `out`, CRC checked. REQUIRES: out.size() == entry.size.
  Status inflate(const ArchiveEntry& entry, std::span<std::byte> out) const;
  // Compares the entry's bytes with its CRC-32. Pages of a mapped file that this reads are dropped
  // again, so that checking large entries does not add to the resident size.
  Status check_crc(const ArchiveEntry& entry) const;
  // What tells this file, as it was when it was opened, from any other and from itself after a
  // change: device, inode, size, times of the last change of contents and of attributes, in text.
  // Empty for bytes in memory.
  const std::string& file_state() const;
  // Corrupt, naming the file, once it was changed in place (another size or time of modification)
  // since it was opened: mapped bytes are then gone, or others. To rename another file over it or
  // to remove it is no change: the mapping keeps the old one. Costs one system call; a change while
  // mapped bytes are being read is not noticed in time.
  Status check_unchanged() const;
  // Where in the file mapped bytes lie; nothing for an address outside the mapping.
  std::optional<uint64_t> offset_of(const std::byte* data) const;
  // Tells the operating system that mapped pages of the whole file are not needed now
  // (madvise MADV_DONTNEED: they are read again from the file when touched).
  void drop_resident_pages() const;

 private:
  class Mapping;
  Archive();
  static Result<std::shared_ptr<const Archive>> index(std::string path,
                                                      std::unique_ptr<Mapping> mapping);
  Status inflate_into(const ArchiveEntry& entry, std::byte* out) const;
  std::string path_;
  std::unique_ptr<Mapping> mapping_;
  std::vector<ArchiveEntry> entries_;
  std::vector<size_t> by_name_;  // indices into entries_, sorted by name
};

}  // namespace changeaware
