#include "api/guard.h"
#include "api/tensor_argument.h"
#include "base/errors.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace {

// Runs `change` on the request, when there is one.
template <class Change>
ca_code set(ca_request* request, ca_status* status, Needed argument, Change change) {
  return guard(status, {{request, "request"}, argument},
               [&]() -> Status { return change(*request); });
}

void arm(ca_request& request) {
  request.stop = std::stop_source();
  request.request.stop = request.stop.get_token();
}

}  // namespace

ca_request* ca_request_create(ca_status* status) {
  return guard_handle<ca_request>(status, {}, []() -> Result<std::unique_ptr<ca_request>> {
    auto request = std::make_unique<ca_request>();
    arm(*request);
    return request;
  });
}

void ca_request_free(ca_request* request) { delete request; }

ca_code ca_request_set_input(ca_request* request, const char* name, ca_dtype dtype,
                             const int64_t* shape, size_t rank, const int64_t* strides,
                             const void* data, size_t bytes, ca_status* status) {
  return set(request, status, {name, "name"}, [&](ca_request& r) -> Status {
    CA_ASSIGN_OR_RETURN(Tensor tensor,
                        borrow_argument(name, {dtype, shape, rank, strides, data, bytes}));
    r.request.inputs[name] = std::move(tensor);
    return {};
  });
}

ca_code ca_request_remove_input(ca_request* request, const char* name, ca_status* status) {
  return set(request, status, {name, "name"}, [&](ca_request& r) -> Status {
    r.request.inputs.erase(name);
    r.request.versions.erase(name);
    return {};
  });
}

ca_code ca_request_set_version(ca_request* request, const char* name, const char* tag,
                               ca_status* status) {
  return set(request, status, {name, "name"}, [&](ca_request& r) -> Status {
    if (tag == nullptr) {
      r.request.versions.erase(name);
    } else {
      r.request.versions[name] = tag;
    }
    return {};
  });
}

ca_code ca_request_set_wanted(ca_request* request, const char* const* names, size_t count,
                              ca_status* status) {
  const Needed list{count == 0 ? "" : static_cast<const void*>(names), "names"};
  return set(request, status, list, [&](ca_request& r) -> Status {
    std::vector<std::string> want;
    for (size_t i = 0; i < count; ++i) {
      if (names[i] == nullptr) return invalid_argument("names[{}] is NULL", i);
      want.emplace_back(names[i]);
    }
    r.request.want = std::move(want);
    return {};
  });
}

ca_code ca_request_set_strategy(ca_request* request, const char* strategy, ca_status* status) {
  return set(request, status, kNothingElse, [&](ca_request& r) -> Status {
    r.request.strategy = strategy == nullptr ? "" : strategy;
    return {};
  });
}

ca_code ca_request_set_reuse(ca_request* request, bool reuse, ca_status* status) {
  return set(request, status, kNothingElse, [&](ca_request& r) -> Status {
    r.request.reuse = reuse;
    return {};
  });
}

ca_code ca_request_set_timeout_us(ca_request* request, uint64_t timeout_us, ca_status* status) {
  return set(request, status, kNothingElse, [&](ca_request& r) -> Status {
    r.timeout_us = timeout_us;
    return {};
  });
}

ca_code ca_request_cancel(ca_request* request, ca_status* status) {
  return set(request, status, kNothingElse, [](ca_request& r) -> Status {
    r.stop.request_stop();
    return {};
  });
}

ca_code ca_request_rearm(ca_request* request, ca_status* status) {
  return set(request, status, kNothingElse, [](ca_request& r) -> Status {
    arm(r);
    return {};
  });
}
