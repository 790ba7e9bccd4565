#include "engine/openvino/blob_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace changeaware::ovn {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic = {'C', 'A', 'B', 'L', 'O', 'B', '0', '1'};
constexpr size_t kMostReasons = 16;
constexpr uint64_t kLargestBlob = uint64_t{256} << 20;

struct FileHeader {
  std::array<char, 8> magic;
  Digest key;
  Digest checksum;
  uint64_t bytes;
};

Digest checksum_of(std::string_view blob) {
  return sha256(std::as_bytes(std::span(blob.data(), blob.size())));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

bool read_all(int fd, char* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = read(fd, to, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool write_all(int fd, const char* from, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = write(fd, from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

std::string system_error_text() { return std::generic_category().message(errno); }

}  // namespace

BlobCache::BlobCache(std::string folder, uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {
  report_.folder = folder_;
}

std::string BlobCache::path_of(const Digest& key) const {
  return folder_ + "/" + to_hex(key) + ".blob";
}

std::optional<std::string> BlobCache::load(const Digest& key) {
  const std::string path = path_of(key);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno != ENOENT && errno != ENOTDIR) {
      note_ignored(fmt::format("{}: {}", path, system_error_text()));
    }
    return std::nullopt;
  }
  struct stat found {};
  FileHeader header{};
  if (fstat(file.get(), &found) != 0 ||
      !read_all(file.get(), reinterpret_cast<char*>(&header), sizeof header)) {
    note_ignored(fmt::format("{}: shorter than its header", path));
    return std::nullopt;
  }
  if (header.magic != kMagic || header.key != key) {
    note_ignored(fmt::format("{}: not a blob for this key", path));
    return std::nullopt;
  }
  if (header.bytes > kLargestBlob ||
      static_cast<uint64_t>(found.st_size) != sizeof header + header.bytes) {
    note_ignored(fmt::format("{}: {} bytes instead of {}", path, found.st_size,
                             sizeof header + header.bytes));
    return std::nullopt;
  }
  std::string blob(header.bytes, '\0');
  if (!read_all(file.get(), blob.data(), blob.size()) || checksum_of(blob) != header.checksum) {
    note_ignored(fmt::format("{}: the checksum does not fit", path));
    return std::nullopt;
  }
  futimens(file.get(), nullptr);  // used now: the last to be removed
  return blob;
}

void BlobCache::store(const Digest& key, std::string_view blob) {
  if (blob.size() > kLargestBlob) {
    return note_ignored(fmt::format("a blob of {} bytes is too large to keep", blob.size()));
  }
  const std::string path = path_of(key);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return note_ignored(fmt::format("{}: {}", folder_, error.message()));
  static std::atomic<uint64_t> counter = 0;
  const std::string temporary = fmt::format("{}.{}.{}.tmp", path, getpid(), counter++);
  {
    const Descriptor file(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.get() < 0) return note_ignored(fmt::format("{}: {}", path, system_error_text()));
    const FileHeader header{kMagic, key, checksum_of(blob), blob.size()};
    if (!write_all(file.get(), reinterpret_cast<const char*>(&header), sizeof header) ||
        !write_all(file.get(), blob.data(), blob.size())) {
      const std::string reason = system_error_text();
      unlink(temporary.c_str());
      return note_ignored(fmt::format("{}: {}", path, reason));
    }
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string reason = system_error_text();
    unlink(temporary.c_str());
    return note_ignored(fmt::format("{}: {}", path, reason));
  }
  {
    const std::lock_guard lock(mutex_);
    ++report_.stored;
  }
  remove_oldest(path);
}

void BlobCache::remove_oldest(const std::string& keep) const {
  struct Entry {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    if (path.extension() != ".blob" && path.extension() != ".tmp") continue;
    std::error_code gone;
    const auto used = it->last_write_time(gone);
    const uint64_t bytes = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    total += bytes;
    if (path != keep) entries.push_back({used, bytes, path});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_bytes_) return;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

void BlobCache::note_ignored(std::string reason) {
  const std::lock_guard lock(mutex_);
  ++report_.ignored;
  if (report_.reasons.size() < kMostReasons) report_.reasons.push_back(std::move(reason));
}

void BlobCache::note_used() {
  const std::lock_guard lock(mutex_);
  ++report_.used;
}

BlobReport BlobCache::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

}  // namespace changeaware::ovn
