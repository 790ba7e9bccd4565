// Defaults of the sanitizers for every program of a sanitizer build, read by their run-time
// libraries before main(). Linked in, so that nobody has to set environment variables.
#include <cstdlib>

extern "C" {

// OpenVINO and oneTBB keep some objects until the process ends.
const char* __lsan_default_suppressions() {
  return "leak:libopenvino\n"
         "leak:libtbb\n"
         "leak:libhwloc\n";
}

const char* __lsan_default_options() { return "print_suppressions=0"; }

// oneTBB loads its parts with RTLD_DEEPBIND, which the sanitizers refuse, unless it is told.
__attribute__((constructor)) void tell_tbb_about_sanitizers() {
  setenv("TBB_ENABLE_SANITIZERS", "1", 0);
}

}  // extern "C"
