#include "api/guard.h"
#include "base/errors.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace {

// Runs `change` on the options inside, when there are any.
template <class Change>
ca_code set(ca_session_options* options, ca_status* status, Needed argument, Change change) {
  return guard(status, {{options, "options"}, argument},
               [&]() -> Status { return change(options->options); });
}

}  // namespace

ca_session_options* ca_session_options_create(ca_status* status) {
  return guard_handle<ca_session_options>(status, {},
                                          []() -> Result<std::unique_ptr<ca_session_options>> {
                                            return std::make_unique<ca_session_options>();
                                          });
}

void ca_session_options_free(ca_session_options* options) { delete options; }

ca_code ca_session_options_set_threads(ca_session_options* options, int32_t threads,
                                       ca_status* status) {
  return set(options, status, kNothingElse, [&](SessionOptions& o) -> Status {
    if (threads < 0) return invalid_argument("{} threads", threads);
    o.threads = threads;
    return {};
  });
}

ca_code ca_session_options_set_retained_budget_bytes(ca_session_options* options, uint64_t bytes,
                                                     ca_status* status) {
  return set(options, status, kNothingElse, [&](SessionOptions& o) -> Status {
    o.retained_budget_bytes = bytes;
    return {};
  });
}

ca_code ca_session_options_set_resident_budget_bytes(ca_session_options* options, uint64_t bytes,
                                                     ca_status* status) {
  return set(options, status, kNothingElse, [&](SessionOptions& o) -> Status {
    o.resident_budget_bytes = bytes;
    return {};
  });
}

ca_code ca_session_options_set_blob_folder(ca_session_options* options, const char* folder,
                                           ca_status* status) {
  return set(options, status, {folder, "folder"}, [&](SessionOptions& o) -> Status {
    o.blob_folder = folder;
    return {};
  });
}

ca_code ca_session_options_set_check_versions(ca_session_options* options, bool check,
                                              ca_status* status) {
  return set(options, status, kNothingElse, [&](SessionOptions& o) -> Status {
    o.check_versions = check;
    return {};
  });
}

ca_code ca_session_options_set_early_cutoff(ca_session_options* options, bool on,
                                            ca_status* status) {
  return set(options, status, kNothingElse, [&](SessionOptions& o) -> Status {
    o.early_cutoff = on;
    return {};
  });
}

ca_code ca_session_options_set_torch_folder(ca_session_options* options, const char* folder,
                                            ca_status* status) {
  return set(options, status, {folder, "folder"}, [&](SessionOptions& o) -> Status {
    o.exact_engine.torch_folder = folder;
    return {};
  });
}

ca_code ca_session_options_add_op_library(ca_session_options* options, const char* path,
                                          ca_status* status) {
  return set(options, status, {path, "path"}, [&](SessionOptions& o) -> Status {
    o.exact_engine.op_libraries.emplace_back(path);
    return {};
  });
}
