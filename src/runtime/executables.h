// ExecutableStore: the callables of one package, made ready on first use and shared by all sessions
// on that package, so that packed weights exist once per process.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "changeaware/external_engine.h"
#include "engine/engine.h"
#include "engine/start_engine.h"
#include "package/package_file.h"
#include "runtime/residency/resident_account.h"

namespace changeaware {

struct LoadedCallable {
  std::unique_ptr<Executable> executable;
  // Outputs of the executable: first Callable::outputs, in order; then conditions that are not
  // among them.
  size_t output_count = 0;
  std::vector<size_t> conditions;  // by assertion: index of its condition among the outputs
  mutable std::atomic<bool> has_run = false;
};

// Thread safety: every method may be called concurrently.
class ExecutableStore {
 public:
  // A loaded callable that stays loaded as long as this exists.
  class Pinned {
   public:
    Pinned() = default;
    Pinned(ExecutableStore* store, size_t index, double load_us)
        : store_(store), index_(index), load_us_(load_us) {}
    Pinned(Pinned&& other) noexcept { *this = std::move(other); }
    Pinned& operator=(Pinned&& other) noexcept;
    ~Pinned();
    const LoadedCallable& operator*() const { return *store_->slots_[index_].loaded; }
    const LoadedCallable* operator->() const { return store_->slots_[index_].loaded.get(); }
    double load_us() const { return load_us_; }  // what making this spent on loading

   private:
    ExecutableStore* store_ = nullptr;
    size_t index_ = 0;
    double load_us_ = 0;
  };

  // The store of this package and these options; made when no session has one.
  // `options.needs_exact` is the package's to say. With an `external` engine none of ours starts.
  static Result<std::shared_ptr<ExecutableStore>> shared(
      std::shared_ptr<const PackageFile> package, EngineOptions options,
      std::shared_ptr<const ExternalEngine> external);

  // The number of a callable when all of it runs on the exact engine, for values that the fast one
  // does not compute. Loaded, pinned and counted like a callable of its own.
  size_t exact_twin(size_t callable) const { return callable + slots_.size() / 2; }

  bool is_exact_twin(size_t callable) const { return callable >= slots_.size() / 2; }

  // `reason`, with how to get the exact engine where it is missing; OK where it is there.
  Status can_run_exact(const Status& reason) const;

  // `callable`: index in Manifest::callables, or an exact_twin(). Loads on first use, under the
  // hard budget, for which it waits: see ResidentAccount::acquire(). REQUIRES: the caller holds
  // nothing pinned. Errors: OverBudget; Cancelled; those of check_file(), reading and compiling
  // name the callable. A later call tries again.
  Result<Pinned> get(size_t callable, uint64_t budget_bytes, const Cancellation& cancellation);
  // Loads it where nothing has to be waited for, else OverBudget.
  Status load_ahead(size_t callable, uint64_t budget_bytes);
  // Corrupt once the package file was changed in place since it was opened.
  Status check_file() const { return package_->check_unchanged(); }
  bool is_loaded(size_t callable) const { return slots_[callable].is_loaded; }
  // What must be free to load it.
  uint64_t needed_bytes(size_t callable, uint64_t budget_bytes) const;
  // Whether all of these can be loaded side by side with what is loaded.
  bool fit(const std::vector<size_t>& callables, uint64_t budget_bytes) const;
  ResidentAccount::Totals totals() const { return account_.totals(); }
  uint64_t resident_bytes(size_t callable) const { return account_.bytes(callable); }
  BlobReport blob_report() const { return engine_ ? engine_->blob_report() : BlobReport(); }

 private:
  struct Slot {
    std::unique_ptr<const LoadedCallable> loaded;  // guarded by the account's states and pins
    std::atomic<bool> is_loaded = false;
  };

  ExecutableStore(std::shared_ptr<const PackageFile> package, std::unique_ptr<Engine> engine,
                  EngineOptions options, std::shared_ptr<const ExternalEngine> external);
  const Callable& manifest_callable(size_t callable) const;
  Result<const Engine*> engine_for(size_t callable) const;
  LoadEstimate estimate(size_t callable) const;
  Result<Pinned> carry_out(size_t callable, ResidentAccount::Load booking);
  Result<std::unique_ptr<const LoadedCallable>> load(size_t callable) const;
  Result<std::unique_ptr<const LoadedCallable>> load_elsewhere(const Callable& callable) const;
  void release(size_t callable);

  const std::shared_ptr<const PackageFile> package_;
  const std::unique_ptr<Engine> engine_;  // null where all is external
  const std::shared_ptr<const ExternalEngine> external_;
  const EngineOptions options_;
  mutable std::mutex twin_engine_mutex_;
  mutable std::unique_ptr<Engine> twin_engine_;  // started for the first exact twin
  std::deque<Slot> slots_;                       // by callable, then exact twins
  ResidentAccount account_;
};

}  // namespace changeaware
