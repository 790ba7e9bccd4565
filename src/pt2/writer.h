// Writes a PT2 archive that holds several exported programs over one set of payloads.
//
// torch.export.pt2_archive of PyTorch 2.13 opens the result and can run each program.
// Payloads: each distinct storage is written once, whole, however many programs, names or views
// refer to it; storages with equal bytes are one payload. Payload data is 64-byte aligned. Two
// exceptions, because PyTorch looks for weights and for constants in different folders and gives a
// payload one dtype: a storage that is both, or is used with two dtypes, is written for each.
// Parameters and persistent buffers are weights; other buffers and lifted tensors are constants.
// The result depends only on what is added and in which order: no times, no names of machines.
// The file appears at its path only when finish() succeeds (temporary file, fsync, rename).
// Errors: Io naming the path; InvalidArgument for a duplicate name.
// Thread safety: none; one thread per writer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "changeaware/status.h"
#include "pt2/program.h"

namespace changeaware {

class Pt2Writer {
 public:
  static Result<std::unique_ptr<Pt2Writer>> create(const std::string& path);
  // Removes the temporary file when finish() was not reached.
  virtual ~Pt2Writer() = default;

  // Writes models/<program.name>.json, its weight and constant configs and its sample inputs (an
  // empty entry when it has none). An empty signature stands for the graph's inputs and outputs in
  // order, an empty tree spec for a flat tuple; else every graph input must be in the signature.
  // InvalidProgram, Unsupported, naming the node or value.
  virtual Status add_program(const ExportedProgram& program) = 0;
  // Writes extra/<name>.
  virtual Status add_extra(const std::string& name, std::string_view bytes) = 0;
  virtual Status finish() = 0;
};

}  // namespace changeaware
