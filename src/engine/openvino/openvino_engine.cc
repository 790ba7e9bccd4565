#include "engine/openvino/openvino_engine.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/runtime/intel_cpu/properties.hpp>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "engine/openvino/blob.h"
#include "engine/openvino/blob_cache.h"
#include "engine/openvino/blob_key.h"
#include "engine/openvino/conversion.h"
#include "engine/openvino/element_types.h"
#include "engine/openvino/executable.h"
#include "engine/openvino/frontend_errors.h"
#include "engine/openvino/page_trimmer.h"
#include "engine/openvino/reductions_apart.h"
#include "engine/openvino/refusal_search.h"
#include "engine/openvino/refusals.h"
#include "engine/openvino/weight_copies.h"

namespace changeaware {
namespace {

using namespace ovn;

// Below this, dropping pages costs more than it gives back.
constexpr size_t kTrimThresholdBytes = size_t{1} << 20;

// Larger blocks are mapped one by one and unmapped when freed. By default glibc raises this limit
// up to 32 MB as blocks are freed, and then keeps up to twice as much at the end of the heap of
// every thread that ever compiled or ran something; malloc_trim() does not give that back.
constexpr int kMappedBlockBytes = 4 << 20;

void keep_freed_memory_small() {
#ifdef __GLIBC__
  // Whoever set these limits from outside knows better.
  for (const char* name : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"}) {
    if (std::getenv(name) != nullptr) return;
  }
  mallopt(M_MMAP_THRESHOLD, kMappedBlockBytes);
  mallopt(M_TRIM_THRESHOLD, kMappedBlockBytes);
#endif
}

// Loading the CPU plug-in takes long and its threads are shared, so there is one Core per process.
// It is never destroyed: compiled models may outlive main().
ov::Core& shared_core() {
  static auto* core = [] {
    keep_freed_memory_small();
    return new ov::Core;
  }();
  return *core;
}

ov::AnyMap properties(const OpenVinoOptions& options) {
  ov::AnyMap all = {
      ov::hint::inference_precision(ov::element::f32),
      ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY),
      ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY),
      ov::num_streams(1),
      ov::inference_num_threads(options.threads),
      ov::intel_cpu::denormals_optimization(false),
  };
  all.merge(readable_blobs());
  return all;
}

PortSpec port_of(const Value& value) {
  PortSpec port{value.name, DType::kInt64, {}, true};
  if (value.kind == ValueKind::kTensor) {
    port.dtype = value.spec.dtype;
    port.dims = value.spec.dims;
    port.fixed = value.spec.fixed();
  } else if (value.kind != ValueKind::kSymInt) {
    port.dtype = value.kind == ValueKind::kSymBool ? DType::kBool : DType::kFloat64;
  }
  return port;
}

// Decides, before conversion, which values must come out of the model and where everything else
// comes from.
class Layout {
 public:
  Layout(const Graph& graph, ExecutableParts& parts) : graph_(graph), parts_(parts) {
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      inputs_.emplace(graph.inputs()[i], i);
      parts.inputs.push_back(port_of(graph.value(graph.inputs()[i])));
    }
  }

  Status add_outputs() {
    for (const Argument& output : graph_.outputs()) {
      const auto* ref = std::get_if<ValueRef>(&output);
      if (ref == nullptr) return internal_error("an output of the region is not a value");
      parts_.outputs.push_back(port_of(graph_.value(ref->id)));
      parts_.sources.push_back(source_of(ref->id));
    }
    return {};
  }

  void add_guards(std::vector<Guard> guards) {
    for (Guard& guard : guards) {
      BoundGuard bound;
      const auto input = inputs_.find(guard.value);
      bound.from_input = input != inputs_.end();
      if (bound.from_input) bound.index = input->second;
      if (guard.indexed != kNoId) {
        const Dim& extent = graph_.value(guard.indexed).spec.dims[guard.dim];
        bound.extent = extent.size;
        bound.extent_is_result = !extent.fixed();
        if (bound.extent_is_result) {
          bound.extent_index = extents_.size();
          extents_.push_back({guard.indexed, guard.dim});
        }
      }
      if (!bound.from_input) bound.index = result_of(guard.value);
      bound.guard = std::move(guard);
      parts_.guards.push_back(std::move(bound));
    }
    for (BoundGuard& bound : parts_.guards) {
      if (bound.extent_is_result) bound.extent_index += results_.size();
    }
  }

  const std::vector<ValueId>& results() const { return results_; }
  const std::vector<ExtentRequest>& extents() const { return extents_; }

 private:
  size_t result_of(ValueId value) {
    const auto [it, fresh] = result_index_.emplace(value, results_.size());
    if (fresh) results_.push_back(value);
    return it->second;
  }

  OutputSource source_of(ValueId value) {
    using Kind = OutputSource::Kind;
    if (const auto it = inputs_.find(value); it != inputs_.end()) {
      return {Kind::kInput, it->second, {}};
    }
    if (const Constant* constant = graph_.constant_of(value)) {
      return {Kind::kConstant, 0, constant->tensor};
    }
    return {Kind::kResult, result_of(value), {}};
  }

  const Graph& graph_;
  ExecutableParts& parts_;
  std::map<ValueId, size_t> inputs_;
  std::map<ValueId, size_t> result_index_;
  std::vector<ValueId> results_;
  std::vector<ExtentRequest> extents_;
};

std::vector<int> find_input_ports(const ov::CompiledModel& model, size_t inputs) {
  std::vector<int> ports(inputs, -1);
  const auto& model_inputs = model.inputs();
  for (size_t i = 0; i < inputs; ++i) {
    const std::string name = input_name(i);
    for (size_t p = 0; p < model_inputs.size(); ++p) {
      if (model_inputs[p].get_names().contains(name)) ports[i] = static_cast<int>(p);
    }
  }
  return ports;
}

// Why the imported model is not the one that the region needs; OK when it is.
Status check_ports(const ExecutableParts& parts) {
  if (parts.model.outputs().size() != parts.results) {
    return corrupt("compiled blob: {} results instead of {}", parts.model.outputs().size(),
                   parts.results);
  }
  for (size_t i = 0; i < parts.inputs.size(); ++i) {
    const int port = parts.input_ports[i];
    if (port >= 0 && parts.model.input(static_cast<size_t>(port)).get_element_type() !=
                         element_type(parts.inputs[i].dtype)) {
      return corrupt("compiled blob: input '{}' has another type", parts.inputs[i].name);
    }
  }
  return {};
}

class OpenVinoEngine final : public Engine {
 public:
  explicit OpenVinoEngine(const OpenVinoOptions& options)
      : options_(options), cache_(options.blob_folder) {}

  EngineInfo info() const override { return {"openvino", ov::get_openvino_version().buildNumber}; }
  BlobReport blob_report() const override { return cache_.report(); }

  Result<std::unique_ptr<Executable>> compile(const Graph& graph) const override {
    return compile_identified(graph, {});
  }

  changeaware::Result<std::vector<NodeRefusal>> refusals(const Graph& graph) const override {
    std::vector<Tensor> constants;
    for (const Constant& constant : graph.constants()) constants.push_back(constant.tensor);
    const TryCompile try_compile = [&](const std::shared_ptr<ov::Model>& model) {
      separate_shared_weights(*model);
      keep_reductions_apart(*model);
      const PageTrimmer trimmer(mapped_pages(constants, kTrimThresholdBytes));
      shared_core().compile_model(model, "CPU", properties(options_));
    };
    try {
      return find_refusals(graph, try_compile);
    } catch (const std::exception& e) {
      return status_of_thrown(e);
    }
  }

  changeaware::Result<std::unique_ptr<Executable>> compile_identified(
      const Graph& graph, const std::string& identity) const override {
    try {
      return compile_checked(graph, identity);
    } catch (const std::exception& e) {
      return status_of_thrown(e);
    } catch (...) {
      return internal_error("OpenVINO threw something that is no exception");
    }
  }

 private:
  // Where the blob of a region is, or will be.
  struct Place {
    Digest key;
    std::shared_ptr<const WeightFile> weights;
  };

  Result<std::unique_ptr<Executable>> compile_checked(const Graph& graph,
                                                      const std::string& identity) const {
    CA_RETURN_IF_ERROR(check_supported(graph));
    CA_ASSIGN_OR_RETURN(std::vector<Guard> guards, find_guards(graph));
    ExecutableParts parts;
    Layout layout(graph, parts);
    CA_RETURN_IF_ERROR(layout.add_outputs());
    layout.add_guards(std::move(guards));
    parts.results = layout.results().size() + layout.extents().size();
    if (parts.results == 0) {
      parts.input_ports.assign(parts.inputs.size(), -1);
      return std::unique_ptr<Executable>(new OpenVinoExecutable(std::move(parts)));
    }
    const std::optional<Place> place = find_place(graph, identity);
    if (!place || !import_blob(*place, parts)) {
      CA_RETURN_IF_ERROR(compile_model(graph, layout, place, parts));
    }
    return std::unique_ptr<Executable>(new OpenVinoExecutable(std::move(parts)));
  }

  std::optional<Place> find_place(const Graph& graph, const std::string& identity) const {
    if (!cache_.enabled() || identity.empty()) return std::nullopt;
    std::vector<Tensor> constants;
    for (const Constant& constant : graph.constants()) constants.push_back(constant.tensor);
    auto weights = WeightFile::find(constants);
    if (!weights.ok()) {
      cache_.note_ignored(weights.status().message());
      return std::nullopt;
    }
    const Digest key = blob_key(identity, graph, weights->get(), info().version, options_.threads);
    return Place{key, *std::move(weights)};
  }

  // False when there is no blob that can be used.
  bool import_blob(const Place& place, ExecutableParts& parts) const {
    const std::optional<std::string> blob = cache_.load(place.key);
    if (!blob) return false;
    Status status;
    try {
      status = import_checked(*blob, place.weights.get(), parts);
    } catch (const std::exception& e) {
      status = corrupt("compiled blob: OpenVINO: {}", first_line(e.what()));
    }
    if (status.ok()) {
      cache_.note_used();
      return true;
    }
    cache_.note_ignored(fmt::format("{}: {}", cache_.path_of(place.key), status.message()));
    parts.model = {};
    parts.memory.reset();
    return false;
  }

  Status import_checked(const std::string& blob, const WeightFile* weights,
                        ExecutableParts& parts) const {
    CA_ASSIGN_OR_RETURN(parts.memory, BlobMemory::lay_out(blob, weights));
    {
      const PageRange file = parts.memory->file_pages();
      const PageTrimmer trimmer(file.begin == nullptr ? std::vector<PageRange>()
                                                      : std::vector<PageRange>{file});
      parts.model = shared_core().import_model(parts.memory->tensor(), "CPU", properties(options_));
    }
    parts.input_ports = find_input_ports(parts.model, parts.inputs.size());
    return check_ports(parts);
  }

  Status compile_model(const Graph& graph, const Layout& layout, const std::optional<Place>& place,
                       ExecutableParts& parts) const {
    CA_ASSIGN_OR_RETURN(ConvertedModel converted,
                        convert_graph(graph, layout.results(), layout.extents()));
    separate_shared_weights(*converted.model);
    keep_reductions_apart(*converted.model);
    const PageTrimmer trimmer(mapped_pages(converted.constants, kTrimThresholdBytes));
    parts.model = shared_core().compile_model(converted.model, "CPU", properties(options_));
    parts.input_ports = find_input_ports(parts.model, parts.inputs.size());
    if (place) store_blob(*place, parts.model);
    return {};
  }

  void store_blob(const Place& place, const ov::CompiledModel& model) const {
    try {
      const auto blob = make_blob(model, place.weights.get());
      if (blob.ok()) {
        cache_.store(place.key, *blob);
      } else {
        cache_.note_ignored(blob.status().message());
      }
    } catch (const std::exception& e) {
      cache_.note_ignored(fmt::format("OpenVINO cannot export: {}", first_line(e.what())));
    }
  }

  OpenVinoOptions options_;
  mutable BlobCache cache_;
};

}  // namespace

std::string default_blob_folder() {
  // A relative path in this variable is to be ignored.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/changeaware";
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/changeaware" : "";
}

Result<std::unique_ptr<Engine>> make_openvino_engine(const OpenVinoOptions& options) {
  if (options.threads < 0) return invalid_argument("threads must not be negative");
  try {
    shared_core();
  } catch (const std::exception& e) {
    return internal_error("OpenVINO cannot be loaded: {}", first_line(e.what()));
  }
  return std::unique_ptr<Engine>(new OpenVinoEngine(options));
}

}  // namespace changeaware
