// Small costs of a session, on packages that bench/run.py has compiled:
//
//   micro_bench THREE_INPUTS_PACKAGE [--benchmark_…]
//
// Fingerprint          bytes per second of identifying an input by its contents
// NothingChanged       look-up, planning and copying out, whole request
// NothingChangedTagged the same without reading the inputs
// ControlChanged       what the session adds to a request that runs something: total less engine
// and
//                      fingerprints; each request stores new entries
// NothingRetained      the same with no room to retain anything
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>

#include "changeaware/session.h"

namespace {

using namespace changeaware;

struct Fixture {
  std::unique_ptr<Session> session;
  Request request;
  size_t input_bytes = 0;
};

// Zeros for every input of the package; the program is one that accepts them.
Result<Fixture> make_fixture(const std::string& path, uint64_t budget) {
  Fixture out;
  CA_ASSIGN_OR_RETURN(const auto package, Package::open(path));
  for (const ProgramInput& input : package->manifest().inputs) {
    Shape shape;
    for (const std::string& size : input.port.shape) shape.push_back(std::stoll(size));
    Tensor zeros = Tensor::empty(input.port.dtype, shape);
    std::fill_n(zeros.mutable_data(), zeros.size_bytes(), std::byte{0});
    out.input_bytes += zeros.size_bytes();
    out.request.inputs[input.port.name] = zeros;
    out.request.versions[input.port.name] = "0";
  }
  SessionOptions options;
  options.threads = 2;
  options.retained_budget_bytes = budget;
  CA_ASSIGN_OR_RETURN(out.session, Session::create(package, options));
  CA_RETURN_IF_ERROR(out.session->run(out.request).status());
  return out;
}

enum class Measure { kWhole, kFingerprint, kSession };

struct Case {
  const char* name;
  Measure measure;
  bool tagged;
  bool changing;
  uint64_t budget;
};

constexpr uint64_t kRoom = 64 << 20;
constexpr Case kCases[] = {
    {"Fingerprint", Measure::kFingerprint, false, false, kRoom},
    {"NothingChanged", Measure::kWhole, false, false, kRoom},
    {"NothingChangedTagged", Measure::kWhole, true, false, kRoom},
    {"ControlChanged", Measure::kSession, false, true, kRoom},
    {"NothingRetained", Measure::kSession, false, true, 0},
};

double seconds(const Report& report, Measure measure) {
  if (measure == Measure::kFingerprint) return report.fingerprint_us * 1e-6;
  const double rest = report.total_us - report.engine_us - report.fingerprint_us;
  return (measure == Measure::kSession ? rest : report.total_us) * 1e-6;
}

void run_case(benchmark::State& state, const std::string& package, const Case& c) {
  Result<Fixture> fixture = make_fixture(package, c.budget);
  if (!fixture.ok()) return state.SkipWithError(fixture.status().to_string().c_str());
  Request request = fixture->request;
  if (!c.tagged) request.versions.clear();
  auto* control = reinterpret_cast<float*>(request.inputs.at("control").mutable_data());
  for (auto _ : state) {
    if (c.changing) *control += 1.0f / 1024;
    const Result<Response> response = fixture->session->run(request);
    if (!response.ok()) return state.SkipWithError(response.status().to_string().c_str());
    state.SetIterationTime(seconds(response->report, c.measure));
  }
  if (c.measure == Measure::kFingerprint) {
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(fixture->input_bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: micro_bench THREE_INPUTS_PACKAGE [--benchmark_...]\n");
    return 2;
  }
  const std::string package = argv[1];
  for (const Case& c : kCases) {
    benchmark::RegisterBenchmark(c.name, [&](benchmark::State& s) { run_case(s, package, c); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.05);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
