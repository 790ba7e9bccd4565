#include "runtime/executables.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.h"
#include "engine/openvino/openvino_engine.h"
#include "graph/subgraph.h"
#include "runtime/elapsed.h"

namespace changeaware {
namespace {

using StoreKey = std::pair<const PackageFile*, int>;

struct Registry {
  std::mutex mutex;
  std::map<StoreKey, std::weak_ptr<ExecutableStore>> stores;
};

Registry& registry() {
  static Registry* const instance = new Registry;  // never destroyed: sessions may end after main()
  return *instance;
}

}  // namespace

Result<std::shared_ptr<ExecutableStore>> ExecutableStore::shared(
    std::shared_ptr<const PackageFile> package, int threads) {
  const std::lock_guard lock(registry().mutex);
  std::erase_if(registry().stores, [](const auto& item) { return item.second.expired(); });
  const StoreKey key{package.get(), threads};
  if (const auto it = registry().stores.find(key); it != registry().stores.end()) {
    // The store holds the package, so a live store's key is this very package.
    if (auto store = it->second.lock()) return store;
  }
  CA_ASSIGN_OR_RETURN(auto engine, make_openvino_engine({.threads = threads}));
  std::shared_ptr<ExecutableStore> store(
      new ExecutableStore(std::move(package), std::move(engine)));
  registry().stores[key] = store;
  return store;
}

Result<Loaded> ExecutableStore::get(size_t callable, uint64_t budget_bytes) {
  Slot& slot = slots_[callable];
  const std::lock_guard lock(slot.mutex);
  Loaded out;
  if (slot.loaded == nullptr) {
    const auto start = Clock::now();
    CA_RETURN_IF_ERROR(reserve(callable, budget_bytes));
    auto loaded = load(package_->manifest().callables[callable].name);
    if (!loaded.ok()) {
      const std::lock_guard account(account_mutex_);
      resident_bytes_ -= package_->manifest().callables[callable].costs.resident_bytes;
      return loaded.status();
    }
    slot.loaded = *std::move(loaded);
    slot.is_loaded = true;
    out.load_us = microseconds_since(start);
  }
  renew(callable);
  out.callable = slot.loaded;
  return out;
}

Status ExecutableStore::reserve(size_t callable, uint64_t budget_bytes) {
  const Callable& c = package_->manifest().callables[callable];
  const uint64_t bytes = c.costs.resident_bytes;
  const std::lock_guard account(account_mutex_);
  while (bytes > budget_bytes || resident_bytes_ > budget_bytes - bytes) {
    if (bytes > budget_bytes || !release_one(callable)) {
      return over_budget(
          "callable '{}' needs {} resident bytes; {} of the budget of {} are held by callables "
          "that are running",
          c.name, bytes, bytes > budget_bytes ? 0 : resident_bytes_, budget_bytes);
    }
  }
  resident_bytes_ += bytes;
  return {};
}

// Releases the loaded callable of least priority that nobody holds. REQUIRES: account_mutex_.
bool ExecutableStore::release_one(size_t keep) {
  std::vector<size_t> by_priority;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (i != keep && slots_[i].is_loaded) by_priority.push_back(i);
  }
  std::sort(by_priority.begin(), by_priority.end(),
            [&](size_t a, size_t b) { return slots_[a].priority < slots_[b].priority; });
  for (size_t i : by_priority) {
    Slot& slot = slots_[i];
    const std::unique_lock lock(slot.mutex, std::try_to_lock);
    if (!lock || slot.loaded.use_count() != 1) continue;
    slot.loaded.reset();
    slot.is_loaded = false;
    resident_bytes_ -= package_->manifest().callables[i].costs.resident_bytes;
    inflation_ = std::max(inflation_, slot.priority);
    return true;
  }
  return false;
}

// GreedyDual-Size, as for retained tensors: see RetainedCache.
void ExecutableStore::renew(size_t callable) {
  const CallableCosts& costs = package_->manifest().callables[callable].costs;
  const std::lock_guard account(account_mutex_);
  slots_[callable].priority =
      inflation_ + costs.load_us / static_cast<double>(std::max<uint64_t>(costs.resident_bytes, 1));
}

uint64_t ExecutableStore::resident_bytes() const {
  const std::lock_guard account(account_mutex_);
  return resident_bytes_;
}

Result<std::shared_ptr<const LoadedCallable>> ExecutableStore::load(
    const std::string& callable) const {
  CA_ASSIGN_OR_RETURN(const ExportedProgram region, package_->region(callable));
  const Graph graph = callable_graph(region.graph);
  auto executable = engine_->compile(graph);
  if (!executable.ok()) return executable.status().with_context("callable '" + callable + "'");
  auto loaded = std::make_shared<LoadedCallable>();
  loaded->executable = *std::move(executable);
  loaded->output_count = graph.outputs().size();
  for (const Assertion& a : region.graph.assertions()) {
    const ValueId condition = graph.find_value(region.graph.value(a.condition).name);
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      if (std::get<ValueRef>(graph.outputs()[i]).id == condition) loaded->conditions.push_back(i);
    }
  }
  return std::shared_ptr<const LoadedCallable>(std::move(loaded));
}

}  // namespace changeaware
