/* NULL in every place: an error or nothing, never a crash. */
#include <string.h>

#include "test_support.h"

/* The call was refused for a NULL that it names. */
#define CHECK_REFUSED(call, name)                               \
  do {                                                          \
    CHECK((call) == CA_INVALID_ARGUMENT);                       \
    CHECK_STATUS(status, CA_INVALID_ARGUMENT, name " is NULL"); \
  } while (0)
#define CHECK_NO_HANDLE(call, name)                             \
  do {                                                          \
    CHECK((call) == NULL);                                      \
    CHECK_STATUS(status, CA_INVALID_ARGUMENT, name " is NULL"); \
  } while (0)

static const int64_t one[] = {1};
static const float datum = 0;

static void options_are_null(ca_status* status) {
  CHECK_REFUSED(ca_compile_options_set_threads(NULL, 1, status), "options");
  CHECK_REFUSED(ca_compile_options_set_exact_numerics(NULL, true, status), "options");
  CHECK_REFUSED(ca_compile_options_set_measured_costs(NULL, true, status), "options");
  CHECK_REFUSED(ca_compile_options_set_retained_budget_bytes(NULL, 1, status), "options");
  CHECK_REFUSED(ca_compile_options_set_max_strategies(NULL, 1, status), "options");
  CHECK_REFUSED(ca_compile_options_set_tolerance(NULL, 0, 0, 0, status), "options");
  CHECK_REFUSED(ca_compile_options_set_oracle_tolerance(NULL, 0, 0, 0, status), "options");
  CHECK_REFUSED(
      ca_compile_options_set_example(NULL, "a", CA_FLOAT32, one, 1, NULL, &datum, 4, status),
      "options");
  CHECK_REFUSED(
      ca_compile_options_set_reference(NULL, "a", CA_FLOAT32, one, 1, NULL, &datum, 4, status),
      "options");
  CHECK_REFUSED(ca_compile_options_set_torch_folder(NULL, "a", status), "options");
  CHECK_REFUSED(ca_compile_options_add_op_library(NULL, "a", status), "options");
  CHECK_REFUSED(ca_compile_options_set_progress(NULL, NULL, NULL, status), "options");
  CHECK_REFUSED(ca_session_options_set_threads(NULL, 1, status), "options");
  CHECK_REFUSED(ca_session_options_set_retained_budget_bytes(NULL, 1, status), "options");
  CHECK_REFUSED(ca_session_options_set_resident_budget_bytes(NULL, 1, status), "options");
  CHECK_REFUSED(ca_session_options_set_blob_folder(NULL, "a", status), "options");
  CHECK_REFUSED(ca_session_options_set_check_versions(NULL, true, status), "options");
  CHECK_REFUSED(ca_session_options_set_early_cutoff(NULL, true, status), "options");
  CHECK_REFUSED(ca_session_options_set_torch_folder(NULL, "a", status), "options");
  CHECK_REFUSED(ca_session_options_add_op_library(NULL, "a", status), "options");
}

static void arguments_of_options_are_null(ca_status* status) {
  ca_compile_options* compile = ca_compile_options_create(status);
  CHECK_REFUSED(
      ca_compile_options_set_example(compile, NULL, CA_FLOAT32, one, 1, NULL, &datum, 4, status),
      "name");
  CHECK_REFUSED(
      ca_compile_options_set_example(compile, "a", CA_FLOAT32, NULL, 1, NULL, &datum, 4, status),
      "'a': shape");
  CHECK_REFUSED(
      ca_compile_options_set_reference(compile, "a", CA_FLOAT32, one, 1, NULL, NULL, 4, status),
      "'a': data");
  CHECK_REFUSED(ca_compile_options_set_torch_folder(compile, NULL, status), "folder");
  CHECK_REFUSED(ca_compile_options_add_op_library(compile, NULL, status), "path");
  CHECK(ca_compile_options_set_progress(compile, NULL, NULL, status) == CA_OK);
  ca_compile_options_free(compile);
  ca_session_options* session = ca_session_options_create(status);
  CHECK_REFUSED(ca_session_options_set_blob_folder(session, NULL, status), "folder");
  CHECK_REFUSED(ca_session_options_set_torch_folder(session, NULL, status), "folder");
  CHECK_REFUSED(ca_session_options_add_op_library(session, NULL, status), "path");
  ca_session_options_free(session);
}

static void requests_are_null(ca_status* status) {
  const char* const names[] = {"a", NULL};
  CHECK_REFUSED(ca_request_set_input(NULL, "a", CA_FLOAT32, one, 1, NULL, &datum, 4, status),
                "request");
  CHECK_REFUSED(ca_request_remove_input(NULL, "a", status), "request");
  CHECK_REFUSED(ca_request_set_version(NULL, "a", "1", status), "request");
  CHECK_REFUSED(ca_request_set_wanted(NULL, names, 1, status), "request");
  CHECK_REFUSED(ca_request_set_strategy(NULL, "a", status), "request");
  CHECK_REFUSED(ca_request_set_reuse(NULL, true, status), "request");
  CHECK_REFUSED(ca_request_set_timeout_us(NULL, 1, status), "request");
  CHECK_REFUSED(ca_request_cancel(NULL, status), "request");
  CHECK_REFUSED(ca_request_rearm(NULL, status), "request");
  ca_request* request = ca_request_create(status);
  CHECK_REFUSED(ca_request_set_input(request, NULL, CA_FLOAT32, one, 1, NULL, &datum, 4, status),
                "name");
  CHECK_REFUSED(ca_request_set_input(request, "a", CA_FLOAT32, NULL, 1, NULL, &datum, 4, status),
                "'a': shape");
  CHECK_REFUSED(ca_request_set_input(request, "a", CA_FLOAT32, one, 1, NULL, NULL, 4, status),
                "'a': data");
  CHECK_REFUSED(ca_request_remove_input(request, NULL, status), "name");
  CHECK_REFUSED(ca_request_set_version(request, NULL, "1", status), "name");
  CHECK_REFUSED(ca_request_set_wanted(request, NULL, 1, status), "names");
  CHECK_REFUSED(ca_request_set_wanted(request, names, 2, status), "names[1]");
  ca_request_free(request);
}

static void sessions_are_null(ca_status* status) {
  values v;
  ca_request* request = make_request(&v);
  ca_session* session = open_session();
  CHECK_REFUSED(ca_compile(NULL, "a", NULL, NULL, status), "model_path");
  CHECK_REFUSED(ca_compile("a", NULL, NULL, NULL, status), "package_path");
  CHECK_NO_HANDLE(ca_verify(NULL, NULL, status), "package_path");
  CHECK_NO_HANDLE(ca_package_open(NULL, status), "path");
  CHECK_NO_HANDLE(ca_session_create(NULL, NULL, status), "package");
  CHECK_NO_HANDLE(ca_session_run(NULL, request, status), "session");
  CHECK_NO_HANDLE(ca_session_run(session, NULL, status), "request");
  CHECK_NO_HANDLE(ca_session_plan(NULL, request, status), "session");
  CHECK_NO_HANDLE(ca_session_plan(session, NULL, status), "request");
  CHECK_NO_HANDLE(ca_session_run_planned(NULL, request, NULL, status), "session");
  CHECK_NO_HANDLE(ca_session_run_planned(session, NULL, NULL, status), "request");
  CHECK_NO_HANDLE(ca_session_run_planned(session, request, NULL, status), "plan");
  CHECK_REFUSED(ca_session_load(NULL, status), "session");
  CHECK_REFUSED(ca_session_clear(NULL, status), "session");
  CHECK_REFUSED(ca_session_set_budgets(NULL, 1, 1, status), "session");
  CHECK_NO_HANDLE(ca_session_stats(NULL, status), "session");
  CHECK_REFUSED(ca_output_copy(NULL, &v, sizeof(v), status), "output");
  CHECK(ca_session_run(NULL, NULL, NULL) == NULL); /* nor is a status needed */
  CHECK(ca_session_clear(NULL, NULL) == CA_INVALID_ARGUMENT);
  ca_session_free(session);
  ca_request_free(request);
}

void null_is_an_invalid_argument(void) {
  ca_status* status = ca_status_create();
  options_are_null(status);
  arguments_of_options_are_null(status);
  requests_are_null(status);
  sessions_are_null(status);
  ca_status_free(status);
}

static void free_nothing(void) {
  ca_status_free(NULL);
  ca_compile_options_free(NULL);
  ca_compile_report_free(NULL);
  ca_verify_report_free(NULL);
  ca_package_free(NULL);
  ca_request_free(NULL);
  ca_session_options_free(NULL);
  ca_session_free(NULL);
  ca_plan_free(NULL);
  ca_response_free(NULL);
  ca_stats_free(NULL);
}

static void packages_of_nothing(void) {
  CHECK(ca_package_path(NULL) == NULL && ca_package_engine_name(NULL) == NULL);
  CHECK(ca_package_format_major(NULL) == -1 && ca_package_format_minor(NULL) == -1);
  CHECK(ca_package_engine_version(NULL) == NULL && ca_package_torch_version(NULL) == NULL);
  CHECK(ca_package_in_spec(NULL) == NULL && ca_package_out_spec(NULL) == NULL);
  CHECK(!ca_package_exact_numerics(NULL) && !ca_package_verified(NULL));
  CHECK(ca_package_input_count(NULL) == 0 && ca_package_input(NULL, 0) == NULL);
  CHECK(ca_package_output_count(NULL) == 0 && ca_package_output(NULL, 0) == NULL);
  CHECK(ca_port_name(NULL) == NULL && ca_port_kind(NULL) == -1);
  CHECK(ca_port_dtype(NULL) == CA_NO_DTYPE && ca_port_rank(NULL) == 0);
  CHECK(ca_port_shape(NULL) == NULL && ca_port_dimension(NULL, 0) == NULL);
  CHECK(ca_port_fixed_value(NULL) == NULL);
  CHECK(ca_package_callable_count(NULL) == 0 && ca_package_callable(NULL, 0) == NULL);
  CHECK(ca_callable_name(NULL) == NULL && ca_callable_identity(NULL) == NULL);
  CHECK(ca_callable_dependencies(NULL) == NULL && ca_callable_shape_dependencies(NULL) == NULL);
  CHECK(ca_callable_weight_bytes(NULL) == 0 && ca_callable_resident_bytes(NULL) == 0);
  CHECK(ca_callable_steady_us(NULL) == 0 && ca_callable_load_us(NULL) == 0);
  CHECK(ca_package_strategy_count(NULL) == 0 && ca_package_strategy(NULL, 0) == NULL);
  CHECK(ca_strategy_name(NULL) == NULL && ca_strategy_callables(NULL) == NULL);
  CHECK(ca_strategy_retained_bytes(NULL) == 0 && ca_strategy_resident_bytes(NULL) == 0);
  CHECK(ca_compile_report_callables(NULL) == NULL && ca_compile_report_strategies(NULL) == NULL);
  CHECK(ca_compile_report_rejections(NULL) == NULL && ca_compile_report_exact_nodes(NULL) == NULL);
  CHECK(ca_compile_report_nodes_read(NULL) == 0 && ca_compile_report_nodes_kept(NULL) == 0);
  CHECK(!ca_compile_report_verified(NULL) && !ca_compile_report_compared_with_exact(NULL));
  CHECK(!ca_verify_report_equal(NULL) && ca_verify_report_strategy_count(NULL) == 0);
  CHECK(ca_verify_report_strategy(NULL, 0) == NULL && !ca_verify_report_strategy_equal(NULL, 0));
  CHECK(ca_verify_report_difference(NULL, 0) == NULL);
}

static void answers_of_nothing(void) {
  CHECK(ca_decision_callable(NULL) == NULL && ca_decision_outcome(NULL) == -1);
  CHECK(ca_decision_cause(NULL) == -1 && ca_decision_reason(NULL) == NULL);
  CHECK(!ca_decision_retained(NULL) && ca_decision_not_retained_why(NULL) == NULL);
  CHECK(ca_plan_strategy(NULL) == NULL && ca_plan_decision_count(NULL) == 0);
  CHECK(ca_plan_decision(NULL, 0) == NULL && ca_plan_predicted_us(NULL) == 0);
  CHECK(ca_plan_predicted_load_us(NULL) == 0 && ca_plan_resident_bytes(NULL) == 0);
  CHECK(ca_response_output_count(NULL) == 0 && ca_response_output(NULL, 0) == NULL);
  CHECK(ca_response_find_output(NULL, "a") == NULL && ca_response_report(NULL) == NULL);
  CHECK(ca_output_name(NULL) == NULL && ca_output_kind(NULL) == -1);
  CHECK(ca_output_dtype(NULL) == CA_NO_DTYPE && ca_output_rank(NULL) == 0);
  CHECK(ca_output_shape(NULL) == NULL && ca_output_data(NULL) == NULL);
  CHECK(ca_output_bytes(NULL) == 0 && ca_output_text(NULL) == NULL);
  CHECK(ca_report_changed(NULL) == NULL && ca_report_strategy(NULL) == NULL);
  CHECK(ca_report_ran(NULL) == NULL && ca_report_reused(NULL) == NULL);
  CHECK(ca_report_decision_count(NULL) == 0 && ca_report_decision(NULL, 0) == NULL);
  CHECK(ca_report_copied_input_bytes(NULL) == 0 && ca_report_predicted_us(NULL) == 0);
  CHECK(ca_report_fingerprint_us(NULL) == 0 && ca_report_plan_us(NULL) == 0);
  CHECK(ca_report_engine_us(NULL) == 0 && ca_report_total_us(NULL) == 0);
  CHECK(ca_stats_get(NULL, CA_STAT_HITS) == 0 && ca_stats_runs(NULL, "main") == 0);
  CHECK(ca_stats_callable_resident_bytes(NULL, "main") == 0);
  CHECK(ca_stats_blobs_ignored(NULL) == NULL && ca_stats_retained_count(NULL) == 0);
  CHECK(ca_stats_retained_callable(NULL, 0) == NULL && ca_stats_retained_bytes(NULL, 0) == 0);
  CHECK(ca_stats_retained_uses(NULL, 0) == 0);
}

void accessors_of_null_give_nothing(void) {
  free_nothing();
  packages_of_nothing();
  answers_of_nothing();
  CHECK(ca_status_code(NULL) == CA_INVALID_ARGUMENT && ca_status_message(NULL) == NULL);
  CHECK(ca_strings_count(NULL) == 0 && ca_strings_at(NULL, 0) == NULL);
  CHECK(!ca_strings_contain(NULL, "a"));
  CHECK(strcmp(ca_dtype_name(99), "none") == 0 && ca_dtype_bytes(99) == 0);
  CHECK(strcmp(ca_code_name(99), "Unknown") == 0);
  ca_session* session = open_session();
  ca_stats* stats = ca_session_stats(session, NULL);
  CHECK(ca_stats_runs(stats, NULL) == 0 && ca_stats_callable_resident_bytes(stats, NULL) == 0);
  CHECK(!ca_strings_contain(ca_stats_blobs_ignored(stats), NULL));
  ca_stats_free(stats);
  ca_session_free(session);
}
