#include "test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* model_path;
const char* package_path;
const char* work_folder;

void check(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  exit(1);
}

void check_status(const ca_status* status, ca_code code, const char* culprit, const char* file,
                  int line) {
  const char* message = ca_status_message(status);
  const bool as_expected = ca_status_code(status) == code && strstr(message, culprit) != NULL &&
                           (code == CA_OK) == (message[0] == '\0');
  if (as_expected) return;
  fprintf(stderr, "%s:%d: %s: \"%s\", expected %s about \"%s\"\n", file, line,
          ca_code_name(ca_status_code(status)), message, ca_code_name(code), culprit);
  exit(1);
}

char* path_in_work_folder(const char* name) {
  const size_t bytes = strlen(work_folder) + strlen(name) + 2;
  char* path = malloc(bytes);
  CHECK(path != NULL);
  snprintf(path, bytes, "%s/%s", work_folder, name);
  return path;
}

unsigned char* read_file(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  CHECK(fseek(file, 0, SEEK_END) == 0);
  *bytes = (size_t)ftell(file);
  rewind(file);
  unsigned char* data = malloc(*bytes + 1);
  CHECK(data != NULL && fread(data, 1, *bytes, file) == *bytes);
  fclose(file);
  return data;
}

void write_file(const char* path, const unsigned char* data, size_t bytes) {
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(data, 1, bytes, file) == bytes);
  CHECK(fclose(file) == 0);
}

static int pseudo_random(size_t i, int seed) { return (int)((i * 37 + (size_t)seed * 101) % 251); }

void fill_image(values* v, int seed) {
  for (size_t i = 0; i < sizeof(v->image) / sizeof(v->image[0]); ++i) {
    v->image[i] = (float)pseudo_random(i, seed) / 251;
  }
}

void fill_text(values* v, int seed) {
  for (size_t i = 0; i < sizeof(v->text) / sizeof(v->text[0]); ++i) {
    v->text[i] = pseudo_random(i, seed);
  }
}

void fill_control(values* v, int seed) {
  for (size_t i = 0; i < sizeof(v->control) / sizeof(v->control[0]); ++i) {
    v->control[i] = (float)pseudo_random(i, seed) / 100 - 1;
  }
}

ca_request* make_request(values* v) {
  static const int64_t image_shape[] = {1, 3, 96, 96};
  static const int64_t text_shape[] = {1, 256};
  static const int64_t control_shape[] = {1, 8};
  fill_image(v, 1);
  fill_text(v, 1);
  fill_control(v, 1);
  ca_request* request = ca_request_create(NULL);
  CHECK(request != NULL);
  CHECK(ca_request_set_input(request, "image", CA_FLOAT32, image_shape, 4, NULL, v->image,
                             sizeof(v->image), NULL) == CA_OK);
  CHECK(ca_request_set_input(request, "text", CA_INT64, text_shape, 2, NULL, v->text,
                             sizeof(v->text), NULL) == CA_OK);
  CHECK(ca_request_set_input(request, "control", CA_FLOAT32, control_shape, 2, NULL, v->control,
                             sizeof(v->control), NULL) == CA_OK);
  return request;
}

ca_session_options* make_session_options(void) {
  ca_session_options* options = ca_session_options_create(NULL);
  CHECK(options != NULL);
  CHECK(ca_session_options_set_threads(options, 2, NULL) == CA_OK);
  CHECK(ca_session_options_set_blob_folder(options, "off", NULL) == CA_OK);
  return options;
}

ca_package* open_package(void) {
  ca_status* status = ca_status_create();
  ca_package* package = ca_package_open(package_path, status);
  CHECK_OK(status);
  CHECK(package != NULL);
  ca_status_free(status);
  return package;
}

ca_session* open_session(void) {
  ca_status* status = ca_status_create();
  ca_package* package = open_package();
  ca_session_options* options = make_session_options();
  ca_session* session = ca_session_create(package, options, status);
  CHECK_OK(status);
  CHECK(session != NULL);
  ca_session_options_free(options);
  ca_package_free(package); /* the session keeps it */
  ca_status_free(status);
  return session;
}

ca_response* run(ca_session* session, const ca_request* request) {
  ca_status* status = ca_status_create();
  ca_response* response = ca_session_run(session, request, status);
  CHECK_OK(status);
  CHECK(response != NULL);
  ca_status_free(status);
  return response;
}

void check_list(const ca_strings* list, const char* expected) {
  char text[1024] = "";
  for (size_t i = 0; i < ca_strings_count(list); ++i) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof(text) - used, i == 0 ? "%s" : " %s", ca_strings_at(list, i));
  }
  if (strcmp(text, expected) == 0) return;
  fprintf(stderr, "\"%s\", expected \"%s\"\n", text, expected);
  exit(1);
}

void check_report(const ca_response* response, const char* ran, const char* reused) {
  const ca_report* report = ca_response_report(response);
  CHECK(report != NULL);
  check_list(ca_report_ran(report), ran);
  check_list(ca_report_reused(report), reused);
}

void check_same_outputs(const ca_response* a, const ca_response* b) {
  const size_t count = ca_response_output_count(a);
  CHECK(count > 0 && count == ca_response_output_count(b));
  for (size_t i = 0; i < count; ++i) {
    const ca_output* x = ca_response_output(a, i);
    const ca_output* y = ca_response_output(b, i);
    CHECK(strcmp(ca_output_name(x), ca_output_name(y)) == 0);
    CHECK(ca_output_rank(x) == ca_output_rank(y));
    CHECK(ca_output_bytes(x) > 0 && ca_output_bytes(x) == ca_output_bytes(y));
    CHECK(memcmp(ca_output_shape(x), ca_output_shape(y), ca_output_rank(x) * sizeof(int64_t)) == 0);
    CHECK(memcmp(ca_output_data(x), ca_output_data(y), ca_output_bytes(x)) == 0);
  }
}
