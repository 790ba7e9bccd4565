#include "api/guard.h"
#include "base/errors.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace {

std::unique_ptr<ca_compile_report> make_report(CompileReport report) {
  auto out = std::make_unique<ca_compile_report>();
  out->callables.items = std::move(report.callables);
  out->strategies.items = std::move(report.strategies);
  out->exact_nodes.items = std::move(report.exact_nodes);
  for (const Rejection& rejection : report.rejections) {
    out->rejections.items.push_back(fmt::format("{}: {}", rejection.candidate, rejection.reason));
  }
  out->report = std::move(report);
  return out;
}

const ca_strings* list_of(const ca_compile_report* report, ca_strings ca_compile_report::*list) {
  return report == nullptr ? nullptr : &(report->*list);
}

}  // namespace

ca_code ca_compile(const char* model_path, const char* package_path,
                   const ca_compile_options* options, ca_compile_report** report,
                   ca_status* status) {
  if (report != nullptr) *report = nullptr;
  return guard(
      status, {{model_path, "model_path"}, {package_path, "package_path"}}, [&]() -> Status {
        CA_ASSIGN_OR_RETURN(CompileReport made,
                            compile(model_path, package_path,
                                    options == nullptr ? CompileOptions{} : options->options));
        if (report != nullptr) *report = make_report(std::move(made)).release();
        return {};
      });
}

void ca_compile_report_free(ca_compile_report* report) { delete report; }

const ca_strings* ca_compile_report_callables(const ca_compile_report* report) {
  return list_of(report, &ca_compile_report::callables);
}

const ca_strings* ca_compile_report_strategies(const ca_compile_report* report) {
  return list_of(report, &ca_compile_report::strategies);
}

const ca_strings* ca_compile_report_rejections(const ca_compile_report* report) {
  return list_of(report, &ca_compile_report::rejections);
}

const ca_strings* ca_compile_report_exact_nodes(const ca_compile_report* report) {
  return list_of(report, &ca_compile_report::exact_nodes);
}

uint64_t ca_compile_report_nodes_read(const ca_compile_report* report) {
  return report == nullptr ? 0 : report->report.nodes_read;
}

uint64_t ca_compile_report_nodes_kept(const ca_compile_report* report) {
  return report == nullptr ? 0 : report->report.nodes_kept;
}

bool ca_compile_report_verified(const ca_compile_report* report) {
  return report != nullptr && report->report.verified;
}

bool ca_compile_report_compared_with_exact(const ca_compile_report* report) {
  return report != nullptr && report->report.compared_with_exact;
}
