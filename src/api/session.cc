#include <chrono>

#include "api/guard.h"
#include "api/responses.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace {

// Longer than this is no limit: 31 years, which a time point can hold.
constexpr uint64_t kLongestTimeoutUs = 1'000'000'000'000'000;

// Calls `use` with the request as it is to run now.
template <class Use>
auto with_deadline(const ca_request& request, Use use) {
  if (request.timeout_us > kLongestTimeoutUs) return use(request.request);
  Request limited = request.request;
  limited.deadline = std::chrono::steady_clock::now() +
                     std::chrono::microseconds(static_cast<int64_t>(request.timeout_us));
  return use(limited);
}

Result<std::unique_ptr<ca_response>> answer(ca_session& session, const ca_request& request,
                                            const ca_plan* plan) {
  Result<Response> response = with_deadline(request, [&](const Request& r) {
    return plan == nullptr ? session.session->run(r) : session.session->run(r, plan->plan);
  });
  if (!response.ok()) return response.status();
  return make_response(std::move(*response), session.outputs);
}

}  // namespace

ca_session* ca_session_create(const ca_package* package, const ca_session_options* options,
                              ca_status* status) {
  return guard_handle<ca_session>(
      status, {{package, "package"}}, [&]() -> Result<std::unique_ptr<ca_session>> {
        auto out = std::make_unique<ca_session>();
        CA_ASSIGN_OR_RETURN(
            out->session, Session::create(package->package, options == nullptr ? SessionOptions{}
                                                                               : options->options));
        out->outputs = package->outputs;
        return out;
      });
}

void ca_session_free(ca_session* session) { delete session; }

ca_response* ca_session_run(ca_session* session, const ca_request* request, ca_status* status) {
  return guard_handle<ca_response>(status, {{session, "session"}, {request, "request"}},
                                   [&]() -> Result<std::unique_ptr<ca_response>> {
                                     return answer(*session, *request, nullptr);
                                   });
}

ca_response* ca_session_run_planned(ca_session* session, const ca_request* request,
                                    const ca_plan* plan, ca_status* status) {
  return guard_handle<ca_response>(
      status, {{session, "session"}, {request, "request"}, {plan, "plan"}},
      [&]() -> Result<std::unique_ptr<ca_response>> { return answer(*session, *request, plan); });
}

ca_plan* ca_session_plan(ca_session* session, const ca_request* request, ca_status* status) {
  return guard_handle<ca_plan>(status, {{session, "session"}, {request, "request"}},
                               [&]() -> Result<std::unique_ptr<ca_plan>> {
                                 auto out = std::make_unique<ca_plan>();
                                 CA_ASSIGN_OR_RETURN(out->plan,
                                                     with_deadline(*request, [&](const Request& r) {
                                                       return session->session->plan(r);
                                                     }));
                                 out->decisions = make_decisions(out->plan.decisions);
                                 return out;
                               });
}

ca_code ca_session_load(ca_session* session, ca_status* status) {
  return guard(status, {{session, "session"}},
               [&]() -> Status { return session->session->load(); });
}

ca_code ca_session_clear(ca_session* session, ca_status* status) {
  return guard(status, {{session, "session"}}, [&]() -> Status {
    session->session->clear();
    return {};
  });
}

ca_code ca_session_set_budgets(ca_session* session, uint64_t retained_budget_bytes,
                               uint64_t resident_budget_bytes, ca_status* status) {
  return guard(status, {{session, "session"}}, [&]() -> Status {
    session->session->set_budgets(retained_budget_bytes, resident_budget_bytes);
    return {};
  });
}

ca_stats* ca_session_stats(const ca_session* session, ca_status* status) {
  return guard_handle<ca_stats>(status, {{session, "session"}},
                                [&]() -> Result<std::unique_ptr<ca_stats>> {
                                  auto out = std::make_unique<ca_stats>();
                                  out->stats = session->session->stats();
                                  out->blobs_ignored.items = out->stats.blobs_ignored;
                                  return out;
                                });
}
