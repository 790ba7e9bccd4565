#include "cli/npz.h"

#include <minizip/unzip.h>

#include <filesystem>
#include <memory>

#include "cli/error.h"
#include "cli/npy.h"

namespace changeaware::cli {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr uint64_t kMostEntryBytes = uint64_t{1} << 36;

struct Closer {
  void operator()(void* file) const { unzClose(file); }
};
using Zip = std::unique_ptr<void, Closer>;

// The current entry, whole. Sizes in a zip's directory are claims: memory grows with what is there.
Result<std::string> read_entry(unzFile zip, uint64_t stated_bytes) {
  if (stated_bytes > kMostEntryBytes) {
    return error(StatusCode::kCorrupt, "{} bytes", stated_bytes);
  }
  if (unzOpenCurrentFile(zip) != UNZ_OK) {
    return error(StatusCode::kUnsupported, "neither stored nor deflated, or encrypted");
  }
  constexpr size_t kPiece = size_t{1} << 20;
  std::string contents;
  int got = 1;
  while (got > 0 && contents.size() <= stated_bytes) {
    const size_t before = contents.size();
    contents.resize(before + kPiece);
    got = unzReadCurrentFile(zip, contents.data() + before, kPiece);
    contents.resize(before + static_cast<size_t>(got > 0 ? got : 0));
  }
  const int closed = unzCloseCurrentFile(zip);
  if (got < 0 || closed != UNZ_OK || contents.size() != stated_bytes) {
    return error(StatusCode::kCorrupt, "damaged: {}",
                 closed == UNZ_CRCERROR ? "its CRC-32 differs" : "it cannot be read whole");
  }
  return contents;
}

struct Entry {
  std::string name;
  Tensor tensor;
};

// REQUIRES: `zip` has a current entry.
Result<Entry> read_current(unzFile zip) {
  unz_file_info64 info{};
  if (unzGetCurrentFileInfo64(zip, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK) {
    return error(StatusCode::kCorrupt, "damaged directory");
  }
  std::string name(info.size_filename, '\0');
  unzGetCurrentFileInfo64(zip, &info, name.data(), info.size_filename, nullptr, 0, nullptr, 0);
  if (!name.ends_with(kSuffix)) return error(StatusCode::kCorrupt, "{}: not an .npy entry", name);
  auto contents = read_entry(zip, info.uncompressed_size);
  if (!contents.ok()) return contents.status().with_context(name);
  auto tensor = parse_npy(*std::move(contents));
  if (!tensor.ok()) return tensor.status().with_context(name);
  name.resize(name.size() - kSuffix.size());
  return Entry{std::move(name), *std::move(tensor)};
}

Result<std::map<std::string, Tensor>> read_entries(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    const bool there = std::filesystem::exists(path, ignored);
    return error(StatusCode::kIo, "{}", there ? "not a file" : "no such file");
  }
  const Zip zip(unzOpen64(path.c_str()));
  if (!zip) return error(StatusCode::kCorrupt, "not an .npz file: no zip directory in it");
  std::map<std::string, Tensor> out;
  int at = unzGoToFirstFile(zip.get());
  while (at == UNZ_OK) {
    CA_ASSIGN_OR_RETURN(Entry entry, read_current(zip.get()));
    if (!out.emplace(entry.name, std::move(entry.tensor)).second) {
      return error(StatusCode::kCorrupt, "{}{} comes twice", entry.name, kSuffix);
    }
    at = unzGoToNextFile(zip.get());
  }
  if (at != UNZ_END_OF_LIST_OF_FILE) return error(StatusCode::kCorrupt, "damaged directory");
  return out;
}

}  // namespace

Result<std::map<std::string, Tensor>> read_npz(const std::string& path) {
  auto out = read_entries(path);
  if (!out.ok()) return out.status().with_context(path);
  return out;
}

}  // namespace changeaware::cli
