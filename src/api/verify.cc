#include "api/guard.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace {

VerifyOptions verify_options(const ca_compile_options* options) {
  if (options == nullptr) return {};
  const CompileOptions& from = options->options;
  return {.examples = from.examples,
          .threads = from.threads,
          .exact_engine = from.exact_engine,
          .reference = from.reference,
          .progress = from.progress};
}

const StrategyVerdict* verdict(const ca_verify_report* report, size_t index) {
  if (report == nullptr || index >= report->report.strategies.size()) return nullptr;
  return &report->report.strategies[index];
}

}  // namespace

ca_verify_report* ca_verify(const char* package_path, const ca_compile_options* options,
                            ca_status* status) {
  return guard_handle<ca_verify_report>(
      status, {{package_path, "package_path"}}, [&]() -> Result<std::unique_ptr<ca_verify_report>> {
        auto out = std::make_unique<ca_verify_report>();
        CA_ASSIGN_OR_RETURN(out->report, verify_package(package_path, verify_options(options)));
        return out;
      });
}

void ca_verify_report_free(ca_verify_report* report) { delete report; }

bool ca_verify_report_equal(const ca_verify_report* report) {
  return report != nullptr && report->report.equal;
}

size_t ca_verify_report_strategy_count(const ca_verify_report* report) {
  return report == nullptr ? 0 : report->report.strategies.size();
}

const char* ca_verify_report_strategy(const ca_verify_report* report, size_t index) {
  const StrategyVerdict* found = verdict(report, index);
  return found == nullptr ? nullptr : found->strategy.c_str();
}

bool ca_verify_report_strategy_equal(const ca_verify_report* report, size_t index) {
  const StrategyVerdict* found = verdict(report, index);
  return found != nullptr && found->equal;
}

const char* ca_verify_report_difference(const ca_verify_report* report, size_t index) {
  const StrategyVerdict* found = verdict(report, index);
  return found == nullptr ? nullptr : found->difference.c_str();
}
