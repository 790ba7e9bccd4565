// A tensor that comes from C as (dtype, shape, rank, strides, data, bytes).
#pragma once

#include <cstddef>
#include <cstdint>

#include "changeaware/c_api.h"
#include "changeaware/tensor.h"

namespace changeaware::api {

struct TensorArgument {
  ca_dtype dtype;
  const int64_t* shape;
  size_t rank;
  const int64_t* strides;
  const void* data;
  size_t bytes;
};

// A view of the caller's memory, which must outlive it. InvalidArgument, naming `name`, when it is
// no dtype, has no shape or data, is not aligned for its dtype, or reaches past its bytes.
Result<Tensor> borrow_argument(const char* name, const TensorArgument& argument);

}  // namespace changeaware::api
