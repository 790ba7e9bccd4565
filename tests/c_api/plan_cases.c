/* Plans, budgets, statistics, what is kept on disk. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test_support.h"

void a_plan_says_what_the_run_does(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  ca_response_free(run(session, request));
  fill_text(&v, 2);
  ca_plan* plan = ca_session_plan(session, request, status);
  CHECK_OK(status);
  CHECK(ca_plan_predicted_us(plan) > 0 && ca_plan_predicted_load_us(plan) == 0);
  CHECK(ca_plan_resident_bytes(plan) > 0);
  ca_response* response = ca_session_run_planned(session, request, plan, status);
  CHECK_OK(status);
  check_report(response, "segment_text " SEGMENT_TC " " SEGMENT_ITC,
               "segment_image segment_control");
  const ca_report* report = ca_response_report(response);
  CHECK(strcmp(ca_plan_strategy(plan), ca_report_strategy(report)) == 0);
  CHECK(ca_plan_decision_count(plan) == ca_report_decision_count(report));
  for (size_t i = 0; i < ca_plan_decision_count(plan); ++i) {
    const ca_decision* planned = ca_plan_decision(plan, i);
    const ca_decision* done = ca_report_decision(report, i);
    CHECK(strcmp(ca_decision_callable(planned), ca_decision_callable(done)) == 0);
    CHECK(ca_decision_outcome(planned) == ca_decision_outcome(done));
    CHECK(strcmp(ca_decision_reason(planned), ca_decision_reason(done)) == 0);
  }
  CHECK(ca_plan_decision(plan, ca_plan_decision_count(plan)) == NULL);
  ca_response_free(response);
  ca_plan_free(plan);
  ca_request_free(request);
  ca_session_free(session);
  ca_status_free(status);
}

static void check_stale(ca_session* session, const ca_request* request, const ca_plan* plan) {
  ca_status* status = ca_status_create();
  CHECK(plan != NULL);
  CHECK(ca_session_run_planned(session, request, plan, status) == NULL);
  CHECK_STATUS(status, CA_STALE_PLAN, "");
  ca_status_free(status);
}

void a_plan_goes_stale(void) {
  values v;
  ca_session* session = open_session();
  ca_session* other = open_session();
  ca_request* request = make_request(&v);
  ca_response_free(run(session, request));
  ca_response_free(run(other, request));
  ca_plan* plan = ca_session_plan(session, request, NULL);
  check_stale(other, request, plan);
  fill_control(&v, 2);
  check_stale(session, request, plan);
  fill_control(&v, 1);
  ca_response_free(ca_session_run_planned(session, request, plan, NULL)); /* good again */
  CHECK(ca_session_set_budgets(session, 1 << 20, UINT64_MAX, NULL) == CA_OK);
  check_stale(session, request, plan);
  ca_plan_free(plan);
  plan = ca_session_plan(session, request, NULL);
  CHECK(ca_session_clear(session, NULL) == CA_OK);
  check_stale(session, request, plan);
  ca_plan_free(plan);
  ca_request_free(request);
  ca_session_free(other);
  ca_session_free(session);
}

void retained_tensors_keep_to_their_budget(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_package* package = open_package();
  ca_session_options* options = make_session_options();
  CHECK(ca_session_options_set_retained_budget_bytes(options, 0, status) == CA_OK);
  ca_session* session = ca_session_create(package, options, status);
  ca_request* request = make_request(&v);
  ca_response_free(run(session, request));
  ca_response* response = run(session, request);
  CHECK(ca_strings_count(ca_report_reused(ca_response_report(response))) == 0);
  CHECK(ca_strings_count(ca_report_ran(ca_response_report(response))) > 0);
  ca_response_free(response);

  CHECK(ca_session_set_budgets(session, 1 << 20, UINT64_MAX, status) == CA_OK);
  ca_response_free(run(session, request));
  response = run(session, request);
  check_report(response, "", SEGMENT_TC " " SEGMENT_ITC);
  ca_response_free(response);
  ca_stats* stats = ca_session_stats(session, status);
  CHECK(ca_stats_get(stats, CA_STAT_RETAINED_BYTES) > 0);
  CHECK(ca_stats_get(stats, CA_STAT_RETAINED_BYTES_PEAK) <= 1 << 20);
  ca_stats_free(stats);
  ca_request_free(request);
  ca_session_free(session);
  ca_session_options_free(options);
  ca_package_free(package);
  ca_status_free(status);
}

void a_callable_beyond_the_resident_budget_is_refused(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_package* package = open_package();
  ca_session_options* options = make_session_options();
  CHECK(ca_session_options_set_resident_budget_bytes(options, 1, status) == CA_OK);
  ca_session* session = ca_session_create(package, options, status);
  ca_request* request = make_request(&v);
  CHECK(ca_session_run(session, request, status) == NULL);
  CHECK_STATUS(status, CA_OVER_BUDGET, "segment_");
  CHECK(ca_session_plan(session, request, status) == NULL);
  CHECK_STATUS(status, CA_OVER_BUDGET, "segment_");
  CHECK(ca_session_set_budgets(session, 1 << 20, UINT64_MAX, status) == CA_OK);
  ca_response* response = run(session, request);
  check_report(response, ALL_SEGMENTS, "");
  ca_response_free(response);
  ca_request_free(request);
  ca_session_free(session);
  ca_session_options_free(options);
  ca_package_free(package);
  ca_status_free(status);
}

void statistics_count_what_happened(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  CHECK(ca_session_load(session, status) == CA_OK);
  ca_stats* stats = ca_session_stats(session, status);
  CHECK(ca_stats_get(stats, CA_STAT_LOADS) == 5);
  CHECK(ca_stats_get(stats, CA_STAT_REQUESTS) == 0);
  CHECK(ca_stats_get(stats, CA_STAT_RESIDENT_BYTES) > 0);
  CHECK(ca_stats_callable_resident_bytes(stats, "segment_image") > 0);
  CHECK(ca_stats_callable_resident_bytes(stats, "main") == 0);
  ca_stats_free(stats);

  ca_request* request = make_request(&v);
  ca_response_free(run(session, request));
  ca_response_free(run(session, request));
  CHECK(ca_request_set_strategy(request, "half", status) == CA_OK);
  CHECK(ca_session_run(session, request, status) == NULL);
  stats = ca_session_stats(session, status);
  CHECK(ca_stats_get(stats, CA_STAT_REQUESTS) == 3 && ca_stats_get(stats, CA_STAT_FAILED) == 1);
  CHECK(ca_stats_get(stats, CA_STAT_HITS) > 0 && ca_stats_get(stats, CA_STAT_MISSES) > 0);
  CHECK(ca_stats_get(stats, CA_STAT_LOADS) == 5 && ca_stats_get(stats, CA_STAT_UNLOADS) == 0);
  CHECK(ca_stats_runs(stats, "segment_image") == 1 && ca_stats_runs(stats, "main") == 0);
  const size_t count = ca_stats_retained_count(stats);
  CHECK(count > 0 && count == ca_stats_get(stats, CA_STAT_RETAINED_ENTRIES));
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    CHECK(strstr(ca_stats_retained_callable(stats, i), "segment_") != NULL);
    CHECK(ca_stats_retained_uses(stats, i) > 0);
    sum += ca_stats_retained_bytes(stats, i);
  }
  CHECK(sum == ca_stats_get(stats, CA_STAT_RETAINED_BYTES));
  CHECK(ca_stats_get(stats, 1000) == 0 && ca_stats_get(stats, -1) == 0);
  CHECK(ca_strings_count(ca_stats_blobs_ignored(stats)) == 0);
  ca_stats_free(stats);

  CHECK(ca_session_clear(session, status) == CA_OK);
  stats = ca_session_stats(session, status);
  CHECK(ca_stats_get(stats, CA_STAT_RETAINED_BYTES) == 0);
  CHECK(ca_stats_retained_callable(stats, 0) == NULL);
  ca_stats_free(stats);
  ca_request_free(request);
  ca_session_free(session);
  ca_status_free(status);
}

/* Loads everything with a folder for compiled callables. */
static ca_stats* load_with_folder(const char* folder) {
  ca_status* status = ca_status_create();
  ca_package* package = open_package();
  ca_session_options* options = make_session_options();
  CHECK(ca_session_options_set_blob_folder(options, folder, status) == CA_OK);
  CHECK(ca_session_options_set_early_cutoff(options, false, status) == CA_OK);
  ca_session* session = ca_session_create(package, options, status);
  CHECK(ca_session_load(session, status) == CA_OK);
  ca_stats* stats = ca_session_stats(session, status);
  CHECK_OK(status);
  ca_session_free(session);
  ca_session_options_free(options);
  ca_package_free(package);
  ca_status_free(status);
  return stats;
}

void compiled_callables_are_kept_on_disk(void) {
  char* folder = path_in_work_folder("blobs");
  mkdir(folder, 0700);
  ca_stats* stats = load_with_folder(folder);
  CHECK(ca_stats_get(stats, CA_STAT_BLOBS_USED) + ca_stats_get(stats, CA_STAT_BLOBS_STORED) == 5);
  ca_stats_free(stats);
  stats = load_with_folder(folder);
  CHECK(ca_stats_get(stats, CA_STAT_BLOBS_USED) == 5);
  CHECK(ca_stats_get(stats, CA_STAT_BLOBS_STORED) == 0);
  ca_stats_free(stats);
  free(folder);
}
