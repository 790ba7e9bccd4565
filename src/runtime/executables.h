// ExecutableStore: the callables of one package, made ready on first use and shared by all sessions
// on that package, so that packed weights exist once per process.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "package/package_file.h"
#include "runtime/file_guard.h"
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

  // The store of this package, thread count and folder of compiled blobs (empty: none); made when
  // no session has one.
  static Result<std::shared_ptr<ExecutableStore>> shared(std::shared_ptr<const PackageFile> package,
                                                         int threads,
                                                         const std::string& blob_folder);

  // `callable`: index in Manifest::callables. Loads on first use, under the hard budget, for which
  // it waits: see ResidentAccount::acquire(). REQUIRES: the caller holds nothing pinned. Errors:
  // OverBudget; Cancelled; those of check_file(), reading and compiling name the callable. A later
  // call tries again.
  Result<Pinned> get(size_t callable, uint64_t budget_bytes, const Cancellation& cancellation);
  // Loads it where nothing has to be waited for, else OverBudget.
  Status load_ahead(size_t callable, uint64_t budget_bytes);
  // Corrupt once the package file was changed in place since this store was made.
  Status check_file() const { return file_.check(); }
  bool is_loaded(size_t callable) const { return slots_[callable].is_loaded; }
  // What must be free to load it.
  uint64_t needed_bytes(size_t callable, uint64_t budget_bytes) const;
  // Whether all of these can be loaded side by side with what is loaded.
  bool fit(const std::vector<size_t>& callables, uint64_t budget_bytes) const;
  ResidentAccount::Totals totals() const { return account_.totals(); }
  uint64_t resident_bytes(size_t callable) const { return account_.bytes(callable); }
  BlobReport blob_report() const { return engine_->blob_report(); }

 private:
  struct Slot {
    std::unique_ptr<const LoadedCallable> loaded;  // guarded by the account's states and pins
    std::atomic<bool> is_loaded = false;
  };

  ExecutableStore(std::shared_ptr<const PackageFile> package, std::unique_ptr<Engine> engine);
  LoadEstimate estimate(size_t callable) const;
  Result<Pinned> carry_out(size_t callable, ResidentAccount::Load booking);
  Result<std::unique_ptr<const LoadedCallable>> load(const Callable& callable) const;
  void release(size_t callable);

  const std::shared_ptr<const PackageFile> package_;
  const FileGuard file_;
  const std::unique_ptr<Engine> engine_;
  std::deque<Slot> slots_;  // by callable
  ResidentAccount account_;
};

}  // namespace changeaware
