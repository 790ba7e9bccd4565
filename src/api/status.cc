#include <new>

#include "api/handles.h"
#include "changeaware/c_api.h"
#include "changeaware/status.h"

using changeaware::StatusCode;

uint32_t ca_abi_version(void) { return CA_ABI_VERSION; }

const char* ca_version(void) { return CHANGEAWARE_VERSION; }

const char* ca_code_name(ca_code code) {
  if (code < CA_OK || code > CA_INTERNAL) return "Unknown";
  return changeaware::status_code_name(static_cast<StatusCode>(code)).data();
}

ca_status* ca_status_create(void) { return new (std::nothrow) ca_status; }

void ca_status_free(ca_status* status) { delete status; }

ca_code ca_status_code(const ca_status* status) {
  if (status == nullptr) return CA_INVALID_ARGUMENT;
  if (status->out_of_memory) return CA_OVER_BUDGET;
  return static_cast<ca_code>(status->status.code());
}

const char* ca_status_message(const ca_status* status) {
  if (status == nullptr) return nullptr;
  return status->out_of_memory ? "memory has run out" : status->status.message().c_str();
}
