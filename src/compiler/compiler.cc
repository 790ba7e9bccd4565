#include "changeaware/compiler.h"

#include <algorithm>
#include <chrono>

#include "analysis/dependencies.h"
#include "base/errors.h"
#include "compiler/examples.h"
#include "compiler/packaging.h"
#include "compiler/share_storages.h"
#include "engine/openvino/openvino_engine.h"
#include "normalise/normalise.h"
#include "package/package_writer.h"
#include "pt2/reader.h"
#include "regions/partition.h"
#include "strategy/equivalence.h"

namespace changeaware {
namespace {

// Names the stage to the caller and measures it.
class Stages {
 public:
  Stages(const CompileOptions& options, CompileReport& report)
      : options_(options), report_(report) {}
  ~Stages() { end(); }

  void begin(std::string name) {
    end();
    name_ = std::move(name);
    start_ = std::chrono::steady_clock::now();
    progress(0);
  }
  void progress(double fraction) const {
    if (options_.progress) options_.progress(name_, fraction);
  }
  void end() {
    if (name_.empty()) return;
    progress(1);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    report_.stage_seconds.emplace_back(std::move(name_), elapsed.count());
    name_.clear();
  }

 private:
  const CompileOptions& options_;
  CompileReport& report_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

// Points the signature at the inputs of `to`, which has those of `from` in the same order.
void rebind_inputs(Signature& signature, const Graph& from, const Graph& to) {
  for (InputSpec& input : signature.inputs) {
    auto* ref = std::get_if<ValueRef>(&input.value);
    if (ref == nullptr) continue;
    const auto at =
        std::find(from.inputs().begin(), from.inputs().end(), ref->id) - from.inputs().begin();
    ref->id = to.inputs()[static_cast<size_t>(at)];
  }
}

// Runs both `main` and the segments on the examples; without examples nothing is proved and the
// package is not marked as verified.
Result<Equivalence> verify_by_execution(const Engine& engine, const Graph& graph,
                                        const Partition& partition,
                                        const std::vector<Tensor>& examples, const Stages& stages) {
  if (examples.empty() && !graph.inputs().empty()) return Equivalence{};
  return check_equivalence(engine, graph, partition, examples, [&](size_t done, size_t total) {
    stages.progress(static_cast<double>(done) / static_cast<double>(total));
  });
}

}  // namespace

Result<CompileReport> compile(const std::string& model_path, const std::string& package_path,
                              const CompileOptions& options) {
  CompileReport report;
  Stages stages(options, report);

  stages.begin("read");
  CA_ASSIGN_OR_RETURN(ExportedProgram program, read_pt2(model_path));
  report.nodes_read = program.graph.nodes().size();

  // From here on the graph is functional: no node changes a value that exists.
  stages.begin("normalise");
  CA_ASSIGN_OR_RETURN(Graph functional, normalise(program.graph, program.signature));
  rebind_inputs(program.signature, program.graph, functional);
  program.graph = std::move(functional);
  share_equal_storages(program.graph);
  report.nodes_kept = program.graph.nodes().size();

  stages.begin("analyse");
  CA_ASSIGN_OR_RETURN(const Dependencies dependencies, analyse_dependencies(program.graph));
  CA_ASSIGN_OR_RETURN(const Partition partition, make_partition(program.graph, dependencies));

  stages.begin("verify");
  CA_ASSIGN_OR_RETURN(program.sample_inputs, example_inputs(program, options.examples));
  CA_ASSIGN_OR_RETURN(const auto engine, make_openvino_engine({.threads = options.threads}));
  CA_ASSIGN_OR_RETURN(
      const Equivalence equivalence,
      verify_by_execution(*engine, program.graph, partition, program.sample_inputs, stages));

  if (equivalence.executed && !equivalence.within_tolerance) {
    return unsupported(
        "{}: the engine computes the program and its segments differently, so one of them is "
        "wrong: {}",
        model_path, equivalence.difference);
  }

  // From here on nothing changes but the file.
  stages.begin("write");
  CA_ASSIGN_OR_RETURN(const auto regions, make_regions(program, partition));
  const Manifest manifest =
      make_manifest(regions, partition, dependencies, equivalence, engine->info());
  CA_RETURN_IF_ERROR(write_package(package_path, manifest, regions));
  stages.end();

  for (const Callable& c : manifest.callables) report.callables.push_back(c.name);
  report.verified = manifest.verified;
  return report;
}

}  // namespace changeaware
