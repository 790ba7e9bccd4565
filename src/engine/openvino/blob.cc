#include "engine/openvino/blob.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <openvino/pass/serialize.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "base/errors.h"
#include "engine/openvino/blob_recorder.h"

namespace changeaware::ovn {
namespace {

using Header = ov::pass::StreamSerialize::DataHeader;

constexpr size_t kLargestBytes = size_t{64} << 20;  // that a blob holds itself
constexpr size_t kLargestPrefix = 4096;
constexpr size_t kAlignment = 64;

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// What a blob's bytes begin with; the four parts follow in this order.
struct Layout {
  uint64_t file_bytes;    // of the weight file; 0 = none
  uint64_t prefix_bytes;  // what the plug-in puts before its header
  uint64_t custom_bytes;
  uint64_t constant_bytes;
  uint64_t text_bytes;
};

// Offsets of constants are counted from the first byte of the file, which is followed, from the
// next page on, by the blob's own constants.
uint64_t own_constants_begin(uint64_t file_bytes) {
  return round_up(file_bytes, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

struct Exported {
  uint64_t at = 0;  // of the header
  Header header{};
};

std::optional<Exported> find_header(const BlobRecorder& stream) {
  for (uint64_t at = 0; at < kLargestPrefix && at + sizeof(Header) <= stream.size(); ++at) {
    const auto bytes = stream.find(at, sizeof(Header));
    if (!bytes || bytes->in_file) return std::nullopt;
    Header h{};
    std::memcpy(&h, bytes->bytes.data(), sizeof h);
    if (h.custom_data_offset == sizeof h && h.consts_offset == sizeof h + h.custom_data_size &&
        h.model_offset == h.consts_offset + h.consts_size &&
        at + h.model_offset + h.model_size == stream.size()) {
      return Exported{at, h};
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> attribute(std::string_view element, std::string_view name) {
  const std::string start = std::string(" ") + std::string(name) + "=\"";
  const size_t begin = element.find(start);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = element.find('"', begin + start.size());
  if (end == std::string_view::npos) return std::nullopt;
  return element.substr(begin + start.size(), end - begin - start.size());
}

std::optional<uint64_t> number(std::optional<std::string_view> text) {
  uint64_t n = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), n);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return n;
}

bool has_two_dimensions(std::string_view shape) {
  size_t above_one = 0;
  while (!shape.empty()) {
    const size_t comma = std::min(shape.find(','), shape.size());
    std::string_view dim = shape.substr(0, comma);
    while (!dim.empty() && dim.front() == ' ') dim.remove_prefix(1);
    if (dim != "1") ++above_one;
    shape.remove_prefix(std::min(comma + 1, shape.size()));
  }
  return above_one > 1;
}

// Goes through the exported text and gives every constant its place.
class Relocation {
 public:
  Relocation(const BlobRecorder& stream, const Exported& exported, uint64_t own_begin)
      : stream_(stream), exported_(exported), own_begin_(own_begin) {}

  Status run(std::string_view text) {
    size_t done = 0;
    constexpr std::string_view kConstant = "type=\"Const\"";
    for (size_t at = text.find(kConstant); at != std::string_view::npos;
         at = text.find(kConstant, at + 1)) {
      const size_t begin = text.find("<data ", at);
      const size_t end = begin == std::string_view::npos ? begin : text.find('>', begin);
      if (end == std::string_view::npos) return unknown_format("a constant has no data");
      const std::string_view element = text.substr(begin, end - begin);
      const auto offset_text = attribute(element, "offset");
      const auto offset = number(offset_text);
      const auto size = number(attribute(element, "size"));
      const auto shape = attribute(element, "shape");
      if (!offset || !size || !shape) return unknown_format("a constant has no offset or size");
      CA_ASSIGN_OR_RETURN(const uint64_t place, place_of(*offset, *size, *shape));
      const auto number_at = static_cast<size_t>(offset_text->data() - text.data());
      text_.append(text.substr(done, number_at - done)).append(std::to_string(place));
      done = number_at + offset_text->size();
    }
    text_.append(text.substr(done));
    return {};
  }

  std::string& text() { return text_; }
  std::string& constants() { return constants_; }

  static Status unknown_format(std::string_view what) {
    return internal_error("OpenVINO's export has another format than the known one: {}", what);
  }

 private:
  Result<uint64_t> place_of(uint64_t offset, uint64_t size, std::string_view shape) {
    if (size == 0) return own_begin_;
    const auto found = stream_.find(exported_.at + exported_.header.consts_offset + offset, size);
    if (!found) return unknown_format("a constant is not written in one piece");
    if (found->in_file) {
      // Written once for several constants that may have had addresses of their own.
      if (!has_two_dimensions(shape) || written_.insert(offset).second) return *found->in_file;
      return unsupported("several constants are written as one of {} bytes", size);
    }
    // Each its own copy, so that no two have one address.
    constants_.resize(round_up(constants_.size(), kAlignment));
    const uint64_t place = own_begin_ + constants_.size();
    if (found->bytes.size() > kLargestBytes - std::min(kLargestBytes, constants_.size())) {
      return unsupported("more than {} bytes of constants lie outside the weight file",
                         kLargestBytes);
    }
    constants_.append(found->bytes);
    return place;
  }

  const BlobRecorder& stream_;
  const Exported& exported_;
  uint64_t own_begin_;
  std::set<uint64_t> written_;
  std::string text_;
  std::string constants_;
};

}  // namespace

ov::AnyMap readable_blobs() {
  const auto same = [](const std::string& text) { return text; };
  return {ov::cache_encryption_callbacks(ov::EncryptionCallbacks{same, same})};
}

Result<std::string> make_blob(const ov::CompiledModel& model, const WeightFile* weights) {
  BlobRecorder stream(weights, kLargestBytes);
  std::ostream out(&stream);
  const_cast<ov::CompiledModel&>(model).export_model(out);
  if (!out.good()) {
    return unsupported("more than {} bytes of constants lie outside the weight file",
                       kLargestBytes);
  }
  const auto exported = find_header(stream);
  if (!exported) return Relocation::unknown_format("no header");
  const Header& header = exported->header;
  const auto before = stream.find(0, exported->at);
  const auto custom = stream.find(exported->at + sizeof(Header), header.custom_data_size);
  const auto text = stream.find(exported->at + header.model_offset, header.model_size);
  if (!before || !custom || !text || before->in_file || custom->in_file || text->in_file ||
      text->bytes.find("<net ") == std::string_view::npos) {
    return Relocation::unknown_format("the text is not readable");
  }
  Layout layout{};
  layout.file_bytes = weights == nullptr ? 0 : weights->bytes();
  Relocation relocation(stream, *exported, own_constants_begin(layout.file_bytes));
  CA_RETURN_IF_ERROR(relocation.run(text->bytes));
  layout.prefix_bytes = exported->at;
  layout.custom_bytes = header.custom_data_size;
  layout.constant_bytes = relocation.constants().size();
  layout.text_bytes = relocation.text().size();
  std::string blob(reinterpret_cast<const char*>(&layout), sizeof layout);
  blob.append(before->bytes).append(custom->bytes);
  blob.append(relocation.constants()).append(relocation.text());
  return blob;
}

Result<std::unique_ptr<BlobMemory>> BlobMemory::lay_out(std::string_view blob,
                                                        const WeightFile* weights) {
  Layout layout{};
  if (blob.size() < sizeof layout) return corrupt("compiled blob: shorter than its header");
  std::memcpy(&layout, blob.data(), sizeof layout);
  blob.remove_prefix(sizeof layout);
  for (uint64_t part : {layout.prefix_bytes, layout.custom_bytes, layout.constant_bytes}) {
    if (part > blob.size()) return corrupt("compiled blob: its parts are longer than it is");
  }
  if (layout.text_bytes > blob.size() ||
      layout.prefix_bytes + layout.custom_bytes + layout.constant_bytes + layout.text_bytes !=
          blob.size()) {
    return corrupt("compiled blob: its parts are not as long as it is");
  }
  if (layout.file_bytes != (weights == nullptr ? 0 : weights->bytes())) {
    return corrupt("compiled blob: it is for a weight file of {} bytes", layout.file_bytes);
  }
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t constants =
      round_up(layout.prefix_bytes + sizeof(Header) + layout.custom_bytes, page);
  const size_t own = constants + own_constants_begin(layout.file_bytes);
  const size_t text = own + layout.constant_bytes;
  const size_t size = text + layout.text_bytes;
  const size_t reserved = round_up(size, page);

  void* memory = mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return io_error("no address space for a compiled blob");
  std::unique_ptr<BlobMemory> out(new BlobMemory(static_cast<std::byte*>(memory), reserved));
  out->size_ = size;
  if (layout.file_bytes > 0) {
    std::byte* file = out->begin_ + constants;
    if (mmap(file, layout.file_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, weights->descriptor(),
             0) == MAP_FAILED) {
      return io_error("the weight file cannot be mapped");
    }
    out->file_pages_ = {file, file + round_up(layout.file_bytes, page)};
  }

  const auto copy = [&](size_t to, size_t bytes) {
    std::memcpy(out->begin_ + to, blob.data(), bytes);
    blob.remove_prefix(bytes);
  };
  copy(0, layout.prefix_bytes);
  // Spaces at the end of the custom text let the constants begin with a page.
  const size_t custom = layout.prefix_bytes + sizeof(Header);
  std::memset(out->begin_ + custom, '\n', constants - custom);
  copy(custom, layout.custom_bytes);
  copy(own, layout.constant_bytes);
  copy(text, layout.text_bytes);
  Header header{};
  header.custom_data_offset = sizeof(Header);
  header.custom_data_size = constants - custom;
  header.consts_offset = constants - layout.prefix_bytes;
  header.consts_size = text - constants;
  header.model_offset = text - layout.prefix_bytes;
  header.model_size = layout.text_bytes;
  std::memcpy(out->begin_ + layout.prefix_bytes, &header, sizeof header);
  return out;
}

BlobMemory::~BlobMemory() { munmap(begin_, reserved_); }

ov::Tensor BlobMemory::tensor() const {
  return ov::Tensor(ov::element::u8, ov::Shape{size_}, begin_);
}

}  // namespace changeaware::ovn
