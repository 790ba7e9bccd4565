#include "api/responses.h"

using namespace changeaware;  // NOLINT(google-build-using-namespace)

namespace changeaware::api {

ca_report make_report(Report report) {
  ca_report out;
  out.changed.items = std::move(report.changed);
  out.ran.items = std::move(report.ran);
  out.reused.items = std::move(report.reused);
  out.decisions = make_decisions(std::move(report.decisions));
  out.report = std::move(report);
  return out;
}

}  // namespace changeaware::api

namespace {

double number_of(const ca_report* report, double Report::*field) {
  return report == nullptr ? 0 : report->report.*field;
}

}  // namespace

const ca_report* ca_response_report(const ca_response* response) {
  return response == nullptr ? nullptr : &response->report;
}

const ca_strings* ca_report_changed(const ca_report* report) {
  return report == nullptr ? nullptr : &report->changed;
}

const char* ca_report_strategy(const ca_report* report) {
  return report == nullptr ? nullptr : report->report.strategy.c_str();
}

const ca_strings* ca_report_ran(const ca_report* report) {
  return report == nullptr ? nullptr : &report->ran;
}

const ca_strings* ca_report_reused(const ca_report* report) {
  return report == nullptr ? nullptr : &report->reused;
}

size_t ca_report_decision_count(const ca_report* report) {
  return report == nullptr ? 0 : report->decisions.size();
}

const ca_decision* ca_report_decision(const ca_report* report, size_t index) {
  if (report == nullptr || index >= report->decisions.size()) return nullptr;
  return &report->decisions[index];
}

uint64_t ca_report_copied_input_bytes(const ca_report* report) {
  return report == nullptr ? 0 : report->report.copied_input_bytes;
}

double ca_report_predicted_us(const ca_report* report) {
  return number_of(report, &Report::predicted_us);
}

double ca_report_fingerprint_us(const ca_report* report) {
  return number_of(report, &Report::fingerprint_us);
}

double ca_report_plan_us(const ca_report* report) { return number_of(report, &Report::plan_us); }

double ca_report_engine_us(const ca_report* report) {
  return number_of(report, &Report::engine_us);
}

double ca_report_total_us(const ca_report* report) { return number_of(report, &Report::total_us); }
