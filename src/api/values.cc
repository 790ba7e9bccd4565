// Names of dtypes, and lists of strings.
#include <algorithm>

#include "api/handles.h"
#include "changeaware/c_api.h"
#include "changeaware/tensor.h"

namespace {

bool is_dtype(ca_dtype dtype) { return dtype >= CA_UINT8 && dtype <= CA_UINT64; }

}  // namespace

const char* ca_dtype_name(ca_dtype dtype) {
  if (!is_dtype(dtype)) return "none";
  return changeaware::dtype_name(static_cast<changeaware::DType>(dtype)).data();
}

size_t ca_dtype_bytes(ca_dtype dtype) {
  return is_dtype(dtype) ? changeaware::dtype_bytes(static_cast<changeaware::DType>(dtype)) : 0;
}

size_t ca_strings_count(const ca_strings* strings) {
  return strings == nullptr ? 0 : strings->items.size();
}

const char* ca_strings_at(const ca_strings* strings, size_t index) {
  if (strings == nullptr || index >= strings->items.size()) return nullptr;
  return strings->items[index].c_str();
}

bool ca_strings_contain(const ca_strings* strings, const char* text) {
  if (strings == nullptr || text == nullptr) return false;
  return std::find(strings->items.begin(), strings->items.end(), text) != strings->items.end();
}
