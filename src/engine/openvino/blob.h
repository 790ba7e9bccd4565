// Blob: a compiled model without its weights, as bytes that can be kept on disk.
//
// What OpenVINO exports is the graph after the plug-in's transformations, as text, and all
// constants. Here the constants that lie in the weight file become offsets in that file, so that a
// blob is about 1 MB where the weights are 600. To import it, memory is laid out as the plug-in
// expects it: header, then the mapped file, then the other constants, then the text; nothing is
// copied from the file.
// Thread safety: pure functions.
// Sources: openvino/pass/serialize.hpp (StreamSerialize::DataHeader), OpenVINO's documentation of
// its intermediate representation.
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <string_view>

#include "engine/openvino/page_trimmer.h"
#include "engine/openvino/weight_file.h"

namespace changeaware::ovn {

// Properties under which a model must be compiled and imported for its text to be readable.
ov::AnyMap readable_blobs();

// The bytes of a blob. `weights`: the file of the model's constants, or null.
// Errors: Unsupported with the reason why this model has no blob: too many bytes of constants lie
// elsewhere, or several constants were written as one (see weight_copies.h: the plug-in takes equal
// addresses for equal packed weights, so what had two must not come back with one); Internal when
// OpenVINO's format is not the one known here.
Result<std::string> make_blob(const ov::CompiledModel& model, const WeightFile* weights);

// Memory laid out for one import. It must outlive the compiled model that is imported from it.
class BlobMemory {
 public:
  // `weights` must be the file that make_blob() had, or one with the same bytes at the same places.
  // Errors: Corrupt when the blob contradicts itself or the file; Io when memory cannot be mapped.
  static Result<std::unique_ptr<BlobMemory>> lay_out(std::string_view blob,
                                                     const WeightFile* weights);
  ~BlobMemory();
  BlobMemory(const BlobMemory&) = delete;
  BlobMemory& operator=(const BlobMemory&) = delete;

  ov::Tensor tensor() const;
  PageRange file_pages() const { return file_pages_; }

 private:
  BlobMemory(std::byte* begin, size_t reserved) : begin_(begin), reserved_(reserved) {}

  std::byte* begin_;
  size_t reserved_;
  size_t size_ = 0;
  PageRange file_pages_{nullptr, nullptr};
};

}  // namespace changeaware::ovn
