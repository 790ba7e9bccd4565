// The C structures of DLPack 1.x, the array interchange standard of the Python array API
// (https://dmlc.github.io/dlpack): a stable ABI, declared here as far as we use it.
#pragma once

#include <cstdint>
#include <optional>

#include "changeaware/tensor.h"

namespace changeaware::python::dlpack {

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Device {
  int32_t type;
  int32_t id;
};

constexpr int32_t kCpu = 1;

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Array {
  void* data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null = contiguous
  uint64_t byte_offset;
};

// In a capsule named "dltensor".
struct Managed {
  Array array;
  void* context;
  void (*deleter)(Managed*);
};

// In a capsule named "dltensor_versioned".
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Array array;
};

constexpr uint64_t kReadOnly = 1;

std::optional<DType> dtype_of(const DataType& type);
DataType type_of(DType dtype);

}  // namespace changeaware::python::dlpack
