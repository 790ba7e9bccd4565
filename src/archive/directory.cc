#include "archive/directory.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <string>

#include "base/checked.h"
#include "base/errors.h"

namespace changeaware {
namespace {

// APPNOTE 4.3.7, 4.3.9, 4.3.12, 4.3.14, 4.3.15, 4.3.16.
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kDescriptorSignature = 0x08074b50;
constexpr uint32_t kRecordSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kLocatorSignature = 0x07064b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint64_t kLocalHeaderBytes = 30;
constexpr uint64_t kRecordBytes = 46;
constexpr uint64_t kEndBytes = 22;
constexpr uint64_t kLocatorBytes = 20;
constexpr uint64_t kEnd64Bytes = 56;
constexpr uint64_t kLongestComment = 0xffff;
constexpr uint16_t kFlagEncrypted = 1;
constexpr uint16_t kFlagDescriptor = 8;
constexpr uint16_t kMethodStored = 0;
constexpr uint16_t kMethodDeflated = 8;
constexpr uint16_t kExtraZip64 = 1;
constexpr uint32_t kInZip64 = 0xffffffff;  // the value stands in the zip64 extra field

using Bytes = std::span<const std::byte>;

// Little-endian field at `offset`; nothing when it lies outside.
template <class T>
std::optional<T> field(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// The same where the caller has checked the bounds.
template <class T>
T at(Bytes bytes, uint64_t offset) {
  return field<T>(bytes, offset).value_or(T{});
}

bool inside(Bytes bytes, uint64_t offset, uint64_t count) {
  return offset <= bytes.size() && count <= bytes.size() - offset;
}

std::string text_at(Bytes bytes, uint64_t offset, size_t count) {
  return {reinterpret_cast<const char*>(bytes.data()) + offset, count};
}

// Where the directory is, from the end record or its zip64 form.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 0;
  uint64_t end = 0;  // of the directory, where the end record starts
};

// Searched from the end: the record is last, but for a comment whose length it states.
std::optional<uint64_t> find_end_record(Bytes bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const uint64_t last = bytes.size() - kEndBytes;
  const uint64_t first = last - std::min(last, kLongestComment);
  for (uint64_t offset = last + 1; offset-- > first;) {
    if (at<uint32_t>(bytes, offset) == kEndSignature &&
        at<uint16_t>(bytes, offset + 20) == bytes.size() - offset - kEndBytes) {
      return offset;
    }
  }
  return std::nullopt;
}

Result<Extent> read_end64(Bytes bytes, uint64_t locator) {
  const uint64_t offset = at<uint64_t>(bytes, locator + 8);
  if (!inside(bytes, offset, kEnd64Bytes) || at<uint32_t>(bytes, offset) != kEnd64Signature) {
    return corrupt("the zip64 end record is missing");
  }
  return Extent{at<uint64_t>(bytes, offset + 48), at<uint64_t>(bytes, offset + 40),
                at<uint64_t>(bytes, offset + 32), offset};
}

Result<Extent> read_end(Bytes bytes) {
  const auto end = find_end_record(bytes);
  if (!end) return corrupt("not a zip archive, or a truncated one");
  Extent extent{at<uint32_t>(bytes, *end + 16), at<uint32_t>(bytes, *end + 12),
                at<uint16_t>(bytes, *end + 10), *end};
  if (*end >= kLocatorBytes && at<uint32_t>(bytes, *end - kLocatorBytes) == kLocatorSignature) {
    CA_ASSIGN_OR_RETURN(extent, read_end64(bytes, *end - kLocatorBytes));
  }
  const auto directory_end = checked_add(extent.offset, extent.size);
  if (directory_end != extent.end) return corrupt("the directory is not where the end record says");
  if (extent.count == 0) return corrupt("the archive has no entries");
  return extent;
}

// The 64-bit values of an extra field area, in order; empty when there is no zip64 field.
std::vector<uint64_t> zip64_values(Bytes extra) {
  std::vector<uint64_t> values;
  for (uint64_t offset = 0; inside(extra, offset, 4);) {
    const auto id = at<uint16_t>(extra, offset);
    const auto length = at<uint16_t>(extra, offset + 2);
    if (!inside(extra, offset + 4, length)) break;
    if (id == kExtraZip64) {
      for (uint64_t i = 0; i + 8 <= length; i += 8) {
        values.push_back(at<uint64_t>(extra, offset + 4 + i));
      }
      break;
    }
    offset += 4 + uint64_t{length};
  }
  return values;
}

// Replaces each of `fields` that says so by the next zip64 value. False when one is missing.
bool resolve_zip64(Bytes extra, std::initializer_list<uint64_t*> fields) {
  const std::vector<uint64_t> values = zip64_values(extra);
  size_t next = 0;
  for (uint64_t* value : fields) {
    if (*value != kInZip64) continue;
    if (next == values.size()) return false;
    *value = values[next++];
  }
  return true;
}

Status disagree(const ArchiveEntry& entry, std::string_view what) {
  return corrupt("entry {}: {} in its local header differs from the directory", entry.name, what);
}

// The descriptor after the data repeats CRC and sizes, with or without a signature and in 32 or 64
// bits. Returns its length; nothing when no form matches.
std::optional<uint64_t> descriptor_length(Bytes bytes, uint64_t offset, const ArchiveEntry& entry) {
  for (const uint64_t skip : {uint64_t{4}, uint64_t{0}}) {
    if (skip != 0 && field<uint32_t>(bytes, offset) != kDescriptorSignature) continue;
    const uint64_t start = offset + skip;
    if (field<uint32_t>(bytes, start) != entry.crc32) continue;
    if (field<uint64_t>(bytes, start + 4) == entry.stored_size &&
        field<uint64_t>(bytes, start + 12) == entry.size) {
      return skip + 20;
    }
    if (entry.size <= UINT32_MAX && field<uint32_t>(bytes, start + 4) == entry.stored_size &&
        field<uint32_t>(bytes, start + 8) == entry.size) {
      return skip + 12;
    }
  }
  return std::nullopt;
}

Status check_local_sizes(Bytes bytes, Bytes extra, const DirectoryEntry& found) {
  const ArchiveEntry& entry = found.entry;
  uint64_t stored_size = at<uint32_t>(bytes, found.header_offset + 18);
  uint64_t size = at<uint32_t>(bytes, found.header_offset + 22);
  if (!resolve_zip64(extra, {&size, &stored_size})) return disagree(entry, "the zip64 size");
  if (stored_size != entry.stored_size || size != entry.size) return disagree(entry, "the size");
  if (at<uint32_t>(bytes, found.header_offset + 14) != entry.crc32)
    return disagree(entry, "the CRC");
  return {};
}

// Reads the local header, which alone says where the data starts, and compares it.
Status locate(Bytes bytes, DirectoryEntry& found) {
  ArchiveEntry& entry = found.entry;
  const uint64_t header = found.header_offset;
  if (!inside(bytes, header, kLocalHeaderBytes) || at<uint32_t>(bytes, header) != kLocalSignature) {
    return corrupt("entry {}: it has no local header at offset {}", entry.name, header);
  }
  const auto flags = at<uint16_t>(bytes, header + 6);
  const auto name_bytes = at<uint16_t>(bytes, header + 26);
  const auto extra_bytes = at<uint16_t>(bytes, header + 28);
  entry.offset = header + kLocalHeaderBytes + name_bytes + extra_bytes;
  if (!inside(bytes, entry.offset, entry.stored_size)) {
    return corrupt("entry {}: {} bytes at offset {} lie outside the file of {} bytes", entry.name,
                   entry.stored_size, entry.offset, bytes.size());
  }
  found.end_offset = entry.offset + entry.stored_size;
  if (text_at(bytes, header + kLocalHeaderBytes, name_bytes) != entry.name) {
    return disagree(entry, "the name");
  }
  const uint16_t method = entry.deflated ? kMethodDeflated : kMethodStored;
  if (at<uint16_t>(bytes, header + 8) != method) return disagree(entry, "the method");
  if ((flags & kFlagDescriptor) == 0) {
    return check_local_sizes(bytes, bytes.subspan(entry.offset - extra_bytes, extra_bytes), found);
  }
  const auto length = descriptor_length(bytes, found.end_offset, entry);
  if (!length)
    return corrupt("entry {}: its data descriptor differs from the directory", entry.name);
  found.end_offset += *length;
  return {};
}

Status check_method(const ArchiveEntry& entry, uint16_t flags, uint16_t method) {
  if ((flags & kFlagEncrypted) != 0) return unsupported("entry {}: it is encrypted", entry.name);
  if (method != kMethodStored && method != kMethodDeflated) {
    return unsupported("entry {}: compression method {}; stored and deflated are accepted",
                       entry.name, method);
  }
  if (method == kMethodStored && entry.size != entry.stored_size) {
    return corrupt("entry {}: {} stored bytes for {} bytes", entry.name, entry.stored_size,
                   entry.size);
  }
  return {};
}

// The directory record at `offset`; moves `offset` behind it. `directory` ends with the directory.
Result<DirectoryEntry> read_record(Bytes directory, uint64_t& offset) {
  if (!inside(directory, offset, kRecordBytes) ||
      at<uint32_t>(directory, offset) != kRecordSignature) {
    return corrupt("the directory is damaged at offset {}", offset);
  }
  const auto name_bytes = at<uint16_t>(directory, offset + 28);
  const auto extra_bytes = at<uint16_t>(directory, offset + 30);
  const auto comment_bytes = at<uint16_t>(directory, offset + 32);
  const uint64_t name_offset = offset + kRecordBytes;
  const uint64_t length = kRecordBytes + name_bytes + extra_bytes + comment_bytes;
  if (!inside(directory, offset, length) || name_bytes == 0) {
    return corrupt("the directory is damaged at offset {}", offset);
  }
  DirectoryEntry found;
  ArchiveEntry& entry = found.entry;
  entry.name = text_at(directory, name_offset, name_bytes);
  entry.crc32 = at<uint32_t>(directory, offset + 16);
  entry.stored_size = at<uint32_t>(directory, offset + 20);
  entry.size = at<uint32_t>(directory, offset + 24);
  found.header_offset = at<uint32_t>(directory, offset + 42);
  if (!resolve_zip64(directory.subspan(name_offset + name_bytes, extra_bytes),
                     {&entry.size, &entry.stored_size, &found.header_offset})) {
    return corrupt("entry {}: its zip64 sizes are missing", entry.name);
  }
  const auto method = at<uint16_t>(directory, offset + 10);
  entry.deflated = method == kMethodDeflated;
  CA_RETURN_IF_ERROR(check_method(entry, at<uint16_t>(directory, offset + 8), method));
  offset += length;
  return found;
}

Status check_disjoint(std::vector<DirectoryEntry>& entries, uint64_t directory_start) {
  std::sort(entries.begin(), entries.end(), [](const DirectoryEntry& a, const DirectoryEntry& b) {
    return a.header_offset < b.header_offset;
  });
  std::set<std::string_view> names;
  for (size_t i = 0; i < entries.size(); ++i) {
    const DirectoryEntry& e = entries[i];
    const uint64_t limit = i + 1 < entries.size() ? entries[i + 1].header_offset : directory_start;
    if (e.end_offset > limit) {
      return corrupt("entry {}: it overlaps {}", e.entry.name,
                     i + 1 < entries.size() ? entries[i + 1].entry.name : "the directory");
    }
    if (!names.insert(e.entry.name).second)
      return corrupt("entry {}: it is there twice", e.entry.name);
  }
  return {};
}

bool is_folder(const ArchiveEntry& entry) { return entry.name.back() == '/' && entry.size == 0; }

}  // namespace

Result<std::vector<DirectoryEntry>> read_directory(std::span<const std::byte> bytes) {
  CA_ASSIGN_OR_RETURN(const Extent extent, read_end(bytes));
  const Bytes directory = bytes.first(extent.end);
  std::vector<DirectoryEntry> entries;
  uint64_t offset = extent.offset;
  while (offset < extent.end) {
    CA_ASSIGN_OR_RETURN(DirectoryEntry found, read_record(directory, offset));
    CA_RETURN_IF_ERROR(locate(directory.first(extent.offset), found));
    entries.push_back(std::move(found));
  }
  if (entries.size() != extent.count) {
    return corrupt("the directory lists {} entries, its end record {}", entries.size(),
                   extent.count);
  }
  CA_RETURN_IF_ERROR(check_disjoint(entries, extent.offset));
  std::erase_if(entries, [](const DirectoryEntry& e) { return is_folder(e.entry); });
  return entries;
}

}  // namespace changeaware
