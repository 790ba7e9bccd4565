#include "runtime/plan_seal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "runtime/secret.h"

namespace changeaware {
namespace {

constexpr const char* kParts[] = {"what is asked", "the version of an input", "what is retained",
                                  "what is loaded", "a budget"};

void append(std::string& out, std::string_view part) {
  out += std::to_string(part.size());
  out += ':';
  out += part;
}

// Takes the next part off the front of `text`.
std::string_view next_part(std::string_view& text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::exchange(text, {});
  const size_t size = std::stoull(std::string(text.substr(0, colon)));
  const std::string_view part = text.substr(colon + 1, size);
  text.remove_prefix(colon + 1 + part.size());
  return part;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string bits(const auto& flags) {
  std::string out;
  for (const auto flag : flags) out += flag ? '1' : '0';
  return out;
}

}  // namespace

std::string plan_state(const RequestState& state, const Budgets& budgets) {
  std::string out;
  const size_t forced = state.forced ? 1 + *state.forced : 0;
  append(out, fmt::format("{} {} {} {} {}", bits(state.wanted), state.all_assertions, state.reuse,
                          state.family->strategies.front(), forced));
  std::string versions;
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    append(versions, state.needed[i] ? state.inputs[i].version : "");
  }
  append(out, versions);
  append(out, bits(state.ask.present) + bits(state.ask.available));
  append(out, bits(state.ask.loaded));
  append(out, fmt::format("{} {}", budgets.retained_bytes, budgets.resident_bytes));
  return out;
}

std::string state_difference(const std::string& planned, const std::string& now) {
  std::string_view a = planned;
  std::string_view b = now;
  for (const char* part : kParts) {
    if (next_part(a) != next_part(b)) return part;
  }
  return "";
}

PlanSealer::PlanSealer() { fill_secret(key_); }

std::string PlanSealer::seal(const Plan& plan) const {
  std::string text;
  append(text, plan.strategy);
  append(text,
         fmt::format("{} {} {}", plan.predicted_us, plan.predicted_load_us, plan.resident_bytes));
  for (const Decision& d : plan.decisions) {
    append(text, d.callable);
    append(text, fmt::format("{} {} {}", static_cast<int>(d.outcome), static_cast<int>(d.cause),
                             d.retained));
    append(text, d.reason);
    append(text, d.not_retained_why);
  }
  append(text, plan.state);
  return to_hex(hmac_sha256(key_, bytes_of(text)));
}

}  // namespace changeaware
