// Decisions, and the plans that they are in.
#include "api/responses.h"

using namespace changeaware;  // NOLINT(google-build-using-namespace)

namespace changeaware::api {

std::vector<ca_decision> make_decisions(std::vector<Decision> decisions) {
  std::vector<ca_decision> out;
  out.reserve(decisions.size());
  for (Decision& decision : decisions) out.push_back({std::move(decision)});
  return out;
}

}  // namespace changeaware::api

const char* ca_decision_callable(const ca_decision* decision) {
  return decision == nullptr ? nullptr : decision->decision.callable.c_str();
}

ca_outcome ca_decision_outcome(const ca_decision* decision) {
  return decision == nullptr ? -1 : static_cast<ca_outcome>(decision->decision.outcome);
}

ca_cause ca_decision_cause(const ca_decision* decision) {
  return decision == nullptr ? -1 : static_cast<ca_cause>(decision->decision.cause);
}

const char* ca_decision_reason(const ca_decision* decision) {
  return decision == nullptr ? nullptr : decision->decision.reason.c_str();
}

bool ca_decision_retained(const ca_decision* decision) {
  return decision != nullptr && decision->decision.retained;
}

const char* ca_decision_not_retained_why(const ca_decision* decision) {
  return decision == nullptr ? nullptr : decision->decision.not_retained_why.c_str();
}

void ca_plan_free(ca_plan* plan) { delete plan; }

const char* ca_plan_strategy(const ca_plan* plan) {
  return plan == nullptr ? nullptr : plan->plan.strategy.c_str();
}

size_t ca_plan_decision_count(const ca_plan* plan) {
  return plan == nullptr ? 0 : plan->decisions.size();
}

const ca_decision* ca_plan_decision(const ca_plan* plan, size_t index) {
  if (plan == nullptr || index >= plan->decisions.size()) return nullptr;
  return &plan->decisions[index];
}

double ca_plan_predicted_us(const ca_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.predicted_us;
}

double ca_plan_predicted_load_us(const ca_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.predicted_load_us;
}

uint64_t ca_plan_resident_bytes(const ca_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.resident_bytes;
}
