#include "archive/archive_writer.h"

#include <fcntl.h>
#include <minizip/zip.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "base/errors.h"

namespace changeaware {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kLocalHeaderBytes = 30;
constexpr uint64_t kZip64ExtraBytes = 20;  // added by minizip after ours
constexpr uint64_t kExtraHeaderBytes = 4;  // id and length of an extra field
constexpr uint64_t kZip64Threshold = 0xffffffff;
constexpr uint32_t kDosDate = 0x00210000;  // 1980-01-01 00:00:00
constexpr uLong kFlagUtf8 = 0x0800;
constexpr unsigned kWriteChunk = 1u << 30;

// An output file for minizip. Remembers the first error: minizip reports only that there was one.
struct Output {
  int fd = -1;
  int error = 0;

  static Output* of(voidpf opaque) { return static_cast<Output*>(opaque); }
  static voidpf open(voidpf opaque, const void*, int) { return opaque; }
  static uLong read(voidpf opaque, voidpf, void* out, uLong count);
  static uLong write(voidpf opaque, voidpf, const void* data, uLong count);
  static ZPOS64_T tell(voidpf opaque, voidpf);
  static long seek(voidpf opaque, voidpf, ZPOS64_T offset, int origin);
  static int close(voidpf, voidpf) { return 0; }
  static int failed(voidpf opaque, voidpf) { return of(opaque)->error; }

  uint64_t position();
};

uLong Output::read(voidpf opaque, voidpf, void* out, uLong count) {
  const ssize_t n = ::read(of(opaque)->fd, out, count);
  return n < 0 ? 0 : static_cast<uLong>(n);
}

uLong Output::write(voidpf opaque, voidpf, const void* data, uLong count) {
  Output& output = *of(opaque);
  const char* bytes = static_cast<const char*>(data);
  uLong done = 0;
  while (done < count) {
    const ssize_t n = ::write(output.fd, bytes + done, count - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (output.error == 0) output.error = n < 0 ? errno : EIO;
      break;
    }
    done += static_cast<uLong>(n);
  }
  return done;
}

uint64_t Output::position() {
  const off_t at = lseek(fd, 0, SEEK_CUR);
  if (at < 0 && error == 0) error = errno;
  return at < 0 ? 0 : static_cast<uint64_t>(at);
}

ZPOS64_T Output::tell(voidpf opaque, voidpf) { return of(opaque)->position(); }

long Output::seek(voidpf opaque, voidpf, ZPOS64_T offset, int origin) {
  const int whence = origin == ZLIB_FILEFUNC_SEEK_SET   ? SEEK_SET
                     : origin == ZLIB_FILEFUNC_SEEK_CUR ? SEEK_CUR
                                                        : SEEK_END;
  if (lseek(of(opaque)->fd, static_cast<off_t>(offset), whence) >= 0) return 0;
  if (of(opaque)->error == 0) of(opaque)->error = errno;
  return -1;
}

zlib_filefunc64_def functions_for(Output* output) {
  zlib_filefunc64_def functions = {};
  functions.zopen64_file = Output::open;
  functions.zread_file = Output::read;
  functions.zwrite_file = Output::write;
  functions.ztell64_file = Output::tell;
  functions.zseek64_file = Output::seek;
  functions.zclose_file = Output::close;
  functions.zerror_file = Output::failed;
  functions.opaque = output;
  return functions;
}

// Extra field "FB" filled with "Z" as PyTorch writes it, so long that data starts aligned.
std::string padding(uint64_t header_offset, size_t name_bytes, bool zip64) {
  const uint64_t fixed = header_offset + kLocalHeaderBytes + name_bytes + kExtraHeaderBytes +
                         (zip64 ? kZip64ExtraBytes : 0);
  const uint64_t fill = (kAlignment - fixed % kAlignment) % kAlignment;
  std::string extra = "FB";
  extra.push_back(static_cast<char>(fill));
  extra.push_back(0);
  extra.append(fill, 'Z');
  return extra;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<signed char>(c) > 0; });
}

// Makes the rename itself durable. Some file systems cannot; the data is already on disk then.
void sync_folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : (slash == 0 ? "/" : path.substr(0, slash));
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  ::close(fd);
}

}  // namespace

struct ArchiveWriter::Impl {
  std::string path;
  std::string temporary;
  std::string top;
  Output output;
  zipFile zip = nullptr;
  std::set<std::string, std::less<>> names;
  bool finished = false;

  ~Impl() {
    if (zip != nullptr) zipClose(zip, nullptr);
    if (output.fd >= 0) ::close(output.fd);
    if (!finished && !temporary.empty()) unlink(temporary.c_str());
  }

  Status open_temporary();
  Status failure() const {
    return io_error("{}: cannot write {}: {}", path, temporary,
                    output.error != 0 ? std::strerror(output.error) : "the zip library failed");
  }
  Status write_entry(const std::string& full_name, std::span<const std::byte> bytes);
  Status write_data(std::span<const std::byte> bytes);
  Status close_zip();
};

// A new file beside the target, named so that no other writer has it.
Status ArchiveWriter::Impl::open_temporary() {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = fmt::format("{}.{}.{}.tmp", path, getpid(), counter++);
    output.fd = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output.fd >= 0) return {};
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary.clear();
  return io_error("{}: cannot create: {}", path, std::strerror(error));
}

Status ArchiveWriter::Impl::write_data(std::span<const std::byte> bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const auto n = static_cast<unsigned>(std::min<size_t>(kWriteChunk, bytes.size() - done));
    if (zipWriteInFileInZip(zip, bytes.data() + done, n) != ZIP_OK) return failure();
    done += n;
  }
  return {};
}

Status ArchiveWriter::Impl::write_entry(const std::string& full_name,
                                        std::span<const std::byte> bytes) {
  const bool zip64 = bytes.size() >= kZip64Threshold;
  const std::string extra = padding(output.position(), full_name.size(), zip64);
  zip_fileinfo info = {};
  info.dosDate = kDosDate;
  const int opened = zipOpenNewFileInZip4_64(
      zip, full_name.c_str(), &info, extra.data(), static_cast<uInt>(extra.size()), nullptr, 0,
      nullptr, /*method=*/0, /*level=*/0, /*raw=*/0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY,
      nullptr, 0, /*versionMadeBy=*/0, is_ascii(full_name) ? 0 : kFlagUtf8, zip64 ? 1 : 0);
  if (opened != ZIP_OK || output.position() % kAlignment != 0) return failure();
  CA_RETURN_IF_ERROR(write_data(bytes));
  if (zipCloseFileInZip(zip) != ZIP_OK || output.error != 0) return failure();
  return {};
}

ArchiveWriter::ArchiveWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ArchiveWriter::~ArchiveWriter() = default;

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create(const std::string& path,
                                                             const std::string& top_folder) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->top = top_folder.empty() ? "" : top_folder + "/";
  CA_RETURN_IF_ERROR(impl->open_temporary());
  return start(std::move(impl));
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create_in_memory(
    const std::string& top_folder) {
  auto impl = std::make_unique<Impl>();
  impl->path = "archive in memory";
  impl->top = top_folder.empty() ? "" : top_folder + "/";
  impl->output.fd = memfd_create("archive", MFD_CLOEXEC);
  if (impl->output.fd < 0)
    return io_error("{}: cannot create: {}", impl->path, std::strerror(errno));
  return start(std::move(impl));
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::start(std::unique_ptr<Impl> impl) {
  zlib_filefunc64_def functions = functions_for(&impl->output);
  impl->zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  if (impl->zip == nullptr) return impl->failure();
  return std::unique_ptr<ArchiveWriter>(new ArchiveWriter(std::move(impl)));
}

Status ArchiveWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  if (impl_->zip == nullptr) return invalid_argument("{}: the archive is finished", impl_->path);
  if (name.empty() || name.find('\0') != std::string_view::npos) {
    return invalid_argument("{}: \"{}\" cannot name an entry", impl_->path, name);
  }
  if (!impl_->names.emplace(name).second) {
    return invalid_argument("{}: entry {} is added twice", impl_->path, name);
  }
  return impl_->write_entry(impl_->top + std::string(name), bytes);
}

Status ArchiveWriter::add(std::string_view name, std::string_view text) {
  return add(name, std::as_bytes(std::span(text.data(), text.size())));
}

Status ArchiveWriter::Impl::close_zip() {
  if (zip == nullptr) return invalid_argument("{}: the archive is finished", path);
  const int closed = zipClose(std::exchange(zip, nullptr), nullptr);
  if (closed != ZIP_OK || output.error != 0) return failure();
  return {};
}

Result<std::string> ArchiveWriter::take() {
  CA_RETURN_IF_ERROR(impl_->close_zip());
  const off_t size = lseek(impl_->output.fd, 0, SEEK_END);
  if (size < 0) return impl_->failure();
  std::string bytes(static_cast<size_t>(size), '\0');
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n =
        pread(impl_->output.fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n <= 0) return impl_->failure();
    done += static_cast<size_t>(n);
  }
  return bytes;
}

Status ArchiveWriter::finish() {
  Impl& impl = *impl_;
  CA_RETURN_IF_ERROR(impl.close_zip());
  if (fsync(impl.output.fd) != 0) {
    impl.output.error = errno;
    return impl.failure();
  }
  if (::close(std::exchange(impl.output.fd, -1)) != 0) {
    impl.output.error = errno;
    return impl.failure();
  }
  if (std::rename(impl.temporary.c_str(), impl.path.c_str()) != 0) {
    return io_error("{}: cannot rename {}: {}", impl.path, impl.temporary, std::strerror(errno));
  }
  impl.finished = true;
  sync_folder_of(impl.path);
  return {};
}

}  // namespace changeaware
