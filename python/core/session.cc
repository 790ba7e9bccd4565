#include "changeaware/session.h"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/array.h"
#include "core/arrays_in.h"
#include "core/bindings.h"
#include "core/dicts.h"
#include "core/errors.h"
#include "core/external_engine.h"

namespace changeaware::python {
namespace {

using Names = std::optional<std::vector<std::string>>;
using Tags = std::optional<std::map<std::string, std::string>>;

Status closed_status() { return Status(StatusCode::kInvalidArgument, "the session is closed"); }

// A session that can be closed while threads use it.
//
// Invariants: session_ is set until closed_ and active_ == 0. Calls between enter() and leave()
// may use it. mutex_ is never held while waiting for the GIL.
class SessionObject {
 public:
  SessionObject(std::shared_ptr<const Package> package, std::unique_ptr<Session> session)
      : package_(std::move(package)), session_(std::move(session)) {
    for (const ProgramInput& input : package_->manifest().inputs) {
      dtypes_[input.port.name] = input.port.dtype;
    }
  }
  // Executables may be let go of on other threads, which need the GIL for those in Python.
  ~SessionObject() {
    unlocked([this] {
      session_.reset();
      return 0;
    });
  }
  SessionObject(const SessionObject&) = delete;
  SessionObject& operator=(const SessionObject&) = delete;

  // What `work(Session&)` gives, without the GIL; InvalidArgument when closed.
  template <class Work>
  auto use(Work&& work) -> decltype(work(std::declval<Session&>())) {
    const nb::gil_scoped_release gil;
    if (!enter()) return closed_status();
    struct Leave {
      ~Leave() { self->leave(); }
      SessionObject* self;
    } const at_the_end{this};
    return work(*session_);
  }

  void close() {
    const nb::gil_scoped_release gil;
    std::unique_ptr<Session> ended;
    {
      std::unique_lock lock(mutex_);
      closed_ = true;
      stop_.request_stop();
      idle_.wait(lock, [this] { return active_ == 0; });
      ended = std::move(session_);
    }
  }

  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  std::stop_token stop_token() const { return stop_.get_token(); }
  const Package& package() const { return *package_; }

  std::optional<DType> dtype_of(const std::string& input) const {
    const auto found = dtypes_.find(input);
    return found == dtypes_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  bool enter() {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    ++active_;
    return true;
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    if (--active_ == 0) idle_.notify_all();
  }

  std::shared_ptr<const Package> package_;
  std::map<std::string, DType> dtypes_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int active_ = 0;
  bool closed_ = false;
  std::unique_ptr<Session> session_;
};

std::chrono::steady_clock::time_point deadline_after(double seconds) {
  constexpr double kForever = 1e9;
  if (std::isnan(seconds) || seconds < 0) {
    raise(Status(StatusCode::kInvalidArgument,
                 fmt::format("timeout is {}; it must be seconds, at least 0", seconds)));
  }
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(std::min(seconds, kForever)));
}

// What run() and plan() have in common.
Request make_request(const SessionObject& self, nb::handle inputs, Tags versions, Names want,
                     std::optional<std::string> strategy, bool reuse, uint64_t& copied_bytes) {
  Request request;
  const nb::dict given = dict_of(inputs);
  for (const auto [key, value] : given) {
    std::string name = nb::cast<std::string>(nb::str(key));
    Tensor tensor =
        take(read_array(value, fmt::format("input '{}'", name), self.dtype_of(name), copied_bytes));
    request.inputs.emplace(std::move(name), std::move(tensor));
  }
  if (versions) request.versions = std::move(*versions);
  if (want && want->empty()) {
    raise(Status(StatusCode::kInvalidArgument, "want is empty; leave it out for all outputs"));
  }
  if (want) request.want = std::move(*want);
  if (strategy) request.strategy = std::move(*strategy);
  request.reuse = reuse;
  request.stop = self.stop_token();
  return request;
}

nb::object output_value(const ProgramOutput& output, const Tensor& tensor) {
  using Kind = ProgramOutput::Kind;
  switch (output.kind) {
    case Kind::kPort:
    case Kind::kConstantTensor: return to_python(tensor, Access::kWritable);
    case Kind::kNone: return nb::none();
    case Kind::kInt: return to_value(output.int_value);
    case Kind::kFloat: return to_value(output.float_value);
    case Kind::kBool: return to_value(output.int_value != 0);
    case Kind::kString: return to_value(output.string_value);
  }
  return nb::none();
}

// The wanted outputs are a subsequence of the program's.
nb::list output_list(const Manifest& manifest, const std::vector<OutputValue>& outputs) {
  nb::list out;
  size_t next = 0;
  for (const OutputValue& value : outputs) {
    while (next < manifest.outputs.size() && manifest.outputs[next].name != value.name) ++next;
    if (next == manifest.outputs.size()) {
      raise(Status(StatusCode::kInternal, fmt::format("output '{}' is none", value.name)));
    }
    out.append(
        nb::make_tuple(to_value(value.name), output_value(manifest.outputs[next++], value.tensor)));
  }
  return out;
}

nb::object run(SessionObject& self, nb::handle inputs, Tags versions, Names want,
               std::optional<std::string> strategy, bool reuse, std::optional<double> timeout,
               const Plan* plan) {
  uint64_t copied_bytes = 0;
  Request request = make_request(self, inputs, std::move(versions), std::move(want),
                                 std::move(strategy), reuse, copied_bytes);
  if (timeout) request.deadline = deadline_after(*timeout);
  Result<Response> result = self.use([&](Session& session) {
    return plan == nullptr ? session.run(request) : session.run(request, *plan);
  });
  check_signals();
  Response response = take(std::move(result));
  response.report.copied_input_bytes += copied_bytes;
  nb::list outputs = output_list(self.package().manifest(), response.outputs);
  return nb::make_tuple(outputs, nb::cast(std::move(response.report)));
}

Plan make_plan(SessionObject& self, nb::handle inputs, Tags versions, Names want,
               std::optional<std::string> strategy, bool reuse) {
  uint64_t copied_bytes = 0;
  const Request request = make_request(self, inputs, std::move(versions), std::move(want),
                                       std::move(strategy), reuse, copied_bytes);
  return take(self.use([&](Session& session) { return session.plan(request); }));
}

void create(SessionObject* self, const PackageObject& package, int threads,
            uint64_t retained_budget, std::optional<uint64_t> resident_budget,
            const std::string& blob_folder, bool early_cutoff, bool check_versions,
            const std::string& torch_folder, const std::vector<std::string>& op_libraries,
            nb::handle external_engine) {
  SessionOptions options;
  options.threads = threads;
  options.retained_budget_bytes = retained_budget;
  options.resident_budget_bytes = resident_budget.value_or(UINT64_MAX);
  options.blob_folder = blob_folder;
  options.exact_engine = exact_engine_options(torch_folder, op_libraries);
  options.early_cutoff = early_cutoff;
  options.check_versions = check_versions;
  options.external_engine = make_external_engine(external_engine);
  auto session = unlocked([&] { return Session::create(package.package, options); });
  new (self) SessionObject(package.package, take(std::move(session)));
}

void load(SessionObject& self) {
  const Status status = self.use([](Session& session) { return session.load(); });
  check_signals();
  check(status);
}

nb::object stats(SessionObject& self) {
  return to_value(
      take(self.use([](Session& session) -> Result<SessionStats> { return session.stats(); })));
}

void clear(SessionObject& self) {
  check(self.use([](Session& session) -> Status {
    session.clear();
    return {};
  }));
}

void set_budgets(SessionObject& self, uint64_t retained, std::optional<uint64_t> resident) {
  check(self.use([&](Session& session) -> Status {
    session.set_budgets(retained, resident.value_or(UINT64_MAX));
    return {};
  }));
}

}  // namespace

void bind_session(nb::module_& module) {
  using nb::arg;
  nb::class_<SessionObject>(module, "Session")
      .def("__init__", create, arg("package"), nb::kw_only(), arg("threads") = 0,
           arg("retained_budget") = 1ull << 30, arg("resident_budget").none() = nb::none(),
           arg("blob_folder") = "", arg("early_cutoff") = true, arg("check_versions") = false,
           arg("torch_folder") = "", arg("op_libraries") = std::vector<std::string>(),
           arg("external_engine").none() = nb::none())
      .def("run", run, arg("inputs"), nb::kw_only(), arg("versions").none() = nb::none(),
           arg("want").none() = nb::none(), arg("strategy").none() = nb::none(),
           arg("reuse") = true, arg("timeout").none() = nb::none(), arg("plan").none() = nb::none())
      .def("plan", make_plan, arg("inputs"), nb::kw_only(), arg("versions").none() = nb::none(),
           arg("want").none() = nb::none(), arg("strategy").none() = nb::none(),
           arg("reuse") = true)
      .def("load", load)
      .def("stats", stats)
      .def("clear", clear)
      .def("set_budgets", set_budgets, arg("retained_budget"), arg("resident_budget").none())
      .def("close", &SessionObject::close)
      .def_prop_ro("closed", &SessionObject::is_closed);
}

}  // namespace changeaware::python
