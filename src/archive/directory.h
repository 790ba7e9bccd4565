// Reads and checks the directory of a zip archive in memory.
//
// Not left to a library: minizip 1.1 misreads zip64 records, and none of the common readers
// compares the directory with the local headers.
// Checked: every entry lies inside the file, before the directory, and overlaps no other; its local
// header (and data descriptor) agrees with the directory; names are unique; the directory is whole.
// Errors: Corrupt, Unsupported (encryption, methods other than stored and deflated). Messages name
// the entry; the caller adds the file.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "archive/archive.h"

namespace changeaware {

struct DirectoryEntry {
  ArchiveEntry entry;          // name as stored
  uint64_t header_offset = 0;  // of the local header
  uint64_t end_offset = 0;     // after the data and its descriptor
};

// In file order, folders left out.
Result<std::vector<DirectoryEntry>> read_directory(std::span<const std::byte> bytes);

}  // namespace changeaware
