// Defaults of the sanitizers for every program of a sanitizer build, read by their run-time
// libraries before main(). Linked in, so that nobody has to set environment variables.
#include <cstdlib>

#pragma GCC visibility push(default)  // hidden, the run-time libraries would not find them

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
// Calls of libc from the busiest libraries are left out (called_from_lib, which takes only
// libraries that stay loaded); what our code does is all seen, also while it runs inside a call of
// theirs.
const char* __tsan_default_suppressions() {
  return  // The graph, and the names of its nodes, which any thread makes on demand.
      "called_from_lib:libopenvino.so\n"
      // Workers write results that the caller of infer() then reads.
      "called_from_lib:libopenvino_intel_cpu_plugin.so\n"
      // Tasks and arenas are allocated by one thread and freed by another.
      "called_from_lib:libtbb.so\n"
      // Front ends, which come and go; and blocks that an inline function of OpenVINO's or oneTBB's
      // headers allocates or frees: a frame of theirs is in one of the two stacks.
      "race:libopenvino\n"
      "race:libtbb\n"
      // Locking a mutex of theirs is left out, waiting with it in libstdc++ is not: it seems to
      // unlock what nobody locked. Hides that mistake alone, and only in waits without stop tokens.
      "mutex:std::condition_variable::wait\n";
}

// oneTBB loads its parts with RTLD_DEEPBIND, which the sanitizers refuse, unless it is told.
__attribute__((constructor)) void tell_tbb_about_sanitizers() {
  setenv("TBB_ENABLE_SANITIZERS", "1", 0);
}

}  // extern "C"

#pragma GCC visibility pop
