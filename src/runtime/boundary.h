// No exception leaves a session: what was thrown becomes a Status.
//
// Memory can run out in any allocation, also because the process has a limit of its own.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "base/errors.h"

namespace changeaware {

// Of the exception that is being handled. OverBudget where memory ran out, in a text so short that
// it takes none; Internal for any other.
inline Status status_of_exception() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return Status(StatusCode::kOverBudget, "out of memory");
    } catch (const std::exception& e) {
      return internal_error("{}", e.what());
    }
  } catch (const std::exception&) {
    return Status(StatusCode::kOverBudget, "out of memory");
  }
}

// What `body` gives, a Status or a Result.
template <class Body>
auto no_exceptions(Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception&) {
    return status_of_exception();
  }
}

}  // namespace changeaware
