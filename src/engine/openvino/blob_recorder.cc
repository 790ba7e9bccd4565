#include "engine/openvino/blob_recorder.h"

#include <algorithm>
#include <cstring>

#include "base/pages.h"

namespace changeaware::ovn {
namespace {

// Below this a reference takes more than the bytes.
constexpr uint64_t kSmallestReference = 256;

}  // namespace

const BlobRecorder::Piece* BlobRecorder::piece_at(uint64_t begin, uint64_t size) const {
  auto it = std::upper_bound(pieces_.begin(), pieces_.end(), begin,
                             [](uint64_t b, const Piece& piece) { return b < piece.begin; });
  if (it == pieces_.begin()) return nullptr;
  --it;
  const uint64_t inside = begin - it->begin;
  if (inside > it->size || size > it->size - inside) return nullptr;
  return &*it;
}

std::optional<BlobRecorder::Span> BlobRecorder::find(uint64_t begin, uint64_t size) const {
  const Piece* piece = piece_at(begin, size);
  if (piece == nullptr) return std::nullopt;
  const uint64_t at = piece->at + (begin - piece->begin);
  if (piece->in_file) return Span{at, {}};
  return Span{std::nullopt, std::string_view(bytes_).substr(at, size)};
}

bool BlobRecorder::append(const char* data, uint64_t size) {
  std::optional<uint64_t> in_file;
  if (weights_ != nullptr && size >= kSmallestReference) in_file = weights_->offset_of(data, size);
  // The plug-in has read it for a checksum of its own; now nobody needs the pages.
  if (in_file) drop_pages(whole_pages(data, size));
  const uint64_t at = in_file.value_or(bytes_.size());
  if (!in_file) {
    if (size > limit_ - std::min<uint64_t>(limit_, bytes_.size())) return false;
    bytes_.append(data, size);
  }
  Piece* last = pieces_.empty() ? nullptr : &pieces_.back();
  if (last != nullptr && last->in_file == in_file.has_value() && last->at + last->size == at) {
    last->size += size;
  } else {
    pieces_.push_back({end_, size, in_file.has_value(), at});
  }
  end_ += size;
  position_ = end_;
  return true;
}

std::streamsize BlobRecorder::xsputn(const char* data, std::streamsize size) {
  if (size <= 0) return 0;
  const auto count = static_cast<uint64_t>(size);
  if (position_ == end_) return append(data, count) ? size : 0;
  // The header is written once more when its numbers are known.
  const Piece* piece = piece_at(position_, count);
  if (piece == nullptr || piece->in_file) return 0;
  std::memcpy(bytes_.data() + piece->at + (position_ - piece->begin), data, count);
  position_ += count;
  return size;
}

BlobRecorder::int_type BlobRecorder::overflow(int_type c) {
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

BlobRecorder::pos_type BlobRecorder::seekoff(off_type offset, std::ios_base::seekdir from,
                                             std::ios_base::openmode mode) {
  const uint64_t base = from == std::ios_base::beg   ? 0
                        : from == std::ios_base::cur ? position_
                                                     : end_;
  return seekpos(static_cast<off_type>(base) + offset, mode);
}

BlobRecorder::pos_type BlobRecorder::seekpos(pos_type position, std::ios_base::openmode) {
  const off_type offset = position;
  if (offset < 0 || static_cast<uint64_t>(offset) > end_) return pos_type(off_type(-1));
  position_ = static_cast<uint64_t>(offset);
  return position;
}

}  // namespace changeaware::ovn
