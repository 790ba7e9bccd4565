/* Runs a package several times; between runs only one input changes. Prints what ran.
 *
 *     incremental PACKAGE
 *
 * Inputs get made-up values, so any package will do whose inputs are of fixed sizes and of dtype
 * float32 or int64. */
#include <changeaware/c_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_INPUTS = 16, MOST_DIMENSIONS = 8 };

typedef struct {
  const char* name; /* the package's */
  ca_dtype dtype;
  size_t rank;
  int64_t shape[MOST_DIMENSIONS];
  size_t count; /* of elements */
  void* data;
} input;

/* Says what failed, and why. Always 1, for use as an exit code. */
static int failed(const char* what, const ca_status* status) {
  fprintf(stderr, "%s: %s: %s\n", what, ca_code_name(ca_status_code(status)),
          ca_status_message(status));
  return 1;
}

/* Other values for every other `step`. */
static void fill(input* in, int step) {
  for (size_t i = 0; i < in->count; ++i) {
    const int value = (int)((i * 7 + (size_t)step * 13) % 101);
    if (in->dtype == CA_FLOAT32) ((float*)in->data)[i] = (float)value / 101;
    if (in->dtype == CA_INT64) ((int64_t*)in->data)[i] = value;
  }
}

/* Makes a buffer for an input as the package describes it. 0 when that is not possible. */
static int make_input(const ca_port* port, input* in) {
  in->name = ca_port_name(port);
  in->dtype = ca_port_dtype(port);
  in->rank = ca_port_rank(port);
  in->count = 1;
  if (in->dtype != CA_FLOAT32 && in->dtype != CA_INT64) {
    fprintf(stderr, "input %s is of dtype %s\n", in->name, ca_dtype_name(in->dtype));
    return 0;
  }
  for (size_t d = 0; d < in->rank && d < MOST_DIMENSIONS; ++d) {
    in->shape[d] = strtoll(ca_port_dimension(port, d), NULL, 10);
    in->count *= (size_t)in->shape[d];
  }
  if (in->rank > MOST_DIMENSIONS || in->count == 0) {
    fprintf(stderr, "input %s of shape %s has no fixed size\n", in->name, ca_port_shape(port));
    return 0;
  }
  in->data = calloc(in->count, ca_dtype_bytes(in->dtype));
  if (in->data == NULL) fprintf(stderr, "no memory for input %s\n", in->name);
  return in->data != NULL;
}

static void print_list(const char* title, const ca_strings* names) {
  printf("%s", title);
  for (size_t i = 0; i < ca_strings_count(names); ++i) printf(" %s", ca_strings_at(names, i));
  if (ca_strings_count(names) == 0) printf(" nothing");
}

/* Runs the request and prints one line. */
static int run(ca_session* session, const ca_request* request, const char* what,
               ca_status* status) {
  ca_response* response = ca_session_run(session, request, status);
  if (response == NULL) return failed(what, status);
  const ca_report* report = ca_response_report(response);
  printf("%s:", what);
  print_list(" ran", ca_report_ran(report));
  print_list("; reused", ca_report_reused(report));
  printf("; %.2f ms\n", ca_report_total_us(report) / 1000);
  ca_response_free(response);
  return 0;
}

/* A first run, one per input that changes, and one in which nothing does. */
static int run_all(ca_session* session, ca_request* request, input* inputs, size_t count,
                   ca_status* status) {
  for (size_t i = 0; i < count; ++i) {
    input* in = &inputs[i];
    fill(in, 0);
    /* The buffer stays ours. It is read while a request runs, and may be filled anew after. */
    if (ca_request_set_input(request, in->name, in->dtype, in->shape, in->rank, NULL, in->data,
                             in->count * ca_dtype_bytes(in->dtype), status) != CA_OK) {
      return failed(in->name, status);
    }
  }
  if (run(session, request, "first run", status) != 0) return 1;
  for (size_t i = 0; i < count; ++i) {
    char what[128];
    snprintf(what, sizeof(what), "%s changed", inputs[i].name);
    fill(&inputs[i], 1);
    if (run(session, request, what, status) != 0) return 1;
  }
  return run(session, request, "nothing changed", status);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s PACKAGE\n", argv[0]);
    return 2;
  }
  ca_status* status = ca_status_create();
  ca_package* package = ca_package_open(argv[1], status);
  ca_session* session = package == NULL ? NULL : ca_session_create(package, NULL, status);
  ca_request* request = session == NULL ? NULL : ca_request_create(status);
  int code = request == NULL ? failed(argv[1], status) : 0;

  input inputs[MOST_INPUTS] = {0};
  size_t count = 0;
  for (size_t i = 0; code == 0 && i < ca_package_input_count(package); ++i) {
    const ca_port* port = ca_package_input(package, i);
    if (ca_port_kind(port) == CA_FIXED_INPUT) continue; /* was decided at export */
    if (count == MOST_INPUTS || !make_input(port, &inputs[count])) code = 1;
    if (code == 0) ++count;
  }
  if (code == 0) code = run_all(session, request, inputs, count, status);

  for (size_t i = 0; i < count; ++i) free(inputs[i].data);
  ca_request_free(request);
  ca_session_free(session);
  ca_package_free(package);
  ca_status_free(status);
  return code;
}
