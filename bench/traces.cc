#include "bench/traces.h"

#include "bench/subject.h"

namespace changeaware::bench {
namespace {

void set_all(Subject& subject, const std::map<std::string, size_t>& steps) {
  for (const auto& [input, step] : steps) subject.set(input, step);
}

}  // namespace

TraceResult run_trace(const ModelWork& model, const std::shared_ptr<const Package>& package,
                      int threads, const Trace& trace) {
  Subject adaptive(package, model.samples, {.threads = threads});
  Subject full(package, model.samples, {.threads = threads});
  TraceResult out;
  out.model = model.name;
  out.name = trace.name;
  out.requests = trace.requests.size() - 1;
  out.bits_equal = true;
  size_t next_of_adaptive = 0;
  size_t next_of_full = 0;
  // Both walk the trace in step, so that when both have answered they have answered the same.
  const auto compare = [&] {
    if (next_of_adaptive != next_of_full) return;
    out.bits_equal = out.bits_equal && same_bits(adaptive.response(), full.response());
  };
  const PairedTimes times = measure_pairs(
      out.requests, 1,
      [&] {
        set_all(adaptive, trace.requests[next_of_adaptive++]);
        const double time = adaptive.run(false, false);
        if (next_of_adaptive > 1) ++out.strategies[adaptive.response().report.strategy];
        compare();
        return time;
      },
      [&] {
        set_all(full, trace.requests[next_of_full++]);
        const double time = full.run(true, false);
        compare();
        return time;
      });
  out.adaptive = times.first;
  out.full = times.second;
  out.ratio = times.ratio;
  out.runs = adaptive.stats().runs;
  return out;
}

BudgetResult run_budget(const ModelWork& model, const std::shared_ptr<const Package>& package,
                        int threads, const BudgetWork& work) {
  Subject tight(package, model.samples,
                {.threads = threads, .retained_budget_bytes = work.budget_bytes});
  Subject loose(package, model.samples, {.threads = threads, .retained_budget_bytes = UINT64_MAX});
  BudgetResult out;
  out.model = model.name;
  out.name = work.name;
  out.budget_bytes = work.budget_bytes;
  tight.run(false, false);
  loose.run(false, false);
  out.bits_equal = same_bits(tight.response(), loose.response());
  const auto timed = [&](Subject& subject) {
    subject.change(work.changed);
    return subject.run(false, false);
  };
  const PairedTimes times = measure_pairs(
      work.runs, work.warm_up, [&] { return timed(tight); }, [&] { return timed(loose); });
  out.bits_equal = out.bits_equal && same_bits(tight.response(), loose.response());
  out.tight = times.first;
  out.loose = times.second;
  out.ratio = times.ratio;
  const SessionStats stats = tight.stats();
  out.retained_bytes_peak = stats.retained_bytes_peak;
  out.runs = stats.runs;
  out.requests = stats.requests;
  const Report& report = tight.response().report;
  out.strategy = report.strategy;
  out.ran = report.ran;
  out.reused = report.reused;
  return out;
}

}  // namespace changeaware::bench
