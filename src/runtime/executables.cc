#include "runtime/executables.h"

#include <map>
#include <mutex>
#include <tuple>

#include "base/errors.h"
#include "engine/torch/torch_engine.h"
#include "graph/subgraph.h"
#include "runtime/elapsed.h"
#include "runtime/external_callable.h"

namespace changeaware {
namespace {

using StoreKey = std::tuple<const PackageFile*, const ExternalEngine*, int, std::string,
                            std::string, std::vector<std::string>>;

struct Registry {
  std::mutex mutex;
  std::map<StoreKey, std::weak_ptr<ExecutableStore>> stores;
};

Registry& registry() {
  static Registry* const instance = new Registry;  // never destroyed: sessions may end after main()
  return *instance;
}

}  // namespace

ExecutableStore::Pinned& ExecutableStore::Pinned::operator=(Pinned&& other) noexcept {
  std::swap(store_, other.store_);
  std::swap(index_, other.index_);
  std::swap(load_us_, other.load_us_);
  return *this;
}

ExecutableStore::Pinned::~Pinned() {
  if (store_ != nullptr) store_->account_.unpin(index_);
}

ExecutableStore::ExecutableStore(std::shared_ptr<const PackageFile> package,
                                 std::unique_ptr<Engine> engine, EngineOptions options,
                                 std::shared_ptr<const ExternalEngine> external)
    : package_(std::move(package)),
      engine_(std::move(engine)),
      external_(std::move(external)),
      options_(std::move(options)),
      slots_(2 * package_->manifest().callables.size()),
      account_(slots_.size(), [this](size_t callable) { release(callable); }) {}

Result<std::shared_ptr<ExecutableStore>> ExecutableStore::shared(
    std::shared_ptr<const PackageFile> package, EngineOptions options,
    std::shared_ptr<const ExternalEngine> external) {
  const std::lock_guard lock(registry().mutex);
  std::erase_if(registry().stores, [](const auto& item) { return item.second.expired(); });
  const StoreKey key{package.get(),
                     external.get(),
                     options.threads,
                     options.blob_folder,
                     options.exact_engine.torch_folder,
                     options.exact_engine.op_libraries};
  if (const auto it = registry().stores.find(key); it != registry().stores.end()) {
    // The store holds the package, so a live store's key is this very package.
    if (auto store = it->second.lock()) return store;
  }
  options.needs_exact = !package->manifest().exact_engine_version.empty();
  std::unique_ptr<Engine> engine;
  if (external == nullptr) {
    CA_ASSIGN_OR_RETURN(engine, start_engine(options));
  }
  if (!options.exact_engine.op_libraries.empty()) {
    CA_RETURN_IF_ERROR(package->register_operators(torch_op_schemas(options.exact_engine)));
  }
  package->keep_digests_in(options.blob_folder);
  std::shared_ptr<ExecutableStore> store(new ExecutableStore(
      std::move(package), std::move(engine), std::move(options), std::move(external)));
  registry().stores[key] = store;
  return store;
}

const Callable& ExecutableStore::manifest_callable(size_t callable) const {
  return package_->manifest().callables[callable % (slots_.size() / 2)];
}

Result<const Engine*> ExecutableStore::engine_for(size_t callable) const {
  if (!is_exact_twin(callable) || options_.needs_exact) return engine_.get();
  const std::lock_guard lock(twin_engine_mutex_);
  if (twin_engine_ == nullptr) {
    EngineOptions options = options_;
    options.needs_exact = true;
    CA_ASSIGN_OR_RETURN(twin_engine_, start_engine(options));
  }
  return twin_engine_.get();
}

Status ExecutableStore::can_run_exact(const Status& reason) const {
  if (external_ != nullptr) return reason;
  const auto engine = engine_for(exact_twin(0));
  if (engine.ok()) return {};
  return unsupported("{}; {}", reason.message(), engine.status().message());
}

LoadEstimate ExecutableStore::estimate(size_t callable) const {
  const Callable& c = manifest_callable(callable);
  return {c.name, c.costs.resident_bytes, loading_bytes(c.costs.resident_bytes), c.costs.load_us};
}

Result<ExecutableStore::Pinned> ExecutableStore::get(size_t callable, uint64_t budget_bytes,
                                                     const Cancellation& cancellation) {
  CA_ASSIGN_OR_RETURN(auto booking,
                      account_.acquire(callable, estimate(callable), budget_bytes, cancellation));
  if (!booking) return Pinned(this, callable, 0);
  return carry_out(callable, *std::move(booking));
}

Status ExecutableStore::load_ahead(size_t callable, uint64_t budget_bytes) {
  CA_ASSIGN_OR_RETURN(auto booking,
                      account_.try_acquire(callable, estimate(callable), budget_bytes));
  if (!booking) {
    account_.unpin(callable);
    return {};
  }
  return carry_out(callable, *std::move(booking)).status();
}

// Whatever happens, the executable is gone before its booking is.
Result<ExecutableStore::Pinned> ExecutableStore::carry_out(size_t callable,
                                                           ResidentAccount::Load booking) {
  const auto start = Clock::now();
  CA_ASSIGN_OR_RETURN(auto loaded, load(callable));
  struct Half {
    ~Half() {
      if (slot != nullptr) slot->loaded.reset();
    }
    Slot* slot;
  } half{&slots_[callable]};
  half.slot->loaded = std::move(loaded);
  CA_RETURN_IF_ERROR(booking.finish());
  std::exchange(half.slot, nullptr)->is_loaded = true;
  return Pinned(this, callable, microseconds_since(start));
}

void ExecutableStore::release(size_t callable) {
  slots_[callable].is_loaded = false;
  slots_[callable].loaded.reset();
}

uint64_t ExecutableStore::needed_bytes(size_t callable, uint64_t budget_bytes) const {
  return account_.expected_bytes(callable, estimate(callable), budget_bytes);
}

bool ExecutableStore::fit(const std::vector<size_t>& callables, uint64_t budget_bytes) const {
  uint64_t bytes = account_.totals().bytes;
  for (size_t c : callables) {
    if (!is_loaded(c)) bytes += needed_bytes(c, budget_bytes);
  }
  return bytes <= budget_bytes;
}

Result<std::unique_ptr<const LoadedCallable>> ExecutableStore::load_elsewhere(
    const Callable& callable) const {
  auto executable = load_external(*external_, callable);
  if (!executable.ok()) return executable.status().with_context("callable '" + callable.name + "'");
  auto loaded = std::make_unique<LoadedCallable>();
  loaded->executable = *std::move(executable);
  loaded->output_count = callable.outputs.size();
  return std::unique_ptr<const LoadedCallable>(std::move(loaded));
}

Result<std::unique_ptr<const LoadedCallable>> ExecutableStore::load(size_t index) const {
  CA_RETURN_IF_ERROR(check_file());
  const Callable& callable = manifest_callable(index);
  if (external_ != nullptr) return load_elsewhere(callable);
  CA_ASSIGN_OR_RETURN(const Engine* engine, engine_for(index));
  CA_ASSIGN_OR_RETURN(const ExportedProgram region, package_->region(callable.name));
  const Graph graph =
      is_exact_twin(index) ? all_exact(callable_graph(region.graph)) : callable_graph(region.graph);
  auto executable = engine->compile_identified(graph, callable.identity);
  if (!executable.ok()) return executable.status().with_context("callable '" + callable.name + "'");
  auto loaded = std::make_unique<LoadedCallable>();
  loaded->executable = *std::move(executable);
  loaded->output_count = graph.outputs().size();
  for (const Assertion& a : region.graph.assertions()) {
    const ValueId condition = graph.find_value(region.graph.value(a.condition).name);
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      if (std::get<ValueRef>(graph.outputs()[i]).id == condition) loaded->conditions.push_back(i);
    }
  }
  return std::unique_ptr<const LoadedCallable>(std::move(loaded));
}

}  // namespace changeaware
