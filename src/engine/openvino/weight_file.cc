#include "engine/openvino/weight_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "base/errors.h"

namespace changeaware::ovn {
namespace {

struct Mapping {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  uint64_t offset = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  std::string path;
};

std::vector<Mapping> file_mappings() {
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, offset = 0, inode = 0;
    unsigned int major = 0, minor = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %x:%x %lu %n", &begin, &end, &offset, &major,
                    &minor, &inode, &path) < 6 ||
        inode == 0) {
      continue;
    }
    mappings.push_back(
        {begin, end, offset, makedev(major, minor), inode, line.substr(static_cast<size_t>(path))});
  }
  return mappings;
}

}  // namespace

WeightFile::~WeightFile() { close(descriptor_); }

std::optional<uint64_t> WeightFile::offset_of(const void* data, size_t size) const {
  const auto address = reinterpret_cast<uintptr_t>(data);
  auto it = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                             [](uintptr_t a, const Range& range) { return a < range.begin; });
  if (it == ranges_.begin()) return std::nullopt;
  --it;
  if (address >= it->end || size > it->end - address) return std::nullopt;
  const uint64_t offset = it->offset + (address - it->begin);
  if (offset > bytes_ || size > bytes_ - offset) return std::nullopt;
  return offset;
}

Result<std::shared_ptr<const WeightFile>> WeightFile::find(std::span<const Tensor> tensors) {
  std::vector<std::pair<uintptr_t, uintptr_t>> wanted;
  for (const Tensor& t : tensors) {
    if (t.defined() && t.storage()->is_file_mapping() && t.storage()->bytes() > 0) {
      const auto begin = reinterpret_cast<uintptr_t>(t.storage()->data());
      wanted.emplace_back(begin, begin + t.storage()->bytes());
    }
  }
  if (wanted.empty()) return std::shared_ptr<const WeightFile>();
  const std::vector<Mapping> mappings = file_mappings();
  std::vector<Range> ranges;
  const Mapping* first = nullptr;
  for (const Mapping& m : mappings) {
    const bool holds_one = std::any_of(wanted.begin(), wanted.end(), [&](const auto& range) {
      return range.first < m.end && range.second > m.begin;
    });
    if (!holds_one) continue;
    if (first == nullptr) first = &m;
    if (m.device != first->device || m.inode != first->inode) {
      return unsupported("the weights lie in several files: {} and {}", first->path, m.path);
    }
    // The system may list one mapping in parts.
    Range* last = ranges.empty() ? nullptr : &ranges.back();
    if (last != nullptr && last->end == m.begin &&
        last->offset + (last->end - last->begin) == m.offset) {
      last->end = m.end;
    } else {
      ranges.push_back({m.begin, m.end, m.offset});
    }
  }
  if (first == nullptr) return io_error("no mapped file holds the weights");
  const int descriptor = open(first->path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat found {};
  if (descriptor < 0 || fstat(descriptor, &found) != 0 || found.st_dev != first->device ||
      found.st_ino != first->inode) {
    if (descriptor >= 0) close(descriptor);
    return io_error("{} is not the file that is mapped any more", first->path);
  }
  return std::shared_ptr<const WeightFile>(
      new WeightFile(descriptor, static_cast<uint64_t>(found.st_size), std::move(ranges)));
}

}  // namespace changeaware::ovn
