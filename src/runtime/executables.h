// ExecutableStore: the callables of one package, made ready on first use and shared by all sessions
// on that package, so that packed weights exist once per process.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "package/package_file.h"

namespace changeaware {

struct LoadedCallable {
  std::unique_ptr<Executable> executable;
  // Outputs of the executable: first Callable::outputs, in order; then conditions that are not
  // among them.
  size_t output_count = 0;
  std::vector<size_t> conditions;  // by assertion: index of its condition among the outputs
  mutable std::atomic<bool> has_run = false;
};

struct Loaded {
  std::shared_ptr<const LoadedCallable> callable;
  double load_us = 0;  // what this call spent on loading it
};

// Counts resident bytes as Callable::costs says. Whoever holds a callable keeps it loaded.
// Thread safety: every method may be called concurrently.
class ExecutableStore {
 public:
  // The store of this package and thread count; made when no session has one.
  static Result<std::shared_ptr<ExecutableStore>> shared(std::shared_ptr<const PackageFile> package,
                                                         int threads);

  // `callable`: index in Manifest::callables. Loads on first use; a concurrent caller for the same
  // callable waits for it. Before it loads, callables that nobody holds are released, those first
  // that are quickest to bring back per byte and longest unused, until all fits into
  // `budget_bytes`; OverBudget naming the callable when it does not. Errors of reading and
  // compiling name the callable; a later call tries again.
  Result<Loaded> get(size_t callable, uint64_t budget_bytes);
  bool is_loaded(size_t callable) const { return slots_[callable].is_loaded; }
  uint64_t resident_bytes() const;

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const LoadedCallable> loaded;
    std::atomic<bool> is_loaded = false;
    double priority = 0;  // guarded by account_mutex_, as all below
  };

  ExecutableStore(std::shared_ptr<const PackageFile> package, std::unique_ptr<Engine> engine)
      : package_(std::move(package)),
        engine_(std::move(engine)),
        slots_(package_->manifest().callables.size()) {}
  Result<std::shared_ptr<const LoadedCallable>> load(const std::string& callable) const;
  Status reserve(size_t callable, uint64_t budget_bytes);
  bool release_one(size_t keep);
  void renew(size_t callable);

  const std::shared_ptr<const PackageFile> package_;
  const std::unique_ptr<Engine> engine_;
  std::deque<Slot> slots_;  // by callable

  mutable std::mutex account_mutex_;
  uint64_t resident_bytes_ = 0;
  double inflation_ = 0;
};

}  // namespace changeaware
