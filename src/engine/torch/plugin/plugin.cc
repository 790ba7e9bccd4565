// The functions of plugin_interface.h.
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/headeronly/version.h>

#include <cstring>
#include <sstream>

#include "engine/torch/plugin/program.h"

namespace changeaware::torch_plugin {
namespace {

int32_t report(const ProgramError& error, CaTorchMessage* message) {
  const size_t size = std::min(error.message.size(), sizeof message->text - 1);
  std::memcpy(message->text, error.message.data(), size);
  message->text[size] = 0;
  return error.code;
}

// Runs `body`; nothing that it throws gets out.
template <class Body>
int32_t guarded(CaTorchMessage* message, Body&& body) noexcept {
  try {
    body();
    return CA_TORCH_OK;
  } catch (...) {
    return report(current_error(), message);
  }
}

class Silence : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

// OpenMP and MKL keep the number for each thread of the process by itself.
void use_threads(int32_t threads) {
  thread_local int32_t used = 0;
  if (threads <= 0 || (used == threads && at::get_num_threads() == threads)) return;
  at::set_num_threads(threads);
  used = threads;
}

// PyTorch's number of threads for the length of a run. Whoever else uses PyTorch on this thread,
// as Python may, finds the number that he left.
class ThreadCount {
 public:
  explicit ThreadCount(int32_t threads) : before_(at::get_num_threads()) { use_threads(threads); }
  ~ThreadCount() {
    if (at::get_num_threads() != before_) use_threads(before_);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int32_t before_;
};

int32_t default_threads() {
  static const int32_t threads = at::get_num_threads();
  return threads;
}

int32_t load_library(const char* path, CaTorchMessage* message) {
  return guarded(message, [&] {
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL) != nullptr) return;
    const char* reason = dlerror();
    throw ProgramError{CA_TORCH_UNSUPPORTED, reason == nullptr ? "cannot be loaded" : reason};
  });
}

int32_t schema_of(const char* op, char* text, size_t size, CaTorchMessage* message) {
  return guarded(message, [&] {
    std::ostringstream out;
    const auto handle = c10::Dispatcher::singleton().findSchema(dispatcher_name(op));
    if (handle) out << handle->schema();
    if (out.str().size() + 1 > size) throw ProgramError{CA_TORCH_INTERNAL, "a schema is too long"};
    std::memcpy(text, out.str().c_str(), out.str().size() + 1);
  });
}

int32_t build(const CaTorchProgramSpec* spec, CaTorchProgram** program, CaTorchMessage* message) {
  return guarded(message, [&] {
    Silence silence;
    const c10::WarningUtils::WarningHandlerGuard guard(&silence);
    *program = reinterpret_cast<CaTorchProgram*>(new Program(*spec));
  });
}

int32_t run(const CaTorchProgram* program, int32_t threads, const CaTorchTensor* inputs,
            CaTorchOutput* outputs, CaTorchMessage* message) {
  return guarded(message, [&] {
    Silence silence;
    const c10::WarningUtils::WarningHandlerGuard guard(&silence);
    const ThreadCount count(threads);
    reinterpret_cast<const Program*>(program)->run(inputs, outputs);
  });
}

void free_program(CaTorchProgram* program) { delete reinterpret_cast<Program*>(program); }
void free_owner(void* owner) { delete static_cast<at::Tensor*>(owner); }

constexpr CaTorchPlugin kPlugin = {
    CA_TORCH_INTERFACE_VERSION,
    TORCH_VERSION,
    default_threads,
    load_library,
    schema_of,
    build,
    run,
    free_program,
    free_owner,
};

}  // namespace
}  // namespace changeaware::torch_plugin

extern "C" __attribute__((visibility("default"))) const CaTorchPlugin* changeaware_torch_plugin() {
  return &changeaware::torch_plugin::kPlugin;
}
