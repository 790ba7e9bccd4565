/* c_api_test CASE MODEL PACKAGE FOLDER: one case; exit code 0 when all of its checks hold. */
#include <stdio.h>
#include <string.h>

#include "test_support.h"

#define CASE(name) void name(void);
#include "cases.inc"
#undef CASE

typedef struct {
  const char* name;
  void (*run)(void);
} test_case;

static const test_case all_cases[] = {
#define CASE(name) {#name, name},
#include "cases.inc"
#undef CASE
};

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s CASE MODEL PACKAGE FOLDER\n", argv[0]);
    return 2;
  }
  model_path = argv[2];
  package_path = argv[3];
  work_folder = argv[4];
  for (size_t i = 0; i < sizeof(all_cases) / sizeof(all_cases[0]); ++i) {
    if (strcmp(all_cases[i].name, argv[1]) != 0) continue;
    all_cases[i].run();
    return 0;
  }
  fprintf(stderr, "no case '%s'\n", argv[1]);
  return 2;
}
