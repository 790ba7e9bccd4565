#include "cli/npy_dtype.h"

#include "cli/error.h"

namespace changeaware::cli {
namespace {

struct Spelling {
  std::string_view descr;
  DType dtype;
};

// The first spelling of a dtype is the one that is written.
constexpr Spelling kSpellings[] = {
    {"|b1", DType::kBool},      {"|u1", DType::kUInt8},       {"|i1", DType::kInt8},
    {"<i2", DType::kInt16},     {"<i4", DType::kInt32},       {"<i8", DType::kInt64},
    {"<u2", DType::kUInt16},    {"<u4", DType::kUInt32},      {"<u8", DType::kUInt64},
    {"<f2", DType::kFloat16},   {"<f4", DType::kFloat32},     {"<f8", DType::kFloat64},
    {"<c8", DType::kComplex64}, {"<c16", DType::kComplex128}, {"<V2", DType::kBFloat16},
    {"|V2", DType::kBFloat16},
};

}  // namespace

Result<DType> dtype_of_descr(std::string_view descr) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.descr == descr) return spelling.dtype;
  }
  if (descr.find('O') != std::string_view::npos) {
    return error(StatusCode::kUnsupported, "holds pickled Python objects ('{}'), not numbers",
                 descr);
  }
  if (descr.starts_with('>')) {
    return error(StatusCode::kUnsupported, "holds big-endian numbers ('{}'); save little-endian",
                 descr);
  }
  return error(StatusCode::kUnsupported, "holds dtype '{}', which no program input has", descr);
}

Result<std::string_view> descr_of_dtype(DType dtype) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.dtype == dtype) return spelling.descr;
  }
  return error(StatusCode::kUnsupported, "an .npy file cannot hold {}", dtype_name(dtype));
}

}  // namespace changeaware::cli
