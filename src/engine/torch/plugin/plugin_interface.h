// The C interface between the library and the plug-in that calls PyTorch.
//
// Only handles, numbers and pointers cross it: the plug-in is built by another compiler run,
// against PyTorch's headers, and may be older or newer than the library that loads it. Whoever
// changes anything here raises CA_TORCH_INTERFACE_VERSION. Ownership: what the library passes is
// read during the call only, but for the memory of constants, which must outlive the program. What
// the plug-in gives back (programs, owners of outputs) is freed with its functions. Thread safety:
// every function may be called concurrently; run() also on one program.
#pragma once

#include <stddef.h>  // NOLINT
#include <stdint.h>  // NOLINT

#define CA_TORCH_INTERFACE_VERSION 1
#define CA_TORCH_ENTRY "changeaware_torch_plugin"

#ifdef __cplusplus
extern "C" {
#endif

enum CaTorchCode {
  CA_TORCH_OK = 0,
  CA_TORCH_INVALID_ARGUMENT = 1,  // PyTorch refused these values
  CA_TORCH_UNSUPPORTED = 2,       // an operator or argument that this PyTorch cannot run
  CA_TORCH_INTERNAL = 3,
  CA_TORCH_OUT_OF_MEMORY = 4,
};

// Functions return a CaTorchCode and, when it is not CA_TORCH_OK, leave one line here.
typedef struct CaTorchMessage {
  char text[2048];
} CaTorchMessage;

// Strided memory. `dtype` is PyTorch's number of a scalar type. Strides count elements.
typedef struct CaTorchTensor {
  int32_t dtype;
  int32_t rank;
  const int64_t* sizes;
  const int64_t* strides;
  void* data;
} CaTorchTensor;

enum CaTorchArgumentKind {
  CA_TORCH_NONE = 0,
  CA_TORCH_BOOL,           // integer
  CA_TORCH_INT,            // integer
  CA_TORCH_FLOAT,          // number
  CA_TORCH_STRING,         // text
  CA_TORCH_DTYPE,          // integer: PyTorch's number
  CA_TORCH_MEMORY_FORMAT,  // integer: PyTorch's number
  CA_TORCH_LAYOUT,         // integer: PyTorch's number
  CA_TORCH_DEVICE,         // text
  CA_TORCH_VALUE,          // integer: the value
  CA_TORCH_VALUES,         // integers: values, -1 for an element that is absent
  CA_TORCH_INTS,           // integers
  CA_TORCH_FLOATS,         // numbers
  CA_TORCH_BOOLS,          // integers
  CA_TORCH_SYMBOLIC_INTS,  // integers; where is_value is not 0, the value instead of a number
};

typedef struct CaTorchArgument {
  int32_t kind;
  int64_t integer;
  double number;
  const char* text;
  size_t count;
  const int64_t* integers;
  const double* numbers;
  const uint8_t* is_value;
} CaTorchArgument;

typedef struct CaTorchNode {
  const char* name;  // for messages
  const char* op;    // "aten.add.Tensor"
  size_t argument_count;
  const CaTorchArgument* arguments;  // one per argument of the operator's schema
  size_t output_count;
  const int32_t* outputs;  // values, -1 for a result that nobody reads
} CaTorchNode;

typedef struct CaTorchConstant {
  int32_t value;
  int32_t is_parameter;  // asks for a gradient, as the parameter of a module does
  CaTorchTensor tensor;
} CaTorchConstant;

typedef struct CaTorchInput {
  int32_t value;
  int32_t is_number;  // a tensor of rank 0 that is read as a number before the program runs
} CaTorchInput;

// Values are numbered from 0. Nodes are in the order in which they run.
typedef struct CaTorchProgramSpec {
  size_t value_count;
  size_t input_count;
  const CaTorchInput* inputs;
  size_t constant_count;
  const CaTorchConstant* constants;
  size_t node_count;
  const CaTorchNode* nodes;
  size_t output_count;
  const int32_t* outputs;  // values
} CaTorchProgramSpec;

// An output. When `given.data` or `is_given` is set, the result is written there. Otherwise the
// plug-in fills `given`, whose sizes, strides and memory live as long as `owner`.
typedef struct CaTorchOutput {
  CaTorchTensor given;
  int32_t is_given;
  void* owner;
} CaTorchOutput;

typedef struct CaTorchProgram CaTorchProgram;

typedef struct CaTorchPlugin {
  uint32_t interface_version;  // stays first
  const char* torch_version;   // that it was built against

  // Threads of an operator where nobody says otherwise.
  int32_t (*default_threads)(void);
  // A shared library that registers operators; never unloaded.
  int32_t (*load_library)(const char* path, CaTorchMessage* message);
  // The schema of "aten.add.Tensor" as PyTorch's registry prints it, into `text`; empty when there
  // is no such operator. CA_TORCH_INTERNAL when `size` is too small.
  int32_t (*schema_of)(const char* op, char* text, size_t size, CaTorchMessage* message);
  int32_t (*build)(const CaTorchProgramSpec* spec, CaTorchProgram** program,
                   CaTorchMessage* message);
  int32_t (*run)(const CaTorchProgram* program, int32_t threads, const CaTorchTensor* inputs,
                 CaTorchOutput* outputs, CaTorchMessage* message);
  void (*free_program)(CaTorchProgram* program);
  void (*free_owner)(void* owner);
} CaTorchPlugin;

typedef const CaTorchPlugin* (*CaTorchEntry)(void);

#ifdef __cplusplus
}
#endif
