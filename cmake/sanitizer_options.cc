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

// OpenVINO and oneTBB are not built with ThreadSanitizer: it sees what their code does through libc
// (memcpy, malloc, mutexes) but not the atomics with which their threads hand work to each other.
const char* __tsan_default_suppressions() {
  return  // The CPU plug-in's workers write results (memcpy) that the caller of infer() then reads.
          // Its calls of libc are left out, for there are too many to suppress one by one.
      "called_from_lib:libopenvino_intel_cpu_plugin.so\n"
      // Graphs, and the names of their nodes, which any thread makes on demand: a frame of theirs
      // is in one of the two stacks.
      "race:libopenvino\n"
      // Tasks and arenas are allocated by one thread and freed by another.
      "race:libtbb\n";
}

// oneTBB loads its parts with RTLD_DEEPBIND, which the sanitizers refuse, unless it is told.
__attribute__((constructor)) void tell_tbb_about_sanitizers() {
  setenv("TBB_ENABLE_SANITIZERS", "1", 0);
}

}  // extern "C"
