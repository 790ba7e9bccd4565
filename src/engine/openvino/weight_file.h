// WeightFile: the file whose private, read-only mapping holds a region's constants.
//
// A compiled blob without weights says where in that file each weight lies. The engine is given
// memory, not files, so the file is found by address.
// Source: proc_pid_maps(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware::ovn {

// Owns the descriptor of the very file that is mapped, also when its name leads to another one by
// now. Thread safety: const methods may be called concurrently.
class WeightFile {
 public:
  // The file in which all mapped tensors of `tensors` lie; null when none is mapped. The tensors
  // keep their mapping alive, so what is found stays true as long as they do.
  // Errors: Io when the file was replaced or removed, Unsupported for several files.
  static Result<std::shared_ptr<const WeightFile>> find(std::span<const Tensor> tensors);
  ~WeightFile();
  WeightFile(const WeightFile&) = delete;
  WeightFile& operator=(const WeightFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t bytes() const { return bytes_; }
  // Where [data, data + size) lies in the file; nothing when it is not wholly in its mapping.
  std::optional<uint64_t> offset_of(const void* data, size_t size) const;

 private:
  struct Range {
    uintptr_t begin;
    uintptr_t end;
    uint64_t offset;
  };
  WeightFile(int descriptor, uint64_t bytes, std::vector<Range> ranges)
      : descriptor_(descriptor), bytes_(bytes), ranges_(std::move(ranges)) {}

  int descriptor_;
  uint64_t bytes_;
  std::vector<Range> ranges_;  // sorted
};

}  // namespace changeaware::ovn
