// changeaware.Error: how a Status becomes a Python exception and back.
//
// The GIL must be held for all of these.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "changeaware/status.h"

namespace changeaware::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);

// Throws what Python sees as changeaware.Error with the code as attribute.
[[noreturn]] void raise(const Status& status);

inline void check(const Status& status) {
  if (!status.ok()) raise(status);
}

template <class T>
T take(Result<T> result) {
  if (!result.ok()) raise(result.status());
  return std::move(result).value();
}

// The code of a changeaware.Error and `fallback` for any other exception, with the exception's
// text: "ValueError: …".
Status status_of(nb::python_error& error, StatusCode fallback);

}  // namespace changeaware::python
