// Package and Manifest: what compile() writes and a Session runs. docs/package_format.md describes
// the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "changeaware/export_macro.h"
#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware {

// One tensor that enters or leaves the program or a callable. Ports are bound by name: a callable's
// input is the program input or the callable output of the same name.
struct Port {
  std::string name;
  DType dtype = DType::kFloat32;
  // One per dimension: "3", or a symbolic expression such as "s0" or "2*s0".
  std::vector<std::string> shape;
};

// What a callable costs on the machine that compiled the package, on the example inputs. Where
// nothing was measured (Manifest::costs_are_measured), estimates from shapes alone.
struct CallableCosts {
  double steady_us = 0;         // median of warm runs
  double p95_us = 0;            // of warm runs
  double cold_us = 0;           // first run after loading
  double load_us = 0;           // making it ready from the mapped file
  uint64_t resident_bytes = 0;  // what loading it adds to the process
};

struct Callable {
  std::string name;      // "main", "segment_image"
  std::string identity;  // SHA-256 of its canonical bytes, hexadecimal: docs/identity.md
  std::vector<std::string> dependencies;        // program inputs whose values it depends on
  std::vector<std::string> shape_dependencies;  // program inputs of which only the shape matters
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<std::string> assertions;  // messages of the assertions it decides
  uint64_t weight_bytes = 0;            // distinct constant bytes that it reads
  uint64_t node_count = 0;
  uint64_t exact_node_count = 0;  // of those, run by the exact engine
  CallableCosts costs;
};

// What a strategy runs when exactly these inputs changed since a request whose boundaries it
// retained.
struct MaskCost {
  std::vector<std::string> changed;  // program inputs, in the program's order; not empty
  std::vector<std::string> runs;     // callables, in execution order
  double steady_us = 0;              // sums over `runs`
  double p95_us = 0;
};

// Which values are retained between requests. All strategies but `monolithic` run the same
// segments, so a plan may mix what different strategies retained.
struct Strategy {
  std::string name;                    // "monolithic", "full_retention", "image@4194304+text@0"
  std::vector<std::string> callables;  // in execution order
  std::vector<std::string> retained;   // ports (outputs of its callables) that are retained
  uint64_t retained_bytes = 0;         // of one version of those, at the example shapes
  uint64_t resident_bytes = 0;         // of its callables
  // Every set of changed inputs for up to 6 inputs; beyond, a covering sample: each input alone,
  // all but each, all.
  std::vector<MaskCost> mask_costs;
  // Whether its results had the bits of `main` on the example inputs. Engines fuse across the
  // boundaries between segments, so the last bits of `main` may differ; incremental runs always
  // have the bits of a full run of the same strategy.
  bool bits_of_main = false;
  std::string difference_from_main;  // the first difference; empty when there was none
};

struct Rejection {
  std::string candidate;
  std::string reason;
};

// A program output: produced by a callable, passed through from an input, or fixed at export.
struct ProgramOutput {
  std::string name;
  enum class Kind : uint8_t {
    kPort,
    kConstantTensor,
    kNone,
    kInt,
    kFloat,
    kBool,
    kString
  } kind = Kind::kPort;
  Port port;  // kPort, kConstantTensor: port.name is the value's name (two outputs may share it)
  int64_t int_value = 0;   // kInt, kBool
  double float_value = 0;  // kFloat
  std::string string_value;
};

// A program input. One that was fixed at export is not asked for.
struct ProgramInput {
  Port port;
  // Text of the constant ("None", "3", "True"); empty = a tensor the caller gives.
  std::string fixed_value;
};

struct SymbolBounds {
  std::string symbol;
  int64_t min = 0;
  int64_t max = INT64_MAX;
};

// How far the results of a strategy may be from those of `main`:
//   |difference| <= atol + rtol * |value in main| + of_scale * largest |value in main| of the
//   output
// All zero: to the bit. Integers and booleans are always compared to the bit. Incremental and full
// runs of one strategy have the same bits whatever this says.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  double of_scale = 1e-4;
};

struct Manifest {
  int format_major = 2;
  int format_minor = 1;
  std::string engine_name;
  std::string engine_version;
  bool exact_numerics = false;            // all of it runs on the exact engine
  std::string exact_engine_version;       // PyTorch's; empty when no callable needs it
  std::vector<std::string> op_libraries;  // file names of the custom operators' libraries
  std::string torch_version;
  std::vector<ProgramInput> inputs;    // in the program's order
  std::vector<ProgramOutput> outputs;  // in the program's order
  std::string in_spec;                 // PyTorch treespec JSON of (args, kwargs)
  std::string out_spec;
  std::vector<SymbolBounds> symbols;
  std::vector<Callable> callables;  // "main" first, then segments in execution order
  std::vector<Strategy> strategies;
  std::vector<Rejection> rejections;  // cuts, boundaries and strategies that were turned down
  uint64_t strategy_candidates = 0;   // strategies that were considered, `monolithic` included
  bool costs_are_measured = false;
  Tolerance tolerance;
  // `main` and every strategy were executed on the example inputs, and on each set of changed
  // inputs, and agree within `tolerance`.
  bool verified = false;

  // Corrupt, naming the field, when the parts contradict each other.
  CHANGEAWARE_API Status validate() const;
  CHANGEAWARE_API const Callable* find_callable(std::string_view name) const;
};

class CHANGEAWARE_API Package {
 public:
  // Maps the file and reads the manifest. Errors: Io, Corrupt, Unsupported (a newer major format,
  // or not a package: the message says what it is).
  static Result<std::shared_ptr<const Package>> open(const std::string& path);
  virtual ~Package() = default;
  virtual const Manifest& manifest() const = 0;
  virtual const std::string& path() const = 0;
};

}  // namespace changeaware
