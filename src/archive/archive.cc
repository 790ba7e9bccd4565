#include "archive/archive.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include "archive/directory.h"
#include "base/errors.h"
#include "base/pages.h"

namespace changeaware {
namespace {

constexpr uint64_t kInflateLimit = uint64_t{256} << 20;
// Deflate cannot expand further (zlib states 1032:1); some slack for tiny entries.
constexpr uint64_t kDeflateRatioLimit = 1100;
constexpr size_t kCrcChunk = size_t{8} << 20;

// "top/" when every entry lies below one top folder, else "".
std::string top_folder(const std::vector<DirectoryEntry>& entries) {
  if (entries.empty()) return {};
  const std::string& first = entries.front().entry.name;
  const size_t slash = first.find('/');
  if (slash == std::string::npos || slash == 0) return {};
  const std::string top = first.substr(0, slash + 1);
  for (const DirectoryEntry& e : entries) {
    if (!e.entry.name.starts_with(top) || e.entry.name.size() == top.size()) return {};
  }
  return top;
}

}  // namespace

// Bytes of the archive: a private read-only mapping of a file, which stays open, or foreign memory.
class Archive::Mapping {
 public:
  Mapping(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}
  // Takes over the descriptor.
  Mapping(std::span<const std::byte> file, int descriptor, const struct stat& then)
      : bytes_(file), descriptor_(descriptor), then_(then), file_state_(state_text(then)) {}
  ~Mapping() {
    if (!mapped()) return;
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    ::close(descriptor_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  static Result<std::unique_ptr<Mapping>> of_file(const std::string& path);
  std::span<const std::byte> bytes() const { return bytes_; }
  bool mapped() const { return descriptor_ >= 0; }
  const std::string& file_state() const { return file_state_; }
  Status check_unchanged(const std::string& path) const;

 private:
  static std::string state_text(const struct stat& info) {
    return fmt::format("{} {} {} {}.{} {}.{}", info.st_dev, info.st_ino, info.st_size,
                       info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec,
                       info.st_ctim.tv_nsec);
  }

  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  int descriptor_ = -1;
  struct stat then_ = {};
  std::string file_state_;
};

Status Archive::Mapping::check_unchanged(const std::string& path) const {
  struct stat now = {};
  if (!mapped() || fstat(descriptor_, &now) != 0) return {};
  if (now.st_size == then_.st_size && now.st_mtim.tv_sec == then_.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == then_.st_mtim.tv_nsec) {
    return {};
  }
  return corrupt("{}: the file was changed in place while it was open ({} bytes then, {} now)",
                 path, then_.st_size, now.st_size);
}

Result<std::unique_ptr<Archive::Mapping>> Archive::Mapping::of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return io_error("{}: cannot open: {}", path, std::strerror(errno));
  struct stat info = {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return io_error("{}: not a regular file", path);
  }
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) {
    ::close(fd);
    return corrupt("{}: the file is empty", path);
  }
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    ::close(fd);
    return io_error("{}: cannot map: {}", path, std::strerror(error));
  }
  return std::make_unique<Mapping>(std::span(static_cast<const std::byte*>(data), size), fd, info);
}

Archive::Archive() = default;
Archive::~Archive() = default;

Result<std::shared_ptr<const Archive>> Archive::open(const std::string& path) {
  CA_ASSIGN_OR_RETURN(std::unique_ptr<Mapping> mapping, Mapping::of_file(path));
  return index(path, std::move(mapping));
}

Result<std::shared_ptr<const Archive>> Archive::open_memory(std::string name,
                                                            std::span<const std::byte> bytes,
                                                            std::shared_ptr<const void> owner) {
  return index(std::move(name), std::make_unique<Mapping>(bytes, std::move(owner)));
}

Result<std::shared_ptr<const Archive>> Archive::index(std::string path,
                                                      std::unique_ptr<Mapping> mapping) {
  std::shared_ptr<Archive> archive(new Archive());
  archive->path_ = std::move(path);
  archive->mapping_ = std::move(mapping);
  auto found = read_directory(archive->mapping_->bytes());
  if (!found.ok()) return found.status().with_context(archive->path_);
  const size_t top = top_folder(*found).size();
  for (DirectoryEntry& e : *found) {
    e.entry.name.erase(0, top);
    archive->entries_.push_back(std::move(e.entry));
  }
  archive->by_name_.resize(archive->entries_.size());
  for (size_t i = 0; i < archive->by_name_.size(); ++i) archive->by_name_[i] = i;
  std::sort(archive->by_name_.begin(), archive->by_name_.end(), [&](size_t a, size_t b) {
    return archive->entries_[a].name < archive->entries_[b].name;
  });
  return std::shared_ptr<const Archive>(std::move(archive));
}

const ArchiveEntry* Archive::find(std::string_view name) const {
  const auto it =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](size_t i, std::string_view n) { return entries_[i].name < n; });
  if (it == by_name_.end() || entries_[*it].name != name) return nullptr;
  return &entries_[*it];
}

Result<std::span<const std::byte>> Archive::map(const ArchiveEntry& entry) const {
  if (entry.deflated) {
    return unsupported("{}: entry {}: it is deflated and cannot be mapped", path_, entry.name);
  }
  return mapping_->bytes().subspan(entry.offset, entry.size);
}

Result<std::string> Archive::read_text(std::string_view name) const {
  const ArchiveEntry* entry = find(name);
  if (entry == nullptr) return corrupt("{}: entry {} is missing", path_, name);
  if (!entry->deflated) {
    CA_RETURN_IF_ERROR(check_crc(*entry));
    CA_ASSIGN_OR_RETURN(const auto bytes, map(*entry));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  std::string text(std::min(entry->size, kInflateLimit), '\0');
  CA_RETURN_IF_ERROR(inflate_into(*entry, reinterpret_cast<std::byte*>(text.data())));
  return text;
}

Status Archive::inflate(const ArchiveEntry& entry, std::span<std::byte> out) const {
  if (!entry.deflated || out.size() != entry.size) {
    return internal_error("{}: entry {}: inflate needs a deflated entry and its size", path_,
                          entry.name);
  }
  return inflate_into(entry, out.data());
}

Status Archive::inflate_into(const ArchiveEntry& entry, std::byte* out) const {
  if (entry.size > kInflateLimit || entry.stored_size > kInflateLimit) {
    return unsupported("{}: entry {}: {} bytes deflated; the limit is {}", path_, entry.name,
                       entry.size, kInflateLimit);
  }
  if (entry.size / kDeflateRatioLimit > entry.stored_size) {
    return corrupt("{}: entry {}: {} bytes cannot come from {} deflated bytes", path_, entry.name,
                   entry.size, entry.stored_size);
  }
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return internal_error("{}: zlib failed", path_);
  const auto* in = reinterpret_cast<const Bytef*>(mapping_->bytes().data() + entry.offset);
  Bytef none = 0;
  stream.next_in = const_cast<Bytef*>(in);
  stream.avail_in = static_cast<uInt>(entry.stored_size);
  stream.next_out = entry.size == 0 ? &none : reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(entry.size);
  const int state = ::inflate(&stream, Z_FINISH);
  const bool whole = state == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole) return corrupt("{}: entry {}: its deflated data is damaged", path_, entry.name);
  if (crc32_z(0, reinterpret_cast<const Bytef*>(out), entry.size) != entry.crc32) {
    return corrupt("{}: entry {}: CRC-32 differs", path_, entry.name);
  }
  return {};
}

Status Archive::check_crc(const ArchiveEntry& entry) const {
  if (entry.deflated) {
    std::string scratch(std::min(entry.size, kInflateLimit), '\0');
    return inflate_into(entry, reinterpret_cast<std::byte*>(scratch.data()));
  }
  CA_ASSIGN_OR_RETURN(const auto bytes, map(entry));
  uLong crc = crc32_z(0, nullptr, 0);
  for (size_t done = 0; done < bytes.size(); done += kCrcChunk) {
    const size_t n = std::min(kCrcChunk, bytes.size() - done);
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data() + done), n);
    if (mapping_->mapped()) drop_pages(whole_pages(bytes.data() + done, n));
  }
  if (crc != entry.crc32) return corrupt("{}: entry {}: CRC-32 differs", path_, entry.name);
  return {};
}

const std::string& Archive::file_state() const { return mapping_->file_state(); }

Status Archive::check_unchanged() const { return mapping_->check_unchanged(path_); }

std::optional<uint64_t> Archive::offset_of(const std::byte* data) const {
  const auto bytes = mapping_->bytes();
  if (std::less<>()(data, bytes.data()) || !std::less<>()(data, bytes.data() + bytes.size()))
    return std::nullopt;
  return static_cast<uint64_t>(data - bytes.data());
}

void Archive::drop_resident_pages() const {
  if (mapping_->mapped())
    drop_pages(whole_pages(mapping_->bytes().data(), mapping_->bytes().size()));
}

}  // namespace changeaware
