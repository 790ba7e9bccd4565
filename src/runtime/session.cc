#include "changeaware/session.h"

#include <algorithm>
#include <mutex>

#include "base/errors.h"
#include "base/process_memory.h"
#include "engine/openvino/openvino_engine.h"
#include "package/package_file.h"
#include "runtime/boundary.h"
#include "runtime/cache/retained_cache.h"
#include "runtime/early_cutoff.h"
#include "runtime/elapsed.h"
#include "runtime/executables.h"
#include "runtime/execute.h"
#include "runtime/flights.h"
#include "runtime/input_contract.h"
#include "runtime/keys.h"
#include "runtime/plan_seal.h"
#include "runtime/planner/forecast.h"
#include "runtime/preload.h"
#include "runtime/resolve.h"
#include "runtime/response.h"
#include "runtime/retention.h"
#include "runtime/tagged_values.h"
#include "runtime/versions.h"
#include "tensor/buffer_pool.h"

namespace changeaware {
namespace {

using Outcome = Decision::Outcome;
using Cause = Decision::Cause;

class SessionImpl : public Session, private RegionHooks {
 public:
  SessionImpl(std::shared_ptr<const PackageFile> package,
              std::shared_ptr<ExecutableStore> executables, const SessionOptions& options)
      : package_(std::move(package)),
        executables_(std::move(executables)),
        check_versions_(options.check_versions),
        early_cutoff_(options.early_cutoff),
        contract_(manifest()),
        families_(make_families(manifest())),
        constants_(package_),
        cache_(options.retained_budget_bytes),
        resident_budget_(options.resident_budget_bytes),
        costs_(manifest()) {
    for (const auto& family : families_)
      forecasts_.emplace_back(manifest(), family->recipe, family->strategies);
    last_versions_.resize(manifest().inputs.size());
    run_counts_.resize(manifest().callables.size());
  }

  Result<Response> run(const Request& request) override { return counted(request, nullptr); }
  Result<Response> run(const Request& request, const Plan& plan) override {
    return counted(request, &plan);
  }

  Result<Plan> plan(const Request& request) override {
    return no_exceptions([&] { return plan_ahead(request); });
  }

  Status load() override {
    return no_exceptions([&] { return load_segments(); });
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
    for (const auto& entry : cache_.largest(SessionStats::kMostListedEntries)) {
      out.retained.push_back({manifest().callables[entry.region].name,
                              fmt::format("{:08x}", entry.version >> 32), entry.bytes, entry.uses});
    }
    fill_residency(out);
    const std::lock_guard lock(mutex_);
    out.requests = requests_;
    out.failed = failed_;
    for (size_t i = 0; i < run_counts_.size(); ++i) {
      if (run_counts_[i] > 0) out.runs[manifest().callables[i].name] = run_counts_[i];
    }
    return out;
  }

  void clear() override { cache_.clear(); }

  void set_budgets(uint64_t retained_budget_bytes, uint64_t resident_budget_bytes) override {
    cache_.set_budget(retained_budget_bytes);
    resident_budget_ = resident_budget_bytes;
  }

 private:
  Result<Plan> plan_ahead(const Request& request) {
    CA_ASSIGN_OR_RETURN(RequestState state, prepare(request, Values::kOrVersionTags));
    CA_RETURN_IF_ERROR(choose_plan(state));
    Plan plan;
    plan.strategy = strategy_of(state).name;
    plan.decisions = make_decisions(state);
    plan.predicted_us = state.plan.predicted_us;
    plan.predicted_load_us = state.plan.predicted_load_us;
    plan.resident_bytes = resident_bytes_after(state);
    plan.state = plan_state(state, budgets());
    plan.seal = sealer_.seal(plan);
    return plan;
  }

  Status load_segments() {
    std::vector<size_t> callables;
    for (const RegionInfo& region : families_.back()->topology.regions) {
      if (executables_->is_loaded(region.callable)) continue;
      callables.push_back(region.callable);
      if (executables_->fit(callables, resident_budget_)) continue;
      callables.pop_back();
      break;
    }
    return Preload(*executables_, std::move(callables), resident_budget_, Preload::Room::kWaitForIt)
        .wait();
  }

  void fill_residency(SessionStats& out) const {
    const ResidentAccount::Totals totals = executables_->totals();
    out.resident_bytes = totals.bytes;
    out.resident_bytes_peak = totals.peak_bytes;
    out.loads = totals.loads;
    out.unloads = totals.evictions;
    for (size_t c = 0; c < manifest().callables.size(); ++c) {
      if (executables_->is_loaded(c))
        out.resident[manifest().callables[c].name] = executables_->resident_bytes(c);
      const size_t twin = executables_->exact_twin(c);
      if (executables_->is_loaded(twin))
        out.resident[manifest().callables[c].name + " (exact)"] =
            executables_->resident_bytes(twin);
    }
    BlobReport blobs = executables_->blob_report();
    out.blobs_used = blobs.used;
    out.blobs_stored = blobs.stored;
    out.blobs_ignored = std::move(blobs.reasons);
    if (const auto memory = process_memory(); memory.ok()) {
      out.process_anonymous_bytes = memory->anonymous_bytes;
      out.process_file_bytes = memory->file_backed_bytes;
    }
  }

  const Manifest& manifest() const { return package_->manifest(); }

  Result<Response> counted(const Request& request, const Plan* plan) {
    Result<Response> response = no_exceptions([&] { return answer_request(request, plan); });
    const std::lock_guard lock(mutex_);
    ++requests_;
    if (!response.ok()) ++failed_;
    return response;
  }

  Result<Response> answer_request(const Request& request, const Plan* plan) {
    const auto start = Clock::now();
    // What is asked, of which contents, and what is there already, pinned until the request ends.
    CA_ASSIGN_OR_RETURN(RequestState state, prepare(request, Values::kNeeded));
    // So what must run.
    if (plan != nullptr) CA_RETURN_IF_ERROR(revalidate(*plan, state));
    CA_RETURN_IF_ERROR(choose_plan(state));
    remember_versions(state);
    adopt_plan(state);
    // Whatever happens, those who wait for what this request computes hear of it.
    const FlightsEnd end{*this, state};
    // Nothing is retained before everything has succeeded.
    const Status executed = execute(state);
    observe(state);
    if (executed.ok()) retain(state);
    close_flights(state);
    CA_RETURN_IF_ERROR(executed);
    auto response =
        no_exceptions([&] { return make_response(state, strategy_of(state).name, constants_); });
    if (!response.ok()) forget(state);
    if (response.ok()) response->report.total_us = microseconds_since(start);
    return response;
  }

  Result<RequestState> prepare(const Request& request, Values values) {
    size_t strategy = manifest().strategies.size() - 1;  // of the segments, where there are any
    if (!request.strategy.empty()) {
      CA_ASSIGN_OR_RETURN(strategy, find_strategy(request.strategy));
    }
    const Family& family = family_of(strategy);
    CA_ASSIGN_OR_RETURN(RequestState state, resolve_request(family, contract_, request, values));
    if (!request.strategy.empty()) {
      const auto at = std::find(family.strategies.begin(), family.strategies.end(), strategy);
      state.forced = static_cast<size_t>(at - family.strategies.begin());
    }
    CA_RETURN_IF_ERROR(identify_inputs(state));
    CA_RETURN_IF_ERROR(route_regions(state));
    const auto start = Clock::now();
    CA_RETURN_IF_ERROR(make_version_keys(state));
    look_up(state);
    state.plan_us = microseconds_since(start);
    return state;
  }

  Result<size_t> find_strategy(const std::string& name) const {
    std::vector<std::string> names;
    for (size_t s = 0; s < manifest().strategies.size(); ++s) {
      if (manifest().strategies[s].name == name) return s;
      names.push_back(manifest().strategies[s].name);
    }
    return invalid_argument("no strategy '{}'; the strategies are: {}", name,
                            fmt::join(names, ", "));
  }

  const Family& family_of(size_t strategy) const {
    const auto holds = [&](const auto& family) {
      const auto& list = family->strategies;
      return std::find(list.begin(), list.end(), strategy) != list.end();
    };
    return **std::find_if(families_.begin(), families_.end(), holds);
  }

  const Strategy& strategy_of(const RequestState& state) const {
    return manifest().strategies[state.family->strategies[state.plan.strategy]];
  }

  Budgets budgets() const { return {cache_.budget_bytes(), resident_budget_}; }

  // Versions of all inputs given; then which of them differ from the previous request's.
  Status identify_inputs(RequestState& state) {
    const auto start = Clock::now();
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      InputState& input = state.inputs[i];
      if (!input.tensor.defined()) continue;
      const std::string& name = state.topology->inputs[i].port.name;
      if (input.tagged && !check_versions_) {
        if (state.needed[i]) input.fast_values = tagged_values_.check(name, input);
        continue;
      }
      CA_ASSIGN_OR_RETURN(
          const Fingerprint print,
          prints_in_use_.get(
              i, input.tensor, [&] { return fingerprinter_.fingerprint(name, input.tensor); },
              input.print));
      // What nobody reads may hold anything.
      if (state.needed[i]) input.fast_values = print.values;
      if (input.tagged) {
        CA_RETURN_IF_ERROR(check_tag(name, input.version, print.version));
        input.tagged = false;
      } else {
        input.version = print.version;
      }
    }
    state.fingerprint_us = microseconds_since(start);
    const std::lock_guard lock(mutex_);
    state.ask.changed.assign((state.inputs.size() + 63) / 64, 0);
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      InputState& input = state.inputs[i];
      input.changed = !input.version.empty() && input.version != last_versions_[i];
      if (input.changed) state.ask.changed[i / 64] |= uint64_t{1} << (i % 64);
    }
    return {};
  }

  // Which engine runs what. Of the same versions always the same, so answers have the same bits
  // whatever is retained.
  Status route_regions(RequestState& state) const {
    const auto is_slow = [&](size_t i) { return !state.inputs[i].fast_values.ok(); };
    bool any = false;
    for (size_t i = 0; i < state.inputs.size() && !manifest().exact_numerics; ++i) {
      if (is_slow(i)) CA_RETURN_IF_ERROR(executables_->can_run_exact(state.inputs[i].fast_values));
      any = any || is_slow(i);
    }
    for (size_t r = 0; r < state.regions.size(); ++r) {
      const RegionInfo& info = state.topology->regions[r];
      RegionState& region = state.regions[r];
      region.is_exact =
          any && std::any_of(info.dependencies.begin(), info.dependencies.end(), is_slow);
      region.callable = region.is_exact ? executables_->exact_twin(info.callable) : info.callable;
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

  // Pins what is retained under the versions of this request.
  void look_up(RequestState& state) {
    PlanRequest& ask = state.ask;
    ask.wanted = state.wanted;
    ask.all_assertions = state.all_assertions;
    ask.reuse = state.reuse;
    ask.available.assign(state.topology->output_count, 0);
    for (auto* list : {&ask.present, &ask.evicted, &ask.loaded})
      list->assign(state.regions.size(), 0);
    for (size_t r = 0; r < state.regions.size(); ++r) {
      const RegionInfo& info = state.topology->regions[r];
      ask.loaded[r] = executables_->is_loaded(state.regions[r].callable);
      if (!state.reuse) continue;
      auto [pin, was_evicted] = cache_.find(state.regions[r].key);
      ask.evicted[r] = was_evicted;
      ask.present[r] = static_cast<bool>(pin);
      if (!pin) continue;
      for (size_t i = 0; i < pin.outputs().size(); ++i)
        ask.available[info.first_output + i] = pin.outputs()[i].defined();
      state.regions[r].pin = std::move(pin);
    }
  }

  Status choose_plan(RequestState& state) {
    const auto start = Clock::now();
    std::vector<StrategyOffer> offers;
    std::vector<RegionCost> costs;
    {
      const std::lock_guard lock(mutex_);
      const auto known = forecast_of(*state.family).offers();
      offers.assign(known.begin(), known.end());
      for (const RegionInfo& region : state.topology->regions)
        costs.push_back(costs_.cost(region.callable));
    }
    for (size_t r = 0; r < costs.size(); ++r) {
      if (state.ask.loaded[r] == 0)
        costs[r].resident_bytes =
            executables_->needed_bytes(state.regions[r].callable, resident_budget_);
    }
    CA_ASSIGN_OR_RETURN(
        state.plan, make_plan(*state.topology, offers, state.ask, costs, budgets(), state.forced));
    state.plan_us += microseconds_since(start);
    return {};
  }

  // StalePlan unless `plan` is ours and was made in the state that the request meets now.
  Status revalidate(const Plan& plan, RequestState& state) const {
    if (!sealer_.is_genuine(plan)) {
      return stale_plan("the plan was altered, or another session made it");
    }
    const std::string difference = state_difference(plan.state, plan_state(state, budgets()));
    if (!difference.empty()) return stale_plan("{} is not as planned", difference);
    const auto name = [&](size_t s) { return manifest().strategies[s].name; };
    for (size_t s = 0; s < state.family->strategies.size(); ++s) {
      if (name(state.family->strategies[s]) == plan.strategy) state.forced = s;
    }
    return {};
  }

  void remember_versions(const RequestState& state) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      if (!state.inputs[i].version.empty()) last_versions_[i] = state.inputs[i].version;
    }
  }

  // Counts what the plan uses, and lets go of what it does not.
  void adopt_plan(RequestState& state) {
    for (size_t r = 0; r < state.regions.size(); ++r) {
      RegionState& region = state.regions[r];
      const Outcome outcome = state.plan.steps[r].outcome;
      if (outcome == Outcome::kReused) cache_.use(region.pin);
      if (outcome != Outcome::kReused) region.pin.reset();
      if (outcome == Outcome::kRan && state.reuse) cache_.count_miss();
    }
  }

  Status execute(RequestState& state) {
    return execute_plan(state, *executables_, resident_budget_, *this);
  }

  // A region need not run when its inputs turned out to be as before, or when another request is
  // computing it.
  Result<bool> spare(RequestState& state, size_t r) override {
    if (!state.reuse) return false;
    if (cut_off(state, r)) return true;
    RegionState& region = state.regions[r];
    while (region.flight == nullptr) {  // after a failed flight one of those who waited leads
      CA_ASSIGN_OR_RETURN(Flights::Joined joined, flights_.join(region.key, state.cancellation));
      region.flight = std::move(joined.lead);
      if (!joined.outputs) continue;
      region.outputs = *std::move(joined.outputs);
      region.is_shared = true;
      state.plan.steps[r] = {Outcome::kReused, Cause::kShared};
      return true;
    }
    // Another request may have retained it since this one looked.
    if (!adopt_entry(state, r, region.key, Cause::kShared)) return false;
    const bool holds_all = std::all_of(region.outputs.begin(), region.outputs.end(),
                                       [](const Tensor& t) { return t.defined(); });
    land(state, r, holds_all ? std::optional(region.outputs) : std::nullopt);
    return true;
  }

  void ran(RequestState& state, size_t r, const Status& status) override {
    std::optional<std::vector<Tensor>> outputs;
    if (status.ok()) outputs = state.regions[r].outputs;
    land(state, r, std::move(outputs));
  }

  void land(RequestState& state, size_t r, std::optional<std::vector<Tensor>> outputs) {
    const auto& flight = state.regions[r].flight;
    if (flight != nullptr) flights_.land(flight, std::move(outputs));
  }

  struct FlightsEnd {
    SessionImpl& session;
    RequestState& state;
    ~FlightsEnd() { session.close_flights(state); }
  };

  // What was retained is retained; from here on others find it there.
  void close_flights(RequestState& state) {
    for (RegionState& region : state.regions) {
      if (region.flight == nullptr) continue;
      if (flights_.close(std::exchange(region.flight, nullptr))) region.is_shared = true;
    }
  }

  // True when what region `r` reads turned out to be what it was run on before.
  bool cut_off(RequestState& state, size_t r) {
    if (!early_cutoff_ || !may_cut_off(state, r)) return false;
    const RegionInfo& info = state.topology->regions[r];
    const auto key = take_contents_key(state, r, warm_us(info.callable), fingerprinter_, cache_);
    return key && adopt_entry(state, r, *key, Cause::kSameContents);
  }

  // Takes what is retained under `key` in place of running region `r`, if it holds what is
  // demanded.
  bool adopt_entry(RequestState& state, size_t r, const RetainedCache::Key& key, Cause cause) {
    const RegionInfo& info = state.topology->regions[r];
    auto [pin, was_evicted] = cache_.find(key);
    if (!pin) return false;
    for (size_t i = 0; i < info.output_ports.size(); ++i) {
      const bool demanded = state.plan.demanded[info.first_output + i] != 0;
      if (demanded && !pin.outputs()[i].defined()) return false;
    }
    RegionState& region = state.regions[r];
    cache_.use(pin);
    cache_.add_key(pin, region.key);
    region.outputs = pin.outputs();
    region.pin = std::move(pin);
    state.plan.steps[r] = {Outcome::kReused, cause};
    return true;
  }

  double warm_us(size_t callable) const {
    const std::lock_guard lock(mutex_);
    return costs_.cost(callable).warm_us;
  }

  // What was seen of costs and of what changes.
  void observe(const RequestState& state) {
    const std::lock_guard lock(mutex_);
    for (size_t r = 0; r < state.regions.size(); ++r) {
      const RegionState& region = state.regions[r];
      const size_t callable = state.topology->regions[r].callable;
      if (region.is_exact) {  // says nothing of what is planned by
        if (region.engine_us > 0) ++run_counts_[callable];
        continue;
      }
      if (region.load_us > 0) costs_.observe_load(callable, region.load_us);
      if (region.engine_us <= 0) continue;  // did not run, or a failure came before it
      costs_.observe_run(callable, region.engine_us, region.was_cold);
      ++run_counts_[callable];
    }
    std::vector<bool> changed;
    for (const InputState& input : state.inputs) changed.push_back(input.changed);
    forecast_of(*state.family).record(changed, costs_);
  }

  // What there is no memory to keep is not kept: the answer is there.
  void retain(RequestState& state) {
    if (!state.reuse) return;
    const auto& retains = state.family->retains[state.plan.strategy];
    for (size_t r : retention_order(state, retains)) {
      try {
        retain_region(state, r, retains);
      } catch (const std::bad_alloc&) {
        state.regions[r].not_retained_why = "out of memory";
      }
    }
  }

  void retain_region(RequestState& state, size_t r, const std::vector<bool>& retains) {
    RegionState& region = state.regions[r];
    const RegionInfo& info = state.topology->regions[r];
    auto candidate = retention_candidate(state, r, retains);
    candidate.cost_us = warm_us(info.callable);
    std::optional<RetainedCache::Key> contents;
    if (early_cutoff_ && info.reads_regions)
      contents = take_contents_key(state, r, candidate.cost_us, fingerprinter_, cache_);
    region.pin = cache_.store(std::move(candidate), region.not_retained_why);
    region.retained = static_cast<bool>(region.pin);
    if (region.pin && contents) cache_.add_key(region.pin, *contents);
  }

  // A failed request retains nothing.
  void forget(RequestState& state) {
    for (size_t r = 0; r < state.regions.size(); ++r) {
      const bool ran = state.plan.steps[r].outcome == Outcome::kRan;
      if (ran && state.regions[r].pin) cache_.forget(state.regions[r].pin);
    }
  }

  uint64_t resident_bytes_after(const RequestState& state) const {
    uint64_t bytes = executables_->totals().bytes;
    for (size_t r = 0; r < state.regions.size(); ++r) {
      const bool loads = state.plan.steps[r].outcome == Outcome::kRan && state.ask.loaded[r] == 0;
      const size_t callable = state.topology->regions[r].callable;
      if (loads) bytes += manifest().callables[callable].costs.resident_bytes;
    }
    return std::min(bytes, budgets().resident_bytes);
  }

  // REQUIRES: mutex_ is held.
  Forecast& forecast_of(const Family& family) {
    size_t f = 0;
    while (families_[f].get() != &family) ++f;
    return forecasts_[f];
  }

  // Destroyed last: what the session let go of is of use to nobody else.
  struct IdleBuffers {
    ~IdleBuffers() { release_idle_buffers(); }
  } const idle_buffers_;
  const std::shared_ptr<const PackageFile> package_;
  const std::shared_ptr<ExecutableStore> executables_;
  const bool check_versions_;
  const bool early_cutoff_;
  const InputContract contract_;
  const Fingerprinter fingerprinter_;
  const PlanSealer sealer_;
  const std::vector<std::unique_ptr<const Family>> families_;
  ConstantOutputs constants_;
  PrintsInUse prints_in_use_;
  TaggedValues tagged_values_;
  RetainedCache cache_;
  Flights flights_;
  std::atomic<uint64_t> resident_budget_;

  mutable std::mutex mutex_;
  CostModel costs_;
  std::vector<Forecast> forecasts_;                                     // by family
  std::vector<Version> last_versions_;                                  // by program input
  std::map<std::pair<std::string, Version>, Version> contents_of_tag_;  // only when checking
  std::vector<uint64_t> run_counts_;                                    // by callable
  uint64_t requests_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Package> package,
                                                 const SessionOptions& options) {
  auto file = std::dynamic_pointer_cast<const PackageFile>(package);
  if (file == nullptr) return invalid_argument("the package was not opened by Package::open()");
  return no_exceptions([&]() -> Result<std::unique_ptr<Session>> {
    std::string folder = options.blob_folder;
    if (folder.empty()) folder = default_blob_folder();
    if (folder == "off") folder.clear();
    CA_ASSIGN_OR_RETURN(auto executables,
                        ExecutableStore::shared(file,
                                                {.threads = options.threads,
                                                 .blob_folder = folder,
                                                 .exact_engine = options.exact_engine},
                                                options.external_engine));
    return std::unique_ptr<Session>(
        std::make_unique<SessionImpl>(std::move(file), std::move(executables), options));
  });
}

}  // namespace changeaware
