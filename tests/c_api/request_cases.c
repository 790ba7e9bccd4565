/* Requests: what ran, and that the answers are right. */
#include <stdlib.h>
#include <string.h>

#include "test_support.h"

void a_changed_input_runs_what_depends_on_it(void) {
  values v;
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  ca_response* response = run(session, request);
  check_report(response, ALL_SEGMENTS, "");
  check_list(ca_report_changed(ca_response_report(response)), "image text control");
  ca_response_free(response);

  fill_image(&v, 2);
  response = run(session, request);
  check_report(response, "segment_image " SEGMENT_ITC, SEGMENT_TC);
  check_list(ca_report_changed(ca_response_report(response)), "image");
  ca_response_free(response);

  fill_control(&v, 2);
  response = run(session, request);
  check_report(response, "segment_control " SEGMENT_TC " " SEGMENT_ITC,
               "segment_image segment_text");
  ca_response_free(response);

  response = run(session, request);
  check_report(response, "", SEGMENT_TC " " SEGMENT_ITC);
  check_list(ca_report_changed(ca_response_report(response)), "");
  ca_response_free(response);
  ca_request_free(request);
  ca_session_free(session);
}

void an_incremental_answer_has_the_bits_of_a_full_run(void) {
  values v;
  ca_session* session = open_session();
  ca_session* other = open_session();
  ca_request* request = make_request(&v);
  void (*const change[])(values*, int) = {fill_image, fill_text, fill_control};
  ca_response_free(run(session, request));
  for (int step = 0; step < 6; ++step) {
    change[step % 3](&v, step + 2);
    ca_response* incremental = run(session, request);
    CHECK(ca_strings_count(ca_report_reused(ca_response_report(incremental))) > 0);
    CHECK(ca_request_set_reuse(request, false, NULL) == CA_OK);
    ca_response* full = run(other, request);
    check_report(full, ALL_SEGMENTS, "");
    check_same_outputs(incremental, full);
    CHECK(ca_request_set_reuse(request, true, NULL) == CA_OK);
    ca_response_free(full);
    ca_response_free(incremental);
  }
  ca_request_free(request);
  ca_session_free(other);
  ca_session_free(session);
}

void another_layout_is_the_same_value(void) {
  values v;
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  ca_response* dense = run(session, request);
  /* The same image, channels last. */
  static float pixels[96 * 96 * 3];
  for (size_t c = 0; c < 3; ++c) {
    for (size_t p = 0; p < 96 * 96; ++p) pixels[p * 3 + c] = v.image[c * 96 * 96 + p];
  }
  const int64_t shape[] = {1, 3, 96, 96};
  const int64_t strides[] = {27648, 1, 288, 3};
  CHECK(ca_request_set_input(request, "image", CA_FLOAT32, shape, 4, strides, pixels,
                             sizeof(pixels), NULL) == CA_OK);
  ca_response* last = run(session, request);
  check_report(last, "", SEGMENT_TC " " SEGMENT_ITC);
  check_same_outputs(dense, last);
  ca_response_free(last);
  CHECK(ca_session_clear(session, NULL) == CA_OK);
  last = run(session, request);
  check_report(last, ALL_SEGMENTS, "");
  check_same_outputs(dense, last);
  ca_response_free(last);
  ca_response_free(dense);
  ca_request_free(request);
  ca_session_free(session);
}

void only_wanted_outputs_are_computed(void) {
  values v;
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  ca_response* all = run(session, request);
  CHECK(ca_session_clear(session, NULL) == CA_OK);
  const char* const names[] = {"confidence"};
  CHECK(ca_request_set_wanted(request, names, 1, NULL) == CA_OK);
  CHECK(ca_request_remove_input(request, "image", NULL) == CA_OK); /* it is not needed */
  ca_response* one = run(session, request);
  check_report(one, "segment_text segment_control " SEGMENT_TC, "");
  CHECK(ca_response_output_count(one) == 1);
  const ca_output* wanted = ca_response_output(one, 0);
  CHECK(strcmp(ca_output_name(wanted), "confidence") == 0);
  const ca_output* before = ca_response_find_output(all, "confidence");
  CHECK(memcmp(ca_output_data(wanted), ca_output_data(before), sizeof(float)) == 0);
  ca_response_free(one);

  ca_status* status = ca_status_create();
  CHECK(ca_request_set_wanted(request, NULL, 0, status) == CA_OK); /* all again */
  CHECK(ca_session_run(session, request, status) == NULL);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "image");
  ca_status_free(status);
  ca_response_free(all);
  ca_request_free(request);
  ca_session_free(session);
}

void a_version_tag_is_believed_or_checked(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  CHECK(ca_request_set_version(request, "image", "frame 1", status) == CA_OK);
  ca_response_free(run(session, request));
  fill_image(&v, 2); /* the tag says that nothing changed */
  ca_response* response = run(session, request);
  check_report(response, "", SEGMENT_TC " " SEGMENT_ITC);
  ca_response_free(response);
  CHECK(ca_request_set_version(request, "image", "frame 2", status) == CA_OK);
  response = run(session, request);
  check_report(response, "segment_image " SEGMENT_ITC, SEGMENT_TC);
  ca_response_free(response);

  ca_package* package = open_package();
  ca_session_options* options = make_session_options();
  CHECK(ca_session_options_set_check_versions(options, true, status) == CA_OK);
  ca_session* checking = ca_session_create(package, options, status);
  ca_response_free(run(checking, request));
  fill_image(&v, 3);
  CHECK(ca_session_run(checking, request, status) == NULL);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "image");
  CHECK(ca_request_set_version(request, "image", NULL, status) == CA_OK); /* by its bytes again */
  ca_response_free(run(checking, request));
  ca_session_free(checking);
  ca_session_options_free(options);
  ca_package_free(package);
  ca_request_free(request);
  ca_session_free(session);
  ca_status_free(status);
}

void a_strategy_can_be_forced(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  CHECK(ca_request_set_strategy(request, "monolithic", status) == CA_OK);
  ca_response* response = run(session, request);
  check_report(response, "main", "");
  CHECK(strcmp(ca_report_strategy(ca_response_report(response)), "monolithic") == 0);
  ca_response_free(response);
  CHECK(ca_request_set_strategy(request, "half", status) == CA_OK);
  CHECK(ca_session_run(session, request, status) == NULL);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "half");
  CHECK(ca_request_set_strategy(request, NULL, status) == CA_OK);
  response = run(session, request);
  check_report(response, ALL_SEGMENTS, "");
  ca_response_free(response);
  ca_request_free(request);
  ca_session_free(session);
  ca_status_free(status);
}

void every_decision_says_why(void) {
  values v;
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  ca_response_free(run(session, request));
  fill_image(&v, 2);
  ca_response* response = run(session, request);
  const ca_report* report = ca_response_report(response);
  CHECK(ca_report_decision_count(report) == 5);
  const ca_decision* image = ca_report_decision(report, 0);
  CHECK(strcmp(ca_decision_callable(image), "segment_image") == 0);
  CHECK(ca_decision_outcome(image) == CA_RAN);
  CHECK(ca_decision_cause(image) == CA_INPUT_CHANGED);
  CHECK(strstr(ca_decision_reason(image), "image changed") != NULL);
  CHECK(ca_decision_retained(image));
  CHECK(strcmp(ca_decision_not_retained_why(image), "") == 0);
  const ca_decision* text = ca_report_decision(report, 1);
  CHECK(ca_decision_outcome(text) == CA_NOT_NEEDED && ca_decision_cause(text) == CA_NOT_DEMANDED);
  const ca_decision* both = ca_report_decision(report, 3);
  CHECK(ca_decision_outcome(both) == CA_REUSED && ca_decision_cause(both) == CA_RETAINED);
  CHECK(ca_report_decision(report, 5) == NULL);
  CHECK(ca_report_engine_us(report) > 0);
  CHECK(ca_report_total_us(report) >= ca_report_engine_us(report));
  CHECK(ca_report_fingerprint_us(report) > 0 && ca_report_plan_us(report) > 0);
  CHECK(ca_report_predicted_us(report) > 0);
  CHECK(ca_report_copied_input_bytes(report) == 0);
  ca_response_free(response);
  ca_request_free(request);
  ca_session_free(session);
}

void outputs_fill_buffers_of_the_caller(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  ca_response* response = run(session, request);
  const ca_output* heatmap = ca_response_find_output(response, "heatmap");
  CHECK(heatmap == ca_response_output(response, 1));
  CHECK(ca_output_kind(heatmap) == CA_TENSOR && ca_output_dtype(heatmap) == CA_FLOAT32);
  CHECK(ca_output_rank(heatmap) == 3 && ca_output_shape(heatmap)[2] == 12);
  CHECK(strcmp(ca_output_text(heatmap), "") == 0);
  float buffer[145];
  buffer[144] = -1;
  const size_t bytes = 144 * sizeof(float);
  CHECK(ca_output_bytes(heatmap) == bytes);
  CHECK(ca_output_copy(heatmap, buffer, bytes - 1, status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "heatmap");
  CHECK(ca_output_copy(heatmap, buffer, sizeof(buffer), status) == CA_OK);
  CHECK(memcmp(buffer, ca_output_data(heatmap), bytes) == 0);
  CHECK(buffer[144] == -1); /* not written past the output */
  CHECK(ca_output_copy(heatmap, NULL, bytes, status) == CA_INVALID_ARGUMENT);
  CHECK(ca_response_output(response, 3) == NULL);
  CHECK(ca_response_find_output(response, "mask") == NULL);
  ca_response_free(response);
  ca_request_free(request);
  ca_session_free(session);
  ca_status_free(status);
}

void handles_are_freed_in_any_order(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_package* package = open_package();
  ca_session_options* options = make_session_options();
  ca_session* session = ca_session_create(package, options, status);
  ca_package_free(package);
  ca_session_options_free(options);
  ca_request* request = make_request(&v);
  ca_plan* plan = ca_session_plan(session, request, status);
  ca_response* response = run(session, request);
  ca_stats* stats = ca_session_stats(session, status);
  CHECK_OK(status);
  ca_session_free(session);
  ca_request_free(request);
  memset(&v, 0, sizeof(v)); /* nothing borrows it any more */
  check_report(response, ALL_SEGMENTS, "");
  CHECK(((const float*)ca_output_data(ca_response_output(response, 1)))[0] != 0);
  CHECK(ca_plan_decision_count(plan) == 5);
  CHECK(ca_stats_get(stats, CA_STAT_REQUESTS) == 1);
  ca_stats_free(stats);
  ca_response_free(response);
  ca_plan_free(plan);
  ca_status_free(status);
}
