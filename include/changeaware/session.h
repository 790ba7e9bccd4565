// Session: answers requests on a package, running only what changed inputs make necessary.
//
// Thread safety: every method may be called concurrently. Requests on one session share what is
// retained; engine work of different requests may overlap.
// Ownership: input tensors are read during run(), nobody may write to them meanwhile, and they are
// not kept. Output tensors are the caller's own:
// they never alias what the session retains.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "changeaware/exact_engine.h"
#include "changeaware/export_macro.h"
#include "changeaware/external_engine.h"
#include "changeaware/package.h"
#include "changeaware/status.h"
#include "changeaware/tensor.h"

namespace changeaware {

struct SessionOptions {
  int threads = 0;                              // engine threads; 0 = all cores
  uint64_t retained_budget_bytes = 1ull << 30;  // hard limit for retained tensors
  // Hard limit for loaded callables, as Callable::costs counts them.
  uint64_t resident_budget_bytes = UINT64_MAX;
  // Where compiled callables are kept between processes: empty = the platform's cache folder
  // ($XDG_CACHE_HOME/changeaware, else ~/.cache/changeaware), "off" = nowhere. What is there is
  // used only for the same package file, engine, processor and threads; what is damaged is ignored.
  std::string blob_folder;
  ExactEngineOptions exact_engine;
  // Runs the callables instead of this library's engines; null = those. Sessions share its loaded
  // callables when they share the engine.
  std::shared_ptr<const ExternalEngine> external_engine;
  // Skip a callable whose inputs, computed again, have the bits of inputs it ran on before.
  bool early_cutoff = true;
  // Read and fingerprint the bytes of inputs that come with a version tag, and fail a request whose
  // tag was seen with other bytes.
  bool check_versions = false;
};

struct Request {
  // Every input that the wanted outputs depend on, by name. Any strides.
  std::map<std::string, Tensor> inputs;
  // Optional version tags by input name. The caller promises: equal tags of one input mean equal
  // dtype, shape and bytes. The bytes of a tagged input are not read to fingerprint it. A tag
  // without a value in `inputs` is InvalidArgument.
  std::map<std::string, std::string> versions;
  // Output names; empty = all. Assertions run when a wanted output or the request as a whole
  // (empty want) needs the callable that owns them.
  std::vector<std::string> want;
  // Force a strategy by name ("monolithic"); empty = the session chooses.
  std::string strategy;
  // false: retained values are neither read nor written (a full run).
  bool reuse = true;
  // The request ends as Cancelled before the next callable when either says so, and retains
  // nothing. A callable that runs is not interrupted.
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

struct OutputValue {
  std::string name;
  // Not defined() for None and string outputs. Numbers fixed at export are tensors of rank 0
  // (int64, float64, bool).
  Tensor tensor;
};

// What happens to one callable, and why.
struct Decision {
  std::string callable;
  enum class Outcome : uint8_t { kRan, kReused, kNotNeeded } outcome = Outcome::kRan;
  enum class Cause : uint8_t {
    kInputChanged,  // ran: contents that are new since the last request
    kNotRetained,   // ran: inputs as before, but the strategy does not retain what is needed
    kEvicted,       // ran: what is needed was retained and had to make room
    kNoReuse,       // ran: the request reuses nothing
    kRetained,      // reused: retained for these inputs
    kSameContents,  // reused: its inputs were computed again and have the same bits
    kShared,        // reused: another request computed it at the same time
    kNotDemanded    // not needed: no wanted output and no callable that runs reads it
  } cause = Cause::kInputChanged;
  std::string reason;            // the cause in words: "image changed"
  bool retained = false;         // its outputs are retained after the request
  std::string not_retained_why;  // "4 MiB is larger than the budget of 1 MiB"
};

// What a request will do, made ahead by Session::plan(). It stands for the session's state at that
// moment: run() refuses it as StalePlan when a version, what is retained or loaded, or a budget has
// changed since, or when any member was altered (`seal` is a keyed digest over all of them).
struct Plan {
  std::string strategy;
  std::vector<Decision> decisions;  // every callable of the strategy, in execution order
  double predicted_us = 0;          // of running, and of loading what is not loaded
  double predicted_load_us = 0;
  uint64_t resident_bytes = 0;  // loaded callables after the request, as Callable::costs counts
  std::string state;            // versions, retained and loaded callables, budgets; opaque
  std::string seal;
};

struct Report {
  std::vector<std::string> changed;  // inputs whose version differs from the previous request's
  std::string strategy;
  std::vector<std::string> ran;  // callable names, in execution order
  std::vector<std::string> reused;
  std::vector<Decision> decisions;  // every callable of the strategy
  double predicted_us = 0;          // engine time, and loading what was not loaded
  uint64_t copied_input_bytes = 0;  // of inputs that are not dense, copied for the engine
  double fingerprint_us = 0;
  double plan_us = 0;  // looking up what is retained and deciding
  double engine_us = 0;
  double total_us = 0;
};

struct Response {
  std::vector<OutputValue> outputs;  // the wanted ones, in the program's order
  Report report;
};

// What a callable left behind for later requests.
struct RetainedEntry {
  std::string callable;
  std::string version;  // eight hexadecimal digits that tell entries of one callable apart
  uint64_t bytes = 0;
  uint64_t uses = 0;  // storing it counts as one
  bool operator==(const RetainedEntry&) const = default;
};

struct SessionStats {
  uint64_t requests = 0;
  uint64_t failed = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t evictions = 0;
  uint64_t retained_bytes = 0;
  uint64_t retained_bytes_peak = 0;
  uint64_t retained_entries = 0;
  std::vector<RetainedEntry> retained;  // the largest, at most kMostListedEntries of them
  static constexpr size_t kMostListedEntries = 256;
  // Callables loaded by all sessions on this package, as they are counted against the budget.
  uint64_t resident_bytes = 0;
  uint64_t resident_bytes_peak = 0;
  uint64_t loads = 0;
  uint64_t unloads = 0;                      // to make room for others
  std::map<std::string, uint64_t> resident;  // bytes by loaded callable
  uint64_t blobs_used = 0;                   // compiled callables taken from disk
  uint64_t blobs_stored = 0;
  std::vector<std::string> blobs_ignored;  // the first few reasons
  // What the operating system says of the whole process; 0 where it does not.
  uint64_t process_anonymous_bytes = 0;
  uint64_t process_file_bytes = 0;
  std::map<std::string, uint64_t> runs;  // engine calls by callable
};

class CHANGEAWARE_API Session {
 public:
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Package> package,
                                                 const SessionOptions& options = {});
  virtual ~Session() = default;

  // Two requests that need the same missing result at the same time compute it once.
  // Errors: Cancelled; InvalidArgument (unknown, missing or unfit input, output or strategy: lists
  // what is valid), FailedAssertion (an assertion of the program), Unsupported (values outside what
  // the engine computes exactly: int64 beyond int32, NaN), OverBudget (a callable that does not fit
  // into the resident budget even alone, or memory that runs out; where other requests hold what is
  // needed this one waits), Corrupt (a damaged package, or one that was changed in place since it
  // was opened), Internal. A failed request retains nothing.
  virtual Result<Response> run(const Request& request) = 0;
  // The same as planned. StalePlan, before anything runs, when the plan does not fit any more or is
  // not one of this session.
  virtual Result<Response> run(const Request& request, const Plan& plan) = 0;
  // What run(request) would do now. Reads input bytes to fingerprint them, runs and loads nothing.
  // An input with a version tag needs no value, unless its sizes are symbolic.
  // Errors: those of run() that concern the request; OverBudget naming the callable that does not
  // fit into the resident budget.
  virtual Result<Plan> plan(const Request& request) = 0;
  // Loads the callables of the segments now rather than on first use, in execution order, as many
  // as fit into the resident budget.
  virtual Status load() = 0;
  virtual SessionStats stats() const = 0;
  // Forgets everything retained.
  virtual void clear() = 0;
  // From now on. What is retained beyond the new budget goes at once, or when the requests that use
  // it end; callables are released when others are loaded.
  virtual void set_budgets(uint64_t retained_budget_bytes, uint64_t resident_budget_bytes) = 0;
};

}  // namespace changeaware
