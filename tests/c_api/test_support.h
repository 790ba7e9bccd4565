/* What the cases of c_api_test share: checks that end the process with a message, the example
 * program's inputs, and short forms of what every case does. */
#pragma once

#include <changeaware/c_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the process with code 1, naming the line, when `condition` does not hold. */
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
/* The last call failed with this code, and its message names `culprit`. */
#define CHECK_STATUS(status, code, culprit) \
  check_status((status), (code), (culprit), __FILE__, __LINE__)
#define CHECK_OK(status) check_status((status), CA_OK, "", __FILE__, __LINE__)

void check(bool holds, const char* what, const char* file, int line);
void check_status(const ca_status* status, ca_code code, const char* culprit, const char* file,
                  int line);

/* The program that was compiled, the package made of it, and a folder to write into. */
extern const char* model_path;
extern const char* package_path;
extern const char* work_folder;

/* `work_folder`/name; the caller's, to be freed. */
char* path_in_work_folder(const char* name);
/* Reads a whole file; the caller's, to be freed. */
unsigned char* read_file(const char* path, size_t* bytes);
void write_file(const char* path, const unsigned char* data, size_t bytes);

/* Inputs of the example program. */
typedef struct {
  float image[3 * 96 * 96];
  int64_t text[256];
  float control[8];
} values;

/* Other values for another seed. */
void fill_image(values* v, int seed);
void fill_text(values* v, int seed);
void fill_control(values* v, int seed);
/* A request for all outputs; its inputs are `v`, filled with seed 1 and borrowed. */
ca_request* make_request(values* v);
/* A session with 2 threads that keeps nothing on disk. */
ca_session_options* make_session_options(void);
ca_session* open_session(void);
/* Both must succeed. */
ca_package* open_package(void);
ca_response* run(ca_session* session, const ca_request* request);
/* Exactly these callables, in this order, separated by single spaces; "" = none. */
void check_list(const ca_strings* list, const char* expected);
/* What ran and what was reused by a request. */
void check_report(const ca_response* response, const char* ran, const char* reused);
/* The same outputs, names, shapes and bits. */
void check_same_outputs(const ca_response* a, const ca_response* b);

/* Callables of the example program. */
#define SEGMENT_TC "segment_text+control"
#define SEGMENT_ITC "segment_image+text+control"
#define ALL_SEGMENTS "segment_image segment_text segment_control " SEGMENT_TC " " SEGMENT_ITC
