// BlobRecorder: the stream buffer that a compiled model is exported to.
//
// The plug-in writes every constant with one call, from where it lies. What lies in the weight file
// is noted as a reference instead of being copied; all else is kept as bytes.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "engine/openvino/weight_file.h"

namespace changeaware::ovn {

class BlobRecorder final : public std::streambuf {
 public:
  // `weights` may be null; it must outlive the recorder. Once more than `limit` bytes would be
  // kept, the stream fails.
  BlobRecorder(const WeightFile* weights, size_t limit) : weights_(weights), limit_(limit) {}

  uint64_t size() const { return end_; }
  // The bytes [begin, begin + size) of the stream, or where in the weight file they lie. Nothing
  // when they are not wholly one or the other.
  struct Span {
    std::optional<uint64_t> in_file;
    std::string_view bytes;
  };
  std::optional<Span> find(uint64_t begin, uint64_t size) const;

 protected:
  std::streamsize xsputn(const char* data, std::streamsize size) override;
  int_type overflow(int_type c) override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override;
  pos_type seekpos(pos_type position, std::ios_base::openmode) override;

 private:
  struct Piece {
    uint64_t begin;
    uint64_t size;
    bool in_file;
    uint64_t at;  // in the weight file or in bytes_
  };
  const Piece* piece_at(uint64_t begin, uint64_t size) const;
  bool append(const char* data, uint64_t size);

  const WeightFile* weights_;
  size_t limit_;
  std::vector<Piece> pieces_;  // without gaps
  std::string bytes_;
  uint64_t end_ = 0;
  uint64_t position_ = 0;
};

}  // namespace changeaware::ovn
