/* Compiling, verifying, and what a package says of itself. */
#include <stdlib.h>
#include <string.h>

#include "test_support.h"

typedef struct {
  size_t calls;
  double last;
  bool in_order;
  bool has_stages;
} progress_seen;

static void note_progress(const char* stage, double fraction, void* user) {
  progress_seen* seen = user;
  ++seen->calls;
  seen->last = fraction;
  seen->in_order = seen->in_order && fraction >= 0 && fraction <= 1;
  seen->has_stages = seen->has_stages && stage[0] != '\0';
}

static ca_compile_options* make_options(void) {
  ca_compile_options* options = ca_compile_options_create(NULL);
  CHECK(options != NULL);
  CHECK(ca_compile_options_set_measured_costs(options, false, NULL) == CA_OK);
  CHECK(ca_compile_options_set_threads(options, 2, NULL) == CA_OK);
  return options;
}

void compiling_writes_a_package_and_reports(void) {
  ca_status* status = ca_status_create();
  ca_compile_options* options = make_options();
  progress_seen seen = {0, 0, true, true};
  CHECK(ca_compile_options_set_progress(options, note_progress, &seen, status) == CA_OK);
  ca_compile_report* report = NULL;
  CHECK(ca_compile(model_path, package_path, options, &report, status) == CA_OK);
  CHECK_OK(status);
  CHECK(seen.calls > 1 && seen.in_order && seen.has_stages);
  check_list(ca_compile_report_callables(report), "main " ALL_SEGMENTS);
  const ca_strings* strategies = ca_compile_report_strategies(report);
  CHECK(strcmp(ca_strings_at(strategies, 0), "monolithic") == 0);
  CHECK(ca_strings_contain(strategies, "full_retention"));
  CHECK(!ca_strings_contain(strategies, "full"));
  CHECK(ca_compile_report_nodes_read(report) > 100);
  CHECK(ca_compile_report_nodes_kept(report) > 100);
  CHECK(ca_compile_report_verified(report));
  CHECK(ca_strings_count(ca_compile_report_rejections(report)) > 0);
  CHECK(strstr(ca_strings_at(ca_compile_report_rejections(report), 0), ": ") != NULL);
  CHECK(ca_strings_count(ca_compile_report_exact_nodes(report)) == 0);
  ca_compile_report_free(report);
  ca_compile_options_free(options);
  ca_status_free(status);
}

void a_byte_reproducible_package_is_the_same_twice(void) {
  ca_compile_options* options = make_options();
  char* path = path_in_work_folder("again.ca.pt2");
  CHECK(ca_compile(model_path, path, options, NULL, NULL) == CA_OK);
  size_t bytes[2];
  unsigned char* files[2] = {read_file(package_path, &bytes[0]), read_file(path, &bytes[1])};
  CHECK(bytes[0] == bytes[1] && memcmp(files[0], files[1], bytes[0]) == 0);
  free(files[0]);
  free(files[1]);
  free(path);
  ca_compile_options_free(options);
}

void compiling_takes_examples_and_budgets(void) {
  ca_status* status = ca_status_create();
  ca_compile_options* options = make_options();
  values v;
  fill_image(&v, 5);
  const int64_t shape[] = {1, 3, 96, 96};
  CHECK(ca_compile_options_set_example(options, "image", CA_FLOAT32, shape, 4, NULL, v.image,
                                       sizeof(v.image), status) == CA_OK);
  CHECK(ca_compile_options_set_retained_budget_bytes(options, 1000, status) == CA_OK);
  CHECK(ca_compile_options_set_max_strategies(options, 3, status) == CA_OK);
  CHECK(ca_compile_options_set_exact_numerics(options, false, status) == CA_OK);
  CHECK(ca_compile_options_set_tolerance(options, 0, 0, 1e-3, status) == CA_OK);
  CHECK(ca_compile_options_set_oracle_tolerance(options, 1e-3, 1e-3, 1e-3, status) == CA_OK);
  char* path = path_in_work_folder("small.ca.pt2");
  ca_compile_report* report = NULL;
  CHECK(ca_compile(model_path, path, options, &report, status) == CA_OK);
  CHECK(ca_compile_report_verified(report));
  ca_package* package = ca_package_open(path, status);
  const size_t count = ca_package_strategy_count(package);
  CHECK(count >= 2 && count <= 3);
  for (size_t i = 0; i < count; ++i) {
    CHECK(ca_strategy_retained_bytes(ca_package_strategy(package, i)) <= 1000);
  }
  ca_package_free(package);
  free(path);
  ca_compile_report_free(report);
  ca_compile_options_free(options);
  ca_status_free(status);
}

void a_reference_that_differs_is_refused_by_name(void) {
  ca_status* status = ca_status_create();
  ca_compile_options* options = make_options();
  const float confidence = 7;
  const int64_t shape[] = {1};
  CHECK(ca_compile_options_set_reference(options, "confidence", CA_FLOAT32, shape, 1, NULL,
                                         &confidence, sizeof(confidence), status) == CA_OK);
  char* path = path_in_work_folder("differs.ca.pt2");
  ca_compile_report* report = (ca_compile_report*)path; /* must be set to NULL */
  CHECK(ca_compile(model_path, path, options, &report, status) != CA_OK);
  CHECK(report == NULL);
  CHECK_STATUS(status, ca_status_code(status), "confidence");
  free(path);
  ca_compile_options_free(options);
  ca_status_free(status);
}

void compiling_refuses_bad_input(void) {
  ca_status* status = ca_status_create();
  char* path = path_in_work_folder("refused.ca.pt2");
  CHECK(ca_compile("nowhere.pt2", path, NULL, NULL, status) == CA_IO);
  CHECK_STATUS(status, CA_IO, "nowhere.pt2");
  ca_compile_options* options = make_options();
  const int64_t shape[] = {1, 8};
  const int64_t wrong[8] = {0};
  CHECK(ca_compile_options_set_example(options, "control", CA_INT64, shape, 2, NULL, wrong,
                                       sizeof(wrong), status) == CA_OK);
  CHECK(ca_compile(model_path, path, options, NULL, status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "control");
  char* elsewhere = path_in_work_folder("no_folder/refused.ca.pt2");
  CHECK(ca_compile(model_path, elsewhere, NULL, NULL, status) == CA_IO);
  CHECK_STATUS(status, CA_IO, "no_folder");
  free(elsewhere);
  free(path);
  ca_compile_options_free(options);
  ca_status_free(status);
}

void verifying_executes_every_strategy(void) {
  ca_status* status = ca_status_create();
  ca_compile_options* options = make_options();
  progress_seen seen = {0, 0, true, true};
  CHECK(ca_compile_options_set_progress(options, note_progress, &seen, status) == CA_OK);
  ca_verify_report* report = ca_verify(package_path, options, status);
  CHECK_OK(status);
  CHECK(ca_verify_report_equal(report));
  CHECK(seen.calls > 0 && seen.in_order);
  const size_t count = ca_verify_report_strategy_count(report);
  CHECK(count > 2);
  CHECK(strcmp(ca_verify_report_strategy(report, 0), "monolithic") == 0);
  for (size_t i = 0; i < count; ++i) {
    CHECK(ca_verify_report_strategy_equal(report, i));
    CHECK(ca_verify_report_difference(report, i) != NULL);
  }
  CHECK(ca_verify_report_strategy(report, count) == NULL);
  ca_verify_report_free(report);
  CHECK(ca_verify("nowhere.pt2", NULL, status) == NULL);
  CHECK_STATUS(status, CA_IO, "nowhere.pt2");
  ca_compile_options_free(options);
  ca_status_free(status);
}

static void check_port(const ca_port* port, const char* name, ca_dtype dtype, const char* shape) {
  CHECK(strcmp(ca_port_name(port), name) == 0);
  CHECK(ca_port_kind(port) == CA_TENSOR);
  CHECK(ca_port_dtype(port) == dtype);
  CHECK(strcmp(ca_port_shape(port), shape) == 0);
  CHECK(strcmp(ca_port_fixed_value(port), "") == 0);
}

static void check_callable(const ca_callable* callable, const char* name,
                           const char* dependencies) {
  CHECK(strcmp(ca_callable_name(callable), name) == 0);
  CHECK(strlen(ca_callable_identity(callable)) == 64);
  check_list(ca_callable_dependencies(callable), dependencies);
  CHECK(ca_strings_count(ca_callable_shape_dependencies(callable)) == 0);
  CHECK(ca_callable_weight_bytes(callable) > 0);
  CHECK(ca_callable_resident_bytes(callable) >= ca_callable_weight_bytes(callable));
  CHECK(ca_callable_steady_us(callable) > 0);
  CHECK(ca_callable_load_us(callable) >= 0);
}

void a_package_describes_itself(void) {
  ca_package* package = open_package();
  CHECK(strcmp(ca_package_path(package), package_path) == 0);
  CHECK(ca_package_format_major(package) == 2 && ca_package_format_minor(package) >= 1);
  CHECK(strcmp(ca_package_engine_name(package), "openvino") == 0);
  CHECK(strlen(ca_package_engine_version(package)) > 0);
  CHECK(strstr(ca_package_torch_version(package), "2.") != NULL);
  CHECK(strstr(ca_package_in_spec(package), "[") != NULL);
  CHECK(strstr(ca_package_out_spec(package), "heatmap") != NULL);
  CHECK(ca_package_verified(package) && !ca_package_exact_numerics(package));

  CHECK(ca_package_input_count(package) == 3 && ca_package_output_count(package) == 3);
  check_port(ca_package_input(package, 0), "image", CA_FLOAT32, "[1, 3, 96, 96]");
  check_port(ca_package_input(package, 1), "text", CA_INT64, "[1, 256]");
  check_port(ca_package_input(package, 2), "control", CA_FLOAT32, "[1, 8]");
  check_port(ca_package_output(package, 1), "heatmap", CA_FLOAT32, "[1, 12, 12]");
  CHECK(ca_port_rank(ca_package_input(package, 0)) == 4);
  CHECK(strcmp(ca_port_dimension(ca_package_input(package, 0), 3), "96") == 0);
  CHECK(ca_port_dimension(ca_package_input(package, 0), 4) == NULL);
  CHECK(ca_package_input(package, 3) == NULL && ca_package_output(package, 3) == NULL);

  CHECK(ca_package_callable_count(package) == 6);
  check_callable(ca_package_callable(package, 0), "main", "image text control");
  check_callable(ca_package_callable(package, 1), "segment_image", "image");
  CHECK(ca_package_callable(package, 6) == NULL);
  const ca_strategy* first = ca_package_strategy(package, 0);
  CHECK(strcmp(ca_strategy_name(first), "monolithic") == 0);
  check_list(ca_strategy_callables(first), "main");
  CHECK(ca_strategy_retained_bytes(first) == 0 && ca_strategy_resident_bytes(first) > 0);
  CHECK(ca_package_strategy(package, ca_package_strategy_count(package)) == NULL);
  ca_package_free(package);
}
