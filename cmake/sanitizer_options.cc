// Defaults of the sanitizers for every program of a sanitizer build, read by their run-time
// libraries before main(). Linked in, so that nobody has to set environment variables.

extern "C" {

// OpenVINO and oneTBB keep some objects until the process ends.
const char* __lsan_default_suppressions() {
  return "leak:libopenvino\n"
         "leak:libtbb\n"
         "leak:libhwloc\n";
}

}  // extern "C"
