// The library's plain structs as Python values: dicts with the names of their fields.
#pragma once

#include <nanobind/nanobind.h>

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "changeaware/compiler.h"
#include "changeaware/doctor.h"
#include "changeaware/package.h"
#include "changeaware/session.h"

namespace changeaware::python {

namespace nb = nanobind;

// The dict that `mapping` is, or one with its entries.
nb::dict dict_of(nb::handle mapping);

// Text of a file need not be UTF-8: what is not is replaced.
nb::object to_value(std::string_view value);
inline nb::object to_value(const std::string& value) { return to_value(std::string_view(value)); }
inline nb::object to_value(bool value) { return nb::bool_(value); }
inline nb::object to_value(double value) { return nb::float_(value); }
template <std::integral T>
  requires(!std::same_as<T, bool>)
nb::object to_value(T value) {
  return nb::int_(value);
}

nb::object to_value(const Manifest& manifest);
nb::object to_value(const Rejection& rejection);
nb::object to_value(const CompileReport& report);
nb::object to_value(const VerifyReport& report);
nb::object to_value(const StrategyVerdict& verdict);
nb::object to_value(const SystemReport& report);
nb::object to_value(const SystemPart& part);
nb::object to_value(const ExactEngineReport& report);
nb::object to_value(const SessionStats& stats);
nb::object to_value(const RetainedEntry& entry);

template <class A, class B>
nb::object to_value(const std::pair<A, B>& pair) {
  return nb::make_tuple(to_value(pair.first), to_value(pair.second));
}

template <class T>
nb::object to_value(const std::vector<T>& items) {
  nb::list out;
  for (const T& item : items) out.append(to_value(item));
  return out;
}

template <class T>
nb::object to_value(const std::map<std::string, T>& items) {
  nb::dict out;
  for (const auto& [key, item] : items) out[to_value(key)] = to_value(item);
  return out;
}

}  // namespace changeaware::python
