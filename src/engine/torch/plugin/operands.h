// Operand: one argument of an operator, made ready for the dispatcher's stack.
//
// What is fixed is converted once, by the operator's real schema; what is computed at run time is
// converted in every call. The rules are those of PyTorch's own conversion of Python arguments.
// Thread safety: const methods may be called concurrently.
// Errors: c10::Error or std::exception with one sentence.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <vector>

#include "engine/torch/plugin/plugin_interface.h"

namespace changeaware::torch_plugin {

// Values by number: those of the running call, or constants of the program.
class Values {
 public:
  Values(const std::vector<c10::IValue>& constants, std::vector<c10::IValue>& computed)
      : constants_(constants), computed_(computed) {}
  const c10::IValue& get(int64_t value) const {
    const c10::IValue& constant = constants_[static_cast<size_t>(value)];
    return constant.isNone() ? computed_[static_cast<size_t>(value)] : constant;
  }

 private:
  const std::vector<c10::IValue>& constants_;
  std::vector<c10::IValue>& computed_;
};

class Operand {
 public:
  // `value_count`: of the program; a value outside is an error.
  Operand(const CaTorchArgument& argument, const c10::Argument& schema, size_t value_count);

  // What to push on the stack.
  c10::IValue load(const Values& values) const;
  // Values that it reads.
  const std::vector<int64_t>& values() const { return reads_; }

 private:
  enum class Source : uint8_t { kFixed, kValue, kValues, kInts };

  c10::IValue fixed(const CaTorchArgument& argument) const;
  c10::IValue fixed_list(const CaTorchArgument& argument) const;
  c10::IValue value_list(const Values& values) const;
  c10::IValue int_list(const Values& values) const;
  int64_t checked_value(int64_t value, size_t value_count) const;

  Source source_ = Source::kFixed;
  c10::TypePtr type_;     // without its Optional
  c10::TypePtr element_;  // of a list; else null
  int list_size_ = 0;     // of `int[2]`; 0 = any
  c10::IValue fixed_;
  std::vector<int64_t> items_;     // kValues, kInts
  std::vector<uint8_t> is_value_;  // kInts
  std::vector<int64_t> reads_;
};

// `value` as an argument of this type that is no list.
c10::IValue coerce(const c10::IValue& value, const c10::Type& type);

}  // namespace changeaware::torch_plugin
