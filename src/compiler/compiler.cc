#include "changeaware/compiler.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "analysis/dependencies.h"
#include "base/errors.h"
#include "compiler/choice.h"
#include "compiler/engines.h"
#include "compiler/examples.h"
#include "compiler/oracle.h"
#include "compiler/packaging.h"
#include "compiler/share_storages.h"
#include "engine/value_check.h"
#include "normalise/normalise.h"
#include "package/package_writer.h"
#include "pt2/reader.h"
#include "regions/partition.h"
#include "strategy/execution.h"
#include "strategy/node_times.h"

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
  // For what calls back as (done, total).
  std::function<void(size_t, size_t)> counter() const {
    return [this](size_t done, size_t total) {
      progress(total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total));
    };
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

// Times of the nodes and, cut by those, the segments that strategies share.
Result<Partition> partition_by_cost(const Engine& engine, const Graph& graph,
                                    const Dependencies& dependencies,
                                    const std::vector<Tensor>& examples, bool measure,
                                    const Stages& stages) {
  PartitionOptions options;
  options.node_us = nominal_node_times(graph);
  if (measure) {
    CA_ASSIGN_OR_RETURN(const Partition whole_classes, make_partition(graph, dependencies));
    CA_ASSIGN_OR_RETURN(
        options.node_us,
        measure_node_times(engine, graph, dependencies, whole_classes, examples, stages.counter()));
  }
  return make_partition(graph, dependencies, options);
}

// The program as the engines take it. `decompose`: into what the fast engine has.
Result<ExportedProgram> functional_form(const ExportedProgram& program, bool decompose) {
  ExportedProgram out = program;
  CA_ASSIGN_OR_RETURN(out.graph,
                      normalise(program.graph, program.signature, {.decompose = decompose}));
  rebind_inputs(out.signature, program.graph, out.graph);
  return out;
}

// Whether the examples can be executed; if not, why is noted as a rejection.
bool can_be_executed(const ExportedProgram& program, Numerics numerics,
                     std::vector<Rejection>& rejections) {
  const std::vector<Tensor>& examples = program.sample_inputs;
  if (examples.empty()) return program.graph.inputs().empty();
  if (numerics == Numerics::kExact) return true;
  for (size_t i = 0; i < examples.size(); ++i) {
    if (has_fast_values(examples[i])) continue;
    rejections.push_back(
        {"verification", fmt::format("not executed: the example for '{}' holds {}",
                                     program.graph.value(program.graph.inputs()[i]).name,
                                     value_check(examples[i].dtype()).what)});
    return false;
  }
  return true;
}

void fill_report(const Manifest& manifest, CompileReport& report) {
  for (const Callable& c : manifest.callables) report.callables.push_back(c.name);
  for (const Strategy& s : manifest.strategies) report.strategies.push_back(s.name);
  report.strategy_candidates = manifest.strategy_candidates;
  report.rejections = manifest.rejections;
  report.verified = manifest.verified;
}

}  // namespace

Result<CompileReport> compile(const std::string& model_path, const std::string& package_path,
                              const CompileOptions& options) {
  CompileReport report;
  Stages stages(options, report);
  CA_RETURN_IF_ERROR(check_options(options));

  stages.begin("read");
  CA_ASSIGN_OR_RETURN(const Engines engines,
                      Engines::start(options.threads, options.numerics, options.exact_engine));
  CA_RETURN_IF_ERROR(engines.register_operators(model_path));
  CA_ASSIGN_OR_RETURN(ExportedProgram read, read_pt2(model_path));
  report.nodes_read = read.graph.nodes().size();
  CA_ASSIGN_OR_RETURN(read.sample_inputs, example_inputs(read, options.examples));

  // From here on the graph is functional: no node changes a value that exists.
  stages.begin("normalise");
  CA_ASSIGN_OR_RETURN(ExportedProgram program,
                      functional_form(read, options.numerics == Numerics::kFast));
  share_equal_storages(program.graph);
  report.nodes_kept = program.graph.nodes().size();
  CA_ASSIGN_OR_RETURN(report.exact_nodes, engines.choose(program.graph));

  stages.begin("analyse");
  const Graph& graph = program.graph;
  std::vector<Rejection> rejections;
  const bool can_execute = can_be_executed(program, options.numerics, rejections);
  const bool measure = can_execute && options.costs == CostSource::kMeasured;
  CA_ASSIGN_OR_RETURN(const Dependencies dependencies, analyse_dependencies(graph));

  stages.begin("partition");
  CA_ASSIGN_OR_RETURN(const Partition partition,
                      partition_by_cost(engines.engine(), graph, dependencies,
                                        program.sample_inputs, measure, stages));
  CA_ASSIGN_OR_RETURN(auto regions, make_regions(program, partition));
  Manifest manifest = make_manifest(regions, partition, dependencies, engines.engine().info());
  engines.describe(manifest);
  manifest.tolerance = options.tolerance;
  manifest.costs_are_measured = measure;
  manifest.rejections.insert(manifest.rejections.end(), rejections.begin(), rejections.end());

  // Without examples nothing is proved by execution, and costs are estimates.
  stages.begin("execute");
  std::optional<Execution> execution;
  if (can_execute) {
    Oracle oracle(engines, read, program, options);
    const auto references = oracle.references(manifest.rejections);
    CA_ASSIGN_OR_RETURN(execution,
                        execute(engines.engine(), manifest, regions, program.sample_inputs,
                                {.measure = measure,
                                 .tolerance = options.tolerance,
                                 .references = references,
                                 .progress = stages.counter()}));
    CA_RETURN_IF_ERROR(oracle.check(model_path, *execution, manifest.rejections));
    CA_RETURN_IF_ERROR(check_execution(model_path, *execution));
    report.compared_with_exact = oracle.has_exact();
  }
  set_costs(regions, execution, manifest);

  stages.begin("choose");
  add_strategies(make_class_cuts(graph, partition), options, manifest);
  if (execution) keep_equal_strategies(*execution, manifest, regions);

  // From here on nothing changes but the file.
  stages.begin("write");
  CA_RETURN_IF_ERROR(write_package(package_path, manifest, regions));
  stages.end();
  fill_report(manifest, report);
  return report;
}

}  // namespace changeaware
