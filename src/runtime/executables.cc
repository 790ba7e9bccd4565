#include "runtime/executables.h"

#include <map>
#include <utility>

#include "engine/openvino/openvino_engine.h"
#include "graph/subgraph.h"

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

Result<std::shared_ptr<const LoadedCallable>> ExecutableStore::get(size_t callable) {
  Slot& slot = slots_[callable];
  const std::lock_guard lock(slot.mutex);
  if (slot.loaded != nullptr) return slot.loaded;
  CA_ASSIGN_OR_RETURN(slot.loaded, load(package_->manifest().callables[callable].name));
  return slot.loaded;
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
