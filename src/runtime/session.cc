#include "changeaware/session.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "base/errors.h"
#include "package/package_file.h"
#include "runtime/cache/retained_cache.h"
#include "runtime/elapsed.h"
#include "runtime/executables.h"
#include "runtime/execute.h"
#include "runtime/input_contract.h"
#include "runtime/resolve.h"
#include "runtime/versions.h"

namespace changeaware {
namespace {

using Outcome = Decision::Outcome;

class SessionImpl : public Session {
 public:
  SessionImpl(std::shared_ptr<const PackageFile> package,
              std::shared_ptr<ExecutableStore> executables, const SessionOptions& options)
      : package_(std::move(package)),
        executables_(std::move(executables)),
        check_versions_(options.check_versions),
        contract_(package_->manifest()),
        cache_(options.retained_budget_bytes) {
    const Manifest& manifest = package_->manifest();
    for (const Strategy& s : manifest.strategies)
      topologies_.emplace(s.name, make_topology(manifest, s));
    // The strategy that retains most is the last one; without it there is `monolithic`.
    default_topology_ = &topologies_.at(manifest.strategies.back().name);
    last_versions_.resize(manifest.inputs.size());
    costs_us_.resize(manifest.callables.size());
    run_counts_.resize(manifest.callables.size());
  }

  Result<Response> run(const Request& request) override {
    Result<Response> response = answer_request(request);
    const std::lock_guard lock(mutex_);
    ++requests_;
    if (!response.ok()) ++failed_;
    return response;
  }

  Status load() override {
    for (const RegionInfo& region : default_topology_->regions) {
      CA_RETURN_IF_ERROR(executables_->get(region.callable).status());
    }
    return {};
  }

  SessionStats stats() const override {
    SessionStats out;
    const CacheStats cache = cache_.stats();
    out.hits = cache.hits;
    out.misses = cache.misses;
    out.evictions = cache.evictions;
    out.retained_bytes = cache.bytes;
    out.retained_bytes_peak = cache.peak_bytes;
    out.retained_entries = cache.entries;
    const std::lock_guard lock(mutex_);
    out.requests = requests_;
    out.failed = failed_;
    for (size_t i = 0; i < run_counts_.size(); ++i) {
      if (run_counts_[i] > 0) out.runs[package_->manifest().callables[i].name] = run_counts_[i];
    }
    return out;
  }

  void clear() override { cache_.clear(); }

 private:
  Result<Response> answer_request(const Request& request) {
    const auto start = Clock::now();
    // What is asked.
    CA_ASSIGN_OR_RETURN(const Topology* topology, choose_topology(request));
    CA_ASSIGN_OR_RETURN(RequestState state, resolve_request(*topology, contract_, request));
    // Of which contents.
    CA_RETURN_IF_ERROR(identify_inputs(state));
    make_keys(state);
    // What is there already, pinned until the request ends, and so what must run.
    pin_retained(state);
    plan_request(state);
    // Nothing is retained before everything has succeeded.
    const Status executed = execute_plan(state, *executables_);
    count_runs(state);
    CA_RETURN_IF_ERROR(executed);
    retain_outputs(state);
    CA_ASSIGN_OR_RETURN(Response response, make_response(state));
    response.report.total_us = microseconds_since(start);
    return response;
  }

  Result<const Topology*> choose_topology(const Request& request) const {
    if (request.strategy.empty()) return default_topology_;
    const auto it = topologies_.find(request.strategy);
    if (it != topologies_.end()) return &it->second;
    std::vector<std::string> names;
    for (const Strategy& s : package_->manifest().strategies) names.push_back(s.name);
    return invalid_argument("no strategy '{}'; the strategies are: {}", request.strategy,
                            fmt::join(names, ", "));
  }

  // Versions of all inputs given; then which of them differ from the previous request's.
  Status identify_inputs(RequestState& state) {
    const auto start = Clock::now();
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      InputState& input = state.inputs[i];
      if (!input.tensor.defined() || (input.tagged && !check_versions_)) continue;
      const std::string& name = state.topology->inputs[i].port.name;
      CA_ASSIGN_OR_RETURN(const Fingerprint print, fingerprinter_.fingerprint(name, input.tensor));
      // What nobody reads may hold anything.
      if (state.needed[i]) CA_RETURN_IF_ERROR(print.values);
      if (input.tagged) {
        CA_RETURN_IF_ERROR(check_tag(name, input.version, print.version));
        input.tagged = false;
      } else {
        input.version = print.version;
      }
    }
    state.fingerprint_us = microseconds_since(start);
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      InputState& input = state.inputs[i];
      if (!input.tensor.defined()) continue;
      input.changed = input.version != last_versions_[i];
      last_versions_[i] = input.version;
    }
    return {};
  }

  Status check_tag(const std::string& input, const Version& tag, const Version& contents) {
    const std::lock_guard lock(mutex_);
    const auto [it, added] = contents_of_tag_.emplace(std::pair(input, tag), contents);
    if (added || it->second == contents) return {};
    return invalid_argument("version tag \"{}\" of input '{}' was seen with other contents",
                            tag.substr(1), input);
  }

  static void append_framed(std::string& key, const std::string& part) {
    key += std::to_string(part.size());
    key += ':';
    key += part;
  }

  static void make_keys(RequestState& state) {
    for (size_t r = 0; r < state.regions.size(); ++r) {
      const RegionInfo& region = state.topology->regions[r];
      RetainedCache::Key& key = state.regions[r].key;
      key.region = region.callable;
      for (size_t i : region.dependencies) append_framed(key.versions, state.inputs[i].version);
      for (size_t i : region.shape_dependencies) {
        const Tensor& tensor = state.inputs[i].tensor;
        append_framed(key.versions, tensor.defined() ? shape_to_string(tensor.shape()) : "");
      }
    }
  }

  void pin_retained(RequestState& state) {
    if (!state.reuse) return;
    for (RegionState& region : state.regions) region.pin = cache_.find(region.key);
  }

  void plan_request(RequestState& state) {
    PlanRequest ask;
    ask.wanted = state.wanted;
    ask.all_assertions = state.all_assertions;
    for (const InputState& input : state.inputs) ask.changed.push_back(input.changed);
    for (const RegionState& region : state.regions)
      ask.retained.push_back(static_cast<bool>(region.pin));
    state.plan = make_plan(*state.topology, ask);
    for (size_t r = 0; r < state.plan.size(); ++r) {
      RegionState& region = state.regions[r];
      if (state.plan[r].outcome == Outcome::kReused) cache_.use(region.pin);
      if (state.plan[r].outcome == Outcome::kNotNeeded) region.pin.reset();
      if (state.plan[r].outcome == Outcome::kRan && state.reuse) cache_.count_miss();
    }
  }

  void count_runs(const RequestState& state) {
    constexpr double kNewest = 0.3;  // weight of the newest time in the moving average
    const std::lock_guard lock(mutex_);
    for (size_t r = 0; r < state.plan.size(); ++r) {
      const double time = state.regions[r].engine_us;
      if (time <= 0) continue;  // did not run, or a failure came before it
      const size_t callable = state.topology->regions[r].callable;
      double& cost = costs_us_[callable];
      cost = run_counts_[callable] == 0 ? time : (1 - kNewest) * cost + kNewest * time;
      ++run_counts_[callable];
    }
  }

  // Everything pinned or stored by this request stays until it ends, so its own entries never push
  // each other out. What other regions read comes first; then the largest, which leaves small
  // results to fill the rest.
  void retain_outputs(RequestState& state) {
    if (!state.reuse) return;
    std::vector<size_t> order;
    for (size_t r = 0; r < state.plan.size(); ++r) {
      if (state.plan[r].outcome == Outcome::kRan) order.push_back(r);
      if (state.plan[r].outcome == Outcome::kReused) state.regions[r].retained = true;
    }
    const auto bytes = [&](size_t r) {
      size_t sum = 0;
      for (const Tensor& t : state.regions[r].outputs) sum += t.size_bytes();
      return sum;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(!state.topology->regions[a].has_reader, bytes(b)) <
             std::pair(!state.topology->regions[b].has_reader, bytes(a));
    });
    for (size_t r : order) {
      RegionState& region = state.regions[r];
      const RegionInfo& info = state.topology->regions[r];
      RetainedCache::Candidate candidate{region.key, region.outputs, cost_of(info.callable),
                                         !info.has_reader};
      region.pin = cache_.store(std::move(candidate), region.not_retained_why);
      region.retained = static_cast<bool>(region.pin);
    }
  }

  double cost_of(size_t callable) const {
    const std::lock_guard lock(mutex_);
    return costs_us_[callable];
  }

  Result<Response> make_response(RequestState& state) {
    Response response;
    std::set<const void*> handed_over;
    for (size_t i = 0; i < state.wanted.size(); ++i) {
      if (!state.wanted[i]) continue;
      CA_ASSIGN_OR_RETURN(Tensor tensor,
                          output_tensor(state, state.topology->results[i], handed_over));
      response.outputs.push_back({state.topology->results[i].output.name, std::move(tensor)});
    }
    fill_report(state, response.report);
    return response;
  }

  // A tensor of the caller's own: computed and not retained, or a copy.
  Result<Tensor> output_tensor(const RequestState& state, const ResultInfo& result,
                               std::set<const void*>& handed_over) {
    using Kind = ProgramOutput::Kind;
    const ProgramOutput& output = result.output;
    switch (output.kind) {
      case Kind::kNone:
      case Kind::kString: return Tensor();
      case Kind::kInt: return Tensor::of<int64_t>(DType::kInt64, {}, {output.int_value});
      case Kind::kFloat: return Tensor::of<double>(DType::kFloat64, {}, {output.float_value});
      case Kind::kBool:
        return Tensor::of<uint8_t>(DType::kBool, {}, {static_cast<uint8_t>(output.int_value)});
      case Kind::kConstantTensor: return constant(output.port.name);
      case Kind::kPort: break;
    }
    if (result.source.is_input) return state.inputs[result.source.index].tensor.clone();
    const RegionState& region = state.regions[result.source.region];
    const Tensor& tensor = region.outputs[result.source.index];
    const bool own = !region.retained && handed_over.insert(tensor.data()).second;
    return own ? tensor : tensor.clone();
  }

  Result<Tensor> constant(const std::string& name) {
    const std::lock_guard lock(constants_mutex_);
    if (!constants_.contains(name)) {
      CA_ASSIGN_OR_RETURN(const ExportedProgram main, package_->region("main"));
      const Constant* found = main.graph.constant_of(main.graph.find_value(name));
      if (found == nullptr) return corrupt("{}: main has no constant '{}'", package_->path(), name);
      constants_[name] = found->tensor.clone();
    }
    return constants_[name].clone();
  }

  static void fill_report(const RequestState& state, Report& report) {
    report.strategy = state.topology->strategy;
    report.fingerprint_us = state.fingerprint_us;
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      if (state.inputs[i].changed) report.changed.push_back(state.topology->inputs[i].port.name);
    }
    for (size_t r = 0; r < state.plan.size(); ++r) {
      const std::string& name = state.topology->regions[r].name;
      const RegionState& region = state.regions[r];
      if (state.plan[r].outcome == Outcome::kRan) report.ran.push_back(name);
      if (state.plan[r].outcome == Outcome::kReused) report.reused.push_back(name);
      report.engine_us += region.engine_us;
      report.decisions.push_back({name, state.plan[r].outcome, state.plan[r].reason,
                                  region.retained, region.not_retained_why});
    }
  }

  const std::shared_ptr<const PackageFile> package_;
  const std::shared_ptr<ExecutableStore> executables_;
  const bool check_versions_;
  const InputContract contract_;
  const Fingerprinter fingerprinter_;
  std::map<std::string, Topology> topologies_;
  const Topology* default_topology_ = nullptr;
  RetainedCache cache_;

  mutable std::mutex mutex_;
  std::vector<Version> last_versions_;                                  // by program input
  std::map<std::pair<std::string, Version>, Version> contents_of_tag_;  // only when checking
  std::vector<double> costs_us_;                                        // by callable
  std::vector<uint64_t> run_counts_;                                    // by callable
  uint64_t requests_ = 0;
  uint64_t failed_ = 0;

  std::mutex constants_mutex_;
  std::map<std::string, Tensor> constants_;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Package> package,
                                                 const SessionOptions& options) {
  auto file = std::dynamic_pointer_cast<const PackageFile>(package);
  if (file == nullptr) return invalid_argument("the package was not opened by Package::open()");
  CA_ASSIGN_OR_RETURN(auto executables, ExecutableStore::shared(file, options.threads));
  return std::unique_ptr<Session>(
      std::make_unique<SessionImpl>(std::move(file), std::move(executables), options));
}

}  // namespace changeaware
