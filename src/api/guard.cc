#include "api/guard.h"

#include "base/errors.h"

namespace changeaware::api {

Status require(std::initializer_list<Needed> arguments) {
  for (const Needed& argument : arguments) {
    if (argument.pointer == nullptr) return invalid_argument("{} is NULL", argument.name);
  }
  return {};
}

ca_code set_status(ca_status* out, Status status) noexcept {
  const auto code = static_cast<ca_code>(status.code());
  if (out != nullptr) {
    out->status = std::move(status);
    out->out_of_memory = false;
  }
  return code;
}

ca_code set_out_of_memory(ca_status* out) noexcept {
  if (out != nullptr) {
    out->status = {};
    out->out_of_memory = true;
  }
  return CA_OVER_BUDGET;
}

ca_code set_unexpected(ca_status* out, const char* what) noexcept {
  try {
    return set_status(out, internal_error("unexpected: {}", what));
  } catch (...) {
    set_out_of_memory(out);
    return ca_status_code(out);
  }
}

}  // namespace changeaware::api
