// ExecutableStore: the callables of one package, made ready on first use and shared by all sessions
// on that package, so that packed weights exist once per process.
#pragma once

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
};

// Thread safety: every method may be called concurrently.
class ExecutableStore {
 public:
  // The store of this package and thread count; made when no session has one.
  static Result<std::shared_ptr<ExecutableStore>> shared(std::shared_ptr<const PackageFile> package,
                                                         int threads);

  // `callable`: index in Manifest::callables. Loads on first use; a concurrent caller for the same
  // callable waits for it. Errors of reading and compiling name the callable; a later call tries
  // again.
  Result<std::shared_ptr<const LoadedCallable>> get(size_t callable);

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const LoadedCallable> loaded;
  };

  ExecutableStore(std::shared_ptr<const PackageFile> package, std::unique_ptr<Engine> engine)
      : package_(std::move(package)),
        engine_(std::move(engine)),
        slots_(package_->manifest().callables.size()) {}
  Result<std::shared_ptr<const LoadedCallable>> load(const std::string& callable) const;

  const std::shared_ptr<const PackageFile> package_;
  const std::unique_ptr<Engine> engine_;
  std::vector<Slot> slots_;  // by callable
};

}  // namespace changeaware
