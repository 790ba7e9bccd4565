// Traces: requests that change this and that, and requests under a budget, each answered twice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/pairs.h"
#include "bench/workload.h"
#include "changeaware/session.h"

namespace changeaware::bench {

struct TraceResult {
  std::string model, name;
  size_t requests = 0;
  Times adaptive, full;
  double ratio = 0;  // median over the requests of adaptive / full
  bool bits_equal = false;
  // Of the adaptive session: how often it chose each strategy, and how often each callable ran.
  std::map<std::string, uint64_t> strategies, runs;
};

// Answers each request with a session that reuses and with one that runs everything, in the order
// A B, B A, …; compares the bits. Throws std::runtime_error when a call fails.
TraceResult run_trace(const ModelWork& model, const std::shared_ptr<const Package>& package,
                      int threads, const Trace& trace);

struct BudgetResult {
  std::string model, name;
  uint64_t budget_bytes = 0;
  Times tight, loose;  // with the budget; without a limit
  double ratio = 0;    // median over the pairs of tight / loose
  bool bits_equal = false;
  uint64_t retained_bytes_peak = 0;  // of the tight session
  std::string strategy;              // that it chose last
  std::vector<std::string> ran, reused;
  std::map<std::string, uint64_t> runs;  // of the tight session, from its first request on
  uint64_t requests = 0;
};

BudgetResult run_budget(const ModelWork& model, const std::shared_ptr<const Package>& package,
                        int threads, const BudgetWork& work);

}  // namespace changeaware::bench
