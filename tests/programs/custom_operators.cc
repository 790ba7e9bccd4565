// Operators of a user's own, as a library for the trials of --op-library.
#include <ATen/ops/mul.h>
#include <torch/library.h>

namespace {

at::Tensor twice(const at::Tensor& x) { return at::mul(x, 2); }

void clear(at::Tensor x) { x.zero_(); }

}  // namespace

TORCH_LIBRARY(changeaware_trial, library) {
  library.def("twice(Tensor x) -> Tensor");
  library.def("clear(Tensor(a!) x) -> ()");
}

TORCH_LIBRARY_IMPL(changeaware_trial, CPU, library) {
  library.impl("twice", &twice);
  library.impl("clear", &clear);
}
