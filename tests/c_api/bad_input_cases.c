/* What does not fit is refused by name, and the session goes on. */
#include <string.h>

#include "test_support.h"

static void check_refused(ca_session* session, const ca_request* request, const char* culprit) {
  ca_status* status = ca_status_create();
  CHECK(ca_session_run(session, request, status) == NULL);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, culprit);
  CHECK(ca_session_plan(session, request, status) == NULL);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, culprit);
  ca_status_free(status);
}

void unfit_inputs_are_refused_by_name(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  const int64_t shape[] = {1, 8};
  const float data[9] = {0};
  const size_t bytes = 8 * sizeof(float);

  CHECK(ca_request_set_input(request, "sound", CA_FLOAT32, shape, 2, NULL, data, bytes, status) ==
        CA_OK);
  check_refused(session, request, "'sound'; the inputs are: image, text, control");
  CHECK(ca_request_remove_input(request, "sound", status) == CA_OK);
  CHECK(ca_request_set_input(request, "control", CA_INT32, shape, 2, NULL, data, bytes, status) ==
        CA_OK);
  check_refused(session, request, "'control' is int32 [1, 8]");
  CHECK(ca_request_set_input(request, "control", CA_FLOAT32, shape + 1, 1, NULL, data, bytes,
                             status) == CA_OK);
  check_refused(session, request, "'control' is float32 [8]");
  CHECK(ca_request_remove_input(request, "control", status) == CA_OK);
  check_refused(session, request, "'control' is missing");

  /* What cannot be a tensor is refused at once, and changes nothing. */
  CHECK(ca_request_set_input(request, "control", CA_FLOAT32, shape, 2, NULL, data, bytes, status) ==
        CA_OK);
  CHECK(ca_request_set_input(request, "control", 77, shape, 2, NULL, data, bytes, status) ==
        CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "'control': 77 is no dtype");
  CHECK(ca_request_set_input(request, "control", CA_FLOAT32, shape, 2, NULL, data, bytes - 1,
                             status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "'control'");
  const int64_t strides[] = {8, -1};
  CHECK(ca_request_set_input(request, "control", CA_FLOAT32, shape, 2, strides, data, bytes,
                             status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "'control': impossible strides");
  CHECK(ca_request_set_input(request, "control", CA_FLOAT32, shape, 2, NULL, (const char*)data + 2,
                             bytes, status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "not aligned");
  CHECK(ca_request_set_input(request, "control", CA_FLOAT32, shape, 1000, NULL, data, bytes,
                             status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "rank 1000");

  const char* const outputs[] = {"heatmap", "mask"};
  CHECK(ca_request_set_wanted(request, outputs, 2, status) == CA_OK);
  check_refused(session, request, "'mask'; the outputs are: action, heatmap, confidence");
  CHECK(ca_request_set_wanted(request, outputs, 1, status) == CA_OK);
  CHECK(ca_request_set_version(request, "sound", "1", status) == CA_OK);
  check_refused(session, request, "'sound'");
  CHECK(ca_request_set_version(request, "sound", NULL, status) == CA_OK);
  ca_response* response = run(session, request);
  CHECK(ca_response_output_count(response) == 1);
  ca_response_free(response);
  ca_request_free(request);
  ca_session_free(session);
  ca_status_free(status);
}

void options_that_cannot_be_are_refused(void) {
  ca_status* status = ca_status_create();
  ca_compile_options* compile = ca_compile_options_create(status);
  CHECK(ca_compile_options_set_threads(compile, -1, status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "-1 threads");
  CHECK(ca_compile_options_set_max_strategies(compile, 0, status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "0 strategies");
  CHECK(ca_compile_options_set_tolerance(compile, 0, -1, 0, status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "tolerance");
  CHECK(ca_compile_options_set_oracle_tolerance(compile, 0, 0, 0.0 / 0.0, status) ==
        CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "tolerance");
  CHECK(ca_compile_options_set_torch_folder(compile, "nowhere", status) == CA_OK);
  CHECK(ca_compile_options_add_op_library(compile, "nowhere.so", status) == CA_OK);
  CHECK(ca_compile(model_path, "refused.ca.pt2", compile, NULL, status) != CA_OK);
  CHECK_STATUS(status, ca_status_code(status), "nowhere");
  ca_compile_options_free(compile);
  ca_session_options* session = ca_session_options_create(status);
  CHECK(ca_session_options_set_threads(session, -3, status) == CA_INVALID_ARGUMENT);
  CHECK_STATUS(status, CA_INVALID_ARGUMENT, "-3 threads");
  CHECK(ca_session_options_set_torch_folder(session, "nowhere", status) == CA_OK);
  CHECK(ca_session_options_add_op_library(session, "nowhere.so", status) == CA_OK);
  ca_session_options_free(session);
  ca_status_free(status);
}

void a_status_belongs_to_its_last_call(void) {
  ca_status* status = ca_status_create();
  CHECK_OK(status);
  CHECK(ca_package_open("nowhere.pt2", status) == NULL);
  CHECK_STATUS(status, CA_IO, "nowhere.pt2");
  CHECK(strcmp(ca_code_name(ca_status_code(status)), "Io") == 0);
  ca_package* package = ca_package_open(package_path, status);
  CHECK(package != NULL);
  CHECK_OK(status);
  ca_package_free(package);
  CHECK(ca_package_open("nowhere.pt2", NULL) == NULL); /* nobody needs to ask why */
  ca_status_free(status);
  CHECK(ca_abi_version() == CA_ABI_VERSION);
  CHECK(strstr(ca_version(), ".") != NULL);
}
