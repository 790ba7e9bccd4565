// Decision, Report and Plan: views of the library's structs, converted when an attribute is read.
#include <array>

#include "core/bindings.h"
#include "core/dicts.h"

namespace changeaware::python {
namespace {

using Outcome = Decision::Outcome;
using Cause = Decision::Cause;

// In the order of the enums.
constexpr std::array<std::string_view, 3> kOutcomes = {"ran", "reused", "not needed"};
constexpr std::array<std::string_view, 8> kCauses = {
    "input changed", "not retained",  "evicted", "no reuse",
    "retained",      "same contents", "shared",  "not demanded"};
static_assert(static_cast<size_t>(Outcome::kNotNeeded) + 1 == kOutcomes.size());
static_assert(static_cast<size_t>(Cause::kNotDemanded) + 1 == kCauses.size());

// An attribute that is converted when read.
template <class Struct, class Field>
auto field(Field Struct::*member) {
  return [member](const Struct& self) { return to_value(self.*member); };
}

template <class Struct>
nb::object decisions(const Struct& self) {
  nb::list out;
  for (const Decision& decision : self.decisions) out.append(nb::cast(decision));
  return out;
}

std::string_view outcome(const Decision& self) {
  return kOutcomes[static_cast<size_t>(self.outcome)];
}

nb::object decision_text(const Decision& self) {
  return to_value("Decision(" + self.callable + ": " + std::string(outcome(self)) + ", " +
                  self.reason + ")");
}

void bind_decision(nb::module_& module) {
  nb::class_<Decision>(
      module, "Decision",
      "What happens to one callable in a request, and why: `callable`, `outcome` "
      "(\"ran\", \"reused\", \"not needed\"), `cause`, `reason` (the cause in words), "
      "`retained` (whether its outputs are kept), `not_retained_why`.")
      .def_prop_ro("callable", field(&Decision::callable))
      .def_prop_ro("outcome", [](const Decision& self) { return to_value(outcome(self)); })
      .def_prop_ro(
          "cause",
          [](const Decision& self) { return to_value(kCauses[static_cast<size_t>(self.cause)]); })
      .def_prop_ro("reason", field(&Decision::reason))
      .def_prop_ro("retained", field(&Decision::retained))
      .def_prop_ro("not_retained_why", field(&Decision::not_retained_why))
      .def("__repr__", decision_text);
}

}  // namespace

void bind_reports(nb::module_& module) {
  bind_decision(module);
  nb::class_<Report>(module, "Report",
                     "What a request did: `changed` (inputs that differ from the request before), "
                     "`strategy`, `ran` and `reused` (callables, in order), `decisions`, "
                     "`copied_input_bytes` (of inputs that had to be made dense), and times in "
                     "microseconds: `predicted_us`, `fingerprint_us`, `plan_us`, `engine_us`, "
                     "`total_us`.")
      .def_prop_ro("changed", field(&Report::changed))
      .def_prop_ro("strategy", field(&Report::strategy))
      .def_prop_ro("ran", field(&Report::ran))
      .def_prop_ro("reused", field(&Report::reused))
      .def_prop_ro("decisions", decisions<Report>)
      .def_prop_ro("predicted_us", field(&Report::predicted_us))
      .def_prop_ro("fingerprint_us", field(&Report::fingerprint_us))
      .def_prop_ro("plan_us", field(&Report::plan_us))
      .def_prop_ro("engine_us", field(&Report::engine_us))
      .def_prop_ro("total_us", field(&Report::total_us))
      .def_prop_ro("copied_input_bytes", field(&Report::copied_input_bytes));
  nb::class_<Plan>(
      module, "Plan",
      "What a request will do: `strategy`, `decisions`, `predicted_us` and "
      "`predicted_load_us` (microseconds), `resident_bytes`. Made by Session.plan(), run "
      "once by passing it to the session; it holds for the session's state then.")
      .def_prop_ro("strategy", field(&Plan::strategy))
      .def_prop_ro("decisions", decisions<Plan>)
      .def_prop_ro("predicted_us", field(&Plan::predicted_us))
      .def_prop_ro("predicted_load_us", field(&Plan::predicted_load_us))
      .def_prop_ro("resident_bytes", field(&Plan::resident_bytes));
}

}  // namespace changeaware::python
