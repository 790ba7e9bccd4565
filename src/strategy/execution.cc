#include "strategy/execution.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "analysis/cost.h"
#include "base/errors.h"
#include "strategy/alternates.h"
#include "strategy/change_sets.h"
#include "strategy/comparison.h"
#include "strategy/reference.h"
#include "strategy/region_runner.h"

namespace changeaware {
namespace {

using Values = std::map<InputSet, Tensor>;  // of one port, by mixture

// A computed result of the program.
struct ResultPort {
  std::string output;
  std::string port;
};

// Whether the program itself refuses these inputs: an assertion, an index, a divisor.
bool is_refusal(const Status& status) {
  return status.code() == StatusCode::kFailedAssertion ||
         status.code() == StatusCode::kInvalidArgument;
}

class Executor {
 public:
  Executor(const Engine& engine, const Manifest& manifest,
           const std::vector<ExportedProgram>& regions, const std::vector<Tensor>& examples,
           const ExecutionOptions& options)
      : engine_(engine), m_(manifest), regions_(regions), options_(options), examples_(examples) {
    const Graph& main = regions[0].graph;
    for (size_t i = 0; i < main.inputs().size(); ++i) {
      names_.push_back(main.value(main.inputs()[i]).name);
      position_[names_.back()] = i;
      alternates_.push_back(alternate_of(examples[i]));
    }
  }

  Result<Execution> run() {
    for (const Reference& reference : options_.references)
      CA_RETURN_IF_ERROR(check_reference(m_, reference.outputs));
    CA_RETURN_IF_ERROR(describe_segments());
    CA_RETURN_IF_ERROR(describe_results());
    out_.costs.resize(m_.callables.size());
    progress(0);
    CA_RETURN_IF_ERROR(run_main());
    for (size_t i = 1; i < m_.callables.size(); ++i) {
      progress(i);
      CA_RETURN_IF_ERROR(run_segment(i));
    }
    progress(m_.callables.size());
    return std::move(out_);
  }

 private:
  void progress(size_t done) const {
    if (options_.progress) options_.progress(done, m_.callables.size());
  }

  // Dependencies of ports, closed over what their segment reads, and last readers.
  Status describe_segments() {
    depends_.assign(m_.callables.size(), InputSet(names_.size()));
    for (size_t i = 1; i < m_.callables.size(); ++i) {
      const Callable& c = m_.callables[i];
      for (const std::string& name : c.dependencies) {
        const auto input = position_.find(name);
        if (input == position_.end()) return corrupt("callable '{}': no input '{}'", c.name, name);
        depends_[i].set(input->second);
      }
      for (const Port& port : c.inputs) {
        if (position_.contains(port.name)) continue;
        const auto producer = out_.dependencies.find(port.name);
        if (producer == out_.dependencies.end()) {
          return corrupt("callables: nothing gives '{}' to '{}'", port.name, c.name);
        }
        depends_[i] |= producer->second;
        last_reader_[port.name] = i;
      }
      for (const Port& port : c.outputs) {
        out_.dependencies[port.name] = depends_[i];
        last_reader_[port.name] = i;
      }
    }
    return {};
  }

  Status describe_results() {
    const Graph& main = regions_[0].graph;
    if (main.outputs().size() != m_.outputs.size()) {
      return corrupt("outputs: {} of them, main gives {}", m_.outputs.size(),
                     main.outputs().size());
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < m_.outputs.size(); ++i) {
      const ProgramOutput& output = m_.outputs[i];
      const bool is_tensor = output.kind == ProgramOutput::Kind::kPort ||
                             output.kind == ProgramOutput::Kind::kConstantTensor;
      const auto* ref = std::get_if<ValueRef>(&main.outputs()[i]);
      if (is_tensor != (ref != nullptr) ||
          (is_tensor && main.value(ref->id).name != output.port.name)) {
        return corrupt("outputs: '{}' is not what main gives", output.name);
      }
      if (output.kind != ProgramOutput::Kind::kPort || position_.contains(output.port.name))
        continue;
      if (m_.callables.size() > 1 && !out_.dependencies.contains(output.port.name)) {
        return corrupt("callables: no segment gives the output '{}'", output.name);
      }
      if (seen.insert(output.port.name).second) results_.push_back({output.name, output.port.name});
    }
    return {};
  }

  const Tensor& value(const std::string& name, const InputSet& changed) const {
    const auto input = position_.find(name);
    if (input != position_.end()) {
      return changed[input->second] ? alternates_[input->second] : examples_[input->second];
    }
    return values_.at(name).at(changed & out_.dependencies.at(name));
  }

  Result<std::vector<Tensor>> run_on(RegionRunner& runner, const InputSet& changed) const {
    std::vector<Tensor> inputs;
    for (const std::string& name : runner.inputs()) inputs.push_back(value(name, changed));
    return runner.run(inputs);
  }

  // The examples themselves, twice: the same inputs must give the same bits.
  Result<std::vector<Tensor>> run_on_examples(RegionRunner& runner, const Callable& c) const {
    const InputSet none(names_.size());
    auto first = run_on(runner, none);
    if (!first.ok()) return first.status().with_context(c.name);
    auto second = run_on(runner, none);
    if (!second.ok()) return second.status().with_context(c.name);
    for (size_t i = 0; i < first->size(); ++i) {
      const Comparison comparison = compare((*first)[i], (*second)[i], {0, 0, 0});
      if (comparison.same_bits) continue;
      return unsupported("{}: not deterministic: on the same inputs '{}' {}", c.name,
                         runner.outputs()[i],
                         describe(comparison, (*first)[i], (*second)[i], "one run", "the next"));
    }
    return first;
  }

  Status finish_costs(RegionRunner& runner, size_t callable) {
    const uint64_t weight_bytes = m_.callables[callable].weight_bytes;
    if (!options_.measure) {
      out_.costs[callable] = nominal_costs(regions_[callable].graph, weight_bytes);
      return {};
    }
    const InputSet none(names_.size());
    while (runner.wants_more_runs()) {
      const auto again = run_on(runner, none);
      if (!again.ok()) return again.status().with_context(m_.callables[callable].name);
    }
    out_.costs[callable] = runner.costs(weight_bytes);
    return {};
  }

  Status run_main() {
    const Callable& c = m_.callables[0];
    CA_ASSIGN_OR_RETURN(RegionRunner runner,
                        RegionRunner::load(engine_, c.name, regions_[0].graph));
    CA_ASSIGN_OR_RETURN(const auto given, run_on_examples(runner, c));
    compare_references(runner, given);
    const double us = options_.measure ? runner.costs(0).steady_us
                                       : nominal_costs(regions_[0].graph, 0).steady_us;
    for (const InputSet& changed : choose_sets(us)) {
      ExecutedSet set{.changed = changed};
      for (size_t i : members(changed)) set.names.push_back(names_[i]);
      set.label = fmt::format("{}", fmt::join(set.names, ", "));
      if (changed.any()) {
        auto outputs = run_on(runner, changed);
        if (!outputs.ok() && !is_refusal(outputs.status())) {
          return outputs.status().with_context(fmt::format("main, {} changed", set.label));
        }
        if (!outputs.ok()) {
          out_.is_complete = false;
          out_.left_out.push_back({fmt::format("changed inputs: {}", set.label),
                                   fmt::format("not executed: the program refuses them: {}",
                                               outputs.status().message())});
          continue;
        }
        keep_results(runner, *outputs, changed);
      } else {
        keep_results(runner, given, changed);
      }
      out_.sets.push_back(std::move(set));
    }
    return finish_costs(runner, 0);
  }

  // What the segments will be compared with. Results that have the same bits share memory.
  void keep_results(const RegionRunner& runner, const std::vector<Tensor>& outputs,
                    const InputSet& changed) {
    if (m_.callables.size() == 1) return;
    for (const ResultPort& result : results_) {
      const auto at = std::find(runner.outputs().begin(), runner.outputs().end(), result.port);
      const Tensor& tensor = outputs[static_cast<size_t>(at - runner.outputs().begin())];
      Values& kept = of_main_[result.port];
      const auto same = kept.find(changed & out_.dependencies.at(result.port));
      const bool shares = same != kept.end() && bit_identical(same->second, tensor);
      kept[changed] = shares ? same->second : tensor;
    }
  }

  void compare_references(const RegionRunner& runner, const std::vector<Tensor>& outputs) {
    const Graph& graph = regions_[0].graph;
    const auto result = [&](size_t i) {
      const ValueId id = std::get<ValueRef>(graph.outputs()[i]).id;
      if (const Constant* constant = graph.constant_of(id)) return constant->tensor;
      const std::string& name = graph.value(id).name;
      if (const auto input = position_.find(name); input != position_.end()) {
        return examples_[input->second];
      }
      const auto at = std::find(runner.outputs().begin(), runner.outputs().end(), name);
      return outputs[static_cast<size_t>(at - runner.outputs().begin())];
    };
    for (const Reference& reference : options_.references)
      out_.reference_differences.push_back(compare_with_reference(m_, reference, result));
  }

  std::vector<InputSet> choose_sets(double main_us) {
    const size_t n = names_.size();
    std::vector<InputSet> sample = covering_change_sets(n);
    std::string why;
    if (n > options_.most_inputs) {
      why = fmt::format("there are more than {} inputs", options_.most_inputs);
    } else {
      std::vector<InputSet> all = all_change_sets(n);
      const double total_us = main_us * static_cast<double>(all.size());
      const double bytes = kept_bytes(all.size());
      if (sample.size() == all.size() || (total_us <= options_.most_main_us &&
                                          bytes <= static_cast<double>(options_.most_kept_bytes))) {
        out_.coverage = fmt::format("all {} sets of changed inputs", all.size() - 1);
        return all;
      }
      why = total_us > options_.most_main_us
                ? fmt::format("all would take main {:.0f} s", total_us / 1e6)
                : fmt::format("all would take {:.0f} MiB", bytes / (1 << 20));
    }
    out_.is_complete = false;
    out_.coverage = fmt::format("{} sets of changed inputs (each alone, all but each, all): {}",
                                sample.size() - 1, why);
    return sample;
  }

  // Of all ports of segments, for so many sets.
  double kept_bytes(size_t sets) const {
    double out = 0;
    for (size_t i = 1; i < m_.callables.size(); ++i) {
      const Graph& graph = regions_[i].graph;
      const auto mixtures = static_cast<double>(
          std::min<uint64_t>(sets, uint64_t{1} << std::min<size_t>(depends_[i].count(), 62)));
      for (const Port& port : m_.callables[i].outputs) {
        out += mixtures * static_cast<double>(value_bytes(graph, graph.find_value(port.name)));
      }
    }
    return out;
  }

  // Mixtures of the inputs that a segment depends on, the examples first.
  std::vector<InputSet> mixtures(size_t segment) const {
    std::vector<InputSet> out;
    std::set<InputSet> seen;
    for (const ExecutedSet& set : out_.sets) {
      if (set.contradicts_main && set.changed.any()) continue;
      InputSet mixture = set.changed & depends_[segment];
      if (seen.insert(mixture).second) out.push_back(std::move(mixture));
    }
    return out;
  }

  Status run_segment(size_t segment) {
    const Callable& c = m_.callables[segment];
    CA_ASSIGN_OR_RETURN(RegionRunner runner,
                        RegionRunner::load(engine_, c.name, regions_[segment].graph));
    CA_ASSIGN_OR_RETURN(const auto given, run_on_examples(runner, c));
    for (const InputSet& mixture : mixtures(segment)) {
      std::vector<Tensor> outputs = given;
      if (mixture.any()) {
        auto run = run_on(runner, mixture);
        if (!run.ok() && !is_refusal(run.status())) return run.status().with_context(c.name);
        if (!run.ok()) {
          contradict(segment, mixture, run.status());
          continue;
        }
        outputs = *std::move(run);
      }
      for (size_t i = 0; i < c.outputs.size(); ++i) {
        keep_value(runner.outputs()[i], mixture, given[i], outputs[i]);
      }
    }
    CA_RETURN_IF_ERROR(finish_costs(runner, segment));
    for (const ResultPort& result : results_) {
      const auto at = std::find(runner.outputs().begin(), runner.outputs().end(), result.port);
      if (at != runner.outputs().end()) compare_with_main(result);
    }
    for (auto it = values_.begin(); it != values_.end();) {
      it = last_reader_.at(it->first) <= segment ? values_.erase(it) : std::next(it);
    }
    return {};
  }

  // A segment refuses what `main` accepts.
  void contradict(size_t segment, const InputSet& mixture, const Status& status) {
    for (ExecutedSet& set : out_.sets) {
      if ((set.changed & depends_[segment]) != mixture) continue;
      set.bits_of_main = set.within_tolerance = false;
      set.contradicts_main = true;
      set.difference = fmt::format("with {} changed, {} fails and main does not: {}", set.label,
                                   m_.callables[segment].name, status.message());
    }
  }

  void keep_value(const std::string& port, const InputSet& mixture, const Tensor& given,
                  const Tensor& tensor) {
    values_[port][mixture] = tensor;
    const Comparison comparison = compare(tensor, given, {0, 0, 0});
    if (comparison.same_bits) return;
    out_.changes[port][mixture] =
        describe(comparison, tensor, given, "a full run", "what was retained");
  }

  void compare_with_main(const ResultPort& result) {
    const Values& expected = of_main_.at(result.port);
    std::map<std::pair<const void*, const void*>, Comparison> known;  // by memory
    for (ExecutedSet& set : out_.sets) {
      if (set.contradicts_main) continue;
      const Tensor& of_main = expected.at(set.changed);
      const Tensor& of_segments = value(result.port, set.changed);
      const auto key = std::pair<const void*, const void*>(of_main.data(), of_segments.data());
      if (!known.contains(key)) known[key] = compare(of_main, of_segments, options_.tolerance);
      note(set, result, known[key], of_main, of_segments);
    }
    of_main_.erase(result.port);
  }

  static void note(ExecutedSet& set, const ResultPort& result, const Comparison& comparison,
                   const Tensor& of_main, const Tensor& of_segments) {
    if (comparison.same_bits) return;
    // The first difference, unless a later one is worse.
    if (set.bits_of_main || (set.within_tolerance && !comparison.within_tolerance) ||
        comparison.contradicts) {
      set.difference = fmt::format(
          "output '{}' {}{}", result.output,
          describe(comparison, of_main, of_segments, "main", "the segments"),
          set.changed.any() ? fmt::format(", with {} changed", set.label) : std::string());
    }
    set.bits_of_main = false;
    set.within_tolerance = set.within_tolerance && comparison.within_tolerance;
    set.contradicts_main = comparison.contradicts;
  }

  const Engine& engine_;
  const Manifest& m_;
  const std::vector<ExportedProgram>& regions_;
  const ExecutionOptions& options_;
  const std::vector<Tensor>& examples_;
  std::vector<Tensor> alternates_;
  std::vector<std::string> names_;  // of inputs
  std::map<std::string, size_t> position_;
  std::vector<InputSet> depends_;  // by callable; that of `main` stays empty
  std::map<std::string, size_t> last_reader_;
  std::vector<ResultPort> results_;
  std::map<std::string, Values> values_;   // of segments, until nobody reads them any more
  std::map<std::string, Values> of_main_;  // until the segments were compared, by whole sets
  Execution out_;
};

}  // namespace

const std::string& Execution::change(const std::string& port, const InputSet& changed) const {
  static const std::string none;
  const auto differences = changes.find(port);
  if (differences == changes.end()) return none;
  const auto it = differences->second.find(changed & dependencies.at(port));
  return it == differences->second.end() ? none : it->second;
}

Result<Execution> execute(const Engine& engine, const Manifest& manifest,
                          const std::vector<ExportedProgram>& regions,
                          const std::vector<Tensor>& examples, const ExecutionOptions& options) {
  return Executor(engine, manifest, regions, examples, options).run();
}

}  // namespace changeaware
