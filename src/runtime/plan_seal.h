// What makes a plan made ahead trustworthy: the state that it was made in, and a seal.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "runtime/request.h"

namespace changeaware {

// Everything that the plan of a request rests on: what is asked, the versions, what is retained and
// loaded, the budgets.
std::string plan_state(const RequestState& state, const Budgets& budgets);

// The first part in which two states differ, in words; empty when they are equal.
std::string state_difference(const std::string& planned, const std::string& now);

// Seals plans with HMAC-SHA-256 under a random key per object.
// Thread safety: const methods may be called concurrently.
class PlanSealer {
 public:
  PlanSealer();
  std::string seal(const Plan& plan) const;
  bool is_genuine(const Plan& plan) const { return plan.seal == seal(plan); }

 private:
  std::array<std::byte, 32> key_;
};

}  // namespace changeaware
