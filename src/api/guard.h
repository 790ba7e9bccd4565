// guard(): the wall between C and C++. Whatever a body does, the C function returns a code.
//
// Thread safety: that of the status, which the caller of the C function owns.
#pragma once

#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

#include "api/handles.h"
#include "changeaware/c_api.h"
#include "changeaware/status.h"

namespace changeaware::api {

// An argument that must not be NULL, and its name in messages.
struct Needed {
  const void* pointer;
  const char* name;
};

inline constexpr Needed kNothingElse{"", ""};

// InvalidArgument naming the first one that is NULL.
Status require(std::initializer_list<Needed> arguments);

// Each sets `out`, which may be null, and returns the code. None throws: where the message cannot
// be stored for want of memory, it is dropped.
ca_code set_status(ca_status* out, Status status) noexcept;
ca_code set_out_of_memory(ca_status* out) noexcept;
ca_code set_unexpected(ca_status* out, const char* what) noexcept;

// Runs `body`, which returns a Status, when nothing that it needs is NULL. std::bad_alloc is
// OverBudget, any other exception Internal.
template <class Body>
ca_code guard(ca_status* out, std::initializer_list<Needed> needed, Body&& body) noexcept {
  try {
    Status missing = require(needed);
    return set_status(out, missing.ok() ? body() : std::move(missing));
  } catch (const std::bad_alloc&) {
    return set_out_of_memory(out);
  } catch (const std::exception& error) {
    return set_unexpected(out, error.what());
  } catch (...) {
    return set_unexpected(out, "an exception of an unknown type");
  }
}

// The same for a body that returns Result<std::unique_ptr<Handle>>; null on failure. The handle is
// the caller's.
template <class Handle, class Body>
Handle* guard_handle(ca_status* out, std::initializer_list<Needed> needed, Body&& body) noexcept {
  std::unique_ptr<Handle> handle;
  guard(out, needed, [&]() -> Status {
    CA_ASSIGN_OR_RETURN(handle, body());
    return {};
  });
  return handle.release();
}

}  // namespace changeaware::api
