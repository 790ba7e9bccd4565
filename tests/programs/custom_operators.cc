// Operators of a user's own, as a library for the trials of --op-library.
#include <ATen/ops/add.h>
#include <ATen/ops/mul.h>
#include <torch/library.h>

namespace {

at::Tensor twice(const at::Tensor& x) { return at::mul(x, 2); }

// Of lists of every kind: x and how many elements they have.
at::Tensor counted(const at::Tensor& x, const c10::List<bool>& flags, at::IntArrayRef ints,
                   at::ArrayRef<double> floats, at::TensorList tensors,
                   const c10::List<std::optional<at::Tensor>>& maybe,
                   std::vector<std::string> texts) {
  return at::add(x, static_cast<int64_t>(flags.size() + ints.size() + floats.size() +
                                         tensors.size() + maybe.size() + texts.size()));
}

void clear(at::Tensor x) { x.zero_(); }

}  // namespace

TORCH_LIBRARY(changeaware_trial, library) {
  library.def("twice(Tensor x) -> Tensor");
  library.def(
      "counted(Tensor x, bool[] flags, int[] ints, float[] floats, Tensor[] tensors, "
      "Tensor?[] maybe, str[] texts) -> Tensor");
  library.def("clear(Tensor(a!) x) -> ()");
}

TORCH_LIBRARY_IMPL(changeaware_trial, CPU, library) {
  library.impl("twice", &twice);
  library.impl("counted", &counted);
  library.impl("clear", &clear);
}
