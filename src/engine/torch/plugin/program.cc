#include "engine/torch/plugin/program.h"

#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <new>

namespace changeaware::torch_plugin {
namespace {

using c10::IValue;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// What the thread has switched on (autocast, a dispatch mode, a gradient) is not the program's.
class PlainState {
  c10::impl::ForceDispatchKeyGuard keys_{c10::default_included_set, c10::default_excluded_set};
  c10::AutoGradMode no_gradient_{false};
};

Number number_of(const Operand& operand, const Values& values) {
  return to_number(operand.load(values));
}

// Arguments of Python's arithmetic are numbers or, of torch.sym_sum, one list of them.
c10::Argument number_argument(bool list) {
  const c10::TypePtr number = c10::NumberType::get();
  return c10::Argument("", list ? c10::TypePtr(c10::ListType::create(number)) : number);
}

void store_results(const std::vector<int32_t>& names, std::vector<IValue> results,
                   std::vector<IValue>& computed) {
  TORCH_CHECK(names.size() == results.size(), results.size(), " results instead of ", names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] >= 0) computed[static_cast<size_t>(names[i])] = std::move(results[i]);
  }
}

}  // namespace

ProgramError current_error() {
  try {
    throw;
  } catch (const ProgramError& e) {
    return e;
  } catch (const c10::NotImplementedError& e) {
    return {CA_TORCH_UNSUPPORTED, first_line(e.what_without_backtrace())};
  } catch (const c10::OutOfMemoryError& e) {
    return {CA_TORCH_OUT_OF_MEMORY, first_line(e.what_without_backtrace())};
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    const bool memory = text.find("can't allocate memory") != std::string::npos;
    const bool ours = text.find("INTERNAL ASSERT FAILED") != std::string::npos;
    return {memory ? CA_TORCH_OUT_OF_MEMORY
            : ours ? CA_TORCH_INTERNAL
                   : CA_TORCH_INVALID_ARGUMENT,
            first_line(text)};
  } catch (const std::bad_alloc&) {
    return {CA_TORCH_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::exception& e) {
    return {CA_TORCH_INVALID_ARGUMENT, first_line(e.what())};
  } catch (...) {
    return {CA_TORCH_INTERNAL, "PyTorch threw something that is no exception"};
  }
}

c10::OperatorName dispatcher_name(const std::string& op) {
  const size_t first = op.find('.');
  const size_t last = op.rfind('.');
  TORCH_CHECK(first != std::string::npos, "'", op, "' is no operator's name");
  if (first == last) return {op.substr(0, first) + "::" + op.substr(first + 1), ""};
  std::string overload = op.substr(last + 1);
  if (overload == "default") overload.clear();
  return {op.substr(0, first) + "::" + op.substr(first + 1, last - first - 1), overload};
}

Program::Program(const CaTorchProgramSpec& spec)
    : value_count_(spec.value_count),
      inputs_(spec.inputs, spec.inputs + spec.input_count),
      constants_(spec.value_count),
      outputs_(spec.outputs, spec.outputs + spec.output_count) {
  const PlainState state;
  for (size_t i = 0; i < spec.constant_count; ++i) {
    const CaTorchConstant& constant = spec.constants[i];
    at::Tensor t = over_memory(constant.tensor);
    // Some of PyTorch's choices depend on it, also where no gradient is recorded.
    if (constant.is_parameter != 0 && (t.is_floating_point() || t.is_complex())) {
      t.set_requires_grad(true);
    }
    constant_storages_.insert(t.storage().unsafeGetStorageImpl());
    constants_.at(static_cast<size_t>(constant.value)) = std::move(t);
  }
  steps_.reserve(spec.node_count);
  for (size_t i = 0; i < spec.node_count; ++i) steps_.push_back(make_step(spec.nodes[i]));
  find_last_reads();
}

Program::Step Program::make_step(const CaTorchNode& node) const {
  Step step;
  step.label = std::string("node '") + node.name + "' (" + node.op + ")";
  step.outputs.assign(node.outputs, node.outputs + node.output_count);
  try {
    step.number_op = find_number_op(node.op);
    step.number_op != nullptr ? add_number_operands(node, step) : add_operands(node, step);
  } catch (...) {
    const ProgramError error = current_error();
    throw ProgramError{error.code == CA_TORCH_INVALID_ARGUMENT ? CA_TORCH_UNSUPPORTED : error.code,
                       step.label + ": " + error.message};
  }
  return step;
}

void Program::add_number_operands(const CaTorchNode& node, Step& step) const {
  const int arity = step.number_op->arity;
  TORCH_CHECK(node.argument_count == static_cast<size_t>(arity < 0 ? 1 : arity),
              node.argument_count, " arguments");
  const c10::Argument schema = number_argument(arity < 0);
  for (size_t i = 0; i < node.argument_count; ++i) {
    step.operands.emplace_back(node.arguments[i], schema, value_count_);
  }
}

void Program::add_operands(const CaTorchNode& node, Step& step) const {
  step.op = c10::Dispatcher::singleton().findSchema(dispatcher_name(node.op));
  TORCH_CHECK(step.op.has_value(), "PyTorch does not have this operator");
  const auto& arguments = step.op->schema().arguments();
  TORCH_CHECK(arguments.size() == node.argument_count, "PyTorch's operator has ", arguments.size(),
              " arguments, the program's ", node.argument_count);
  for (size_t i = 0; i < arguments.size(); ++i) {
    try {
      step.operands.emplace_back(node.arguments[i], arguments[i], value_count_);
    } catch (...) {
      const ProgramError error = current_error();
      throw ProgramError{error.code, "argument '" + arguments[i].name() + "': " + error.message};
    }
  }
}

void Program::find_last_reads() {
  constexpr size_t kKept = SIZE_MAX;
  std::vector<size_t> last(value_count_, kKept);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (const Operand& operand : steps_[s].operands) {
      for (const int64_t value : operand.values()) last[static_cast<size_t>(value)] = s;
    }
    for (const int32_t value : steps_[s].outputs) {
      if (value >= 0) last.at(static_cast<size_t>(value)) = s;
    }
  }
  for (const int32_t value : outputs_) last.at(static_cast<size_t>(value)) = kKept;
  for (size_t v = 0; v < last.size(); ++v) {
    if (last[v] != kKept && constants_[v].isNone()) {
      steps_[last[v]].dead.push_back(static_cast<int64_t>(v));
    }
  }
}

void Program::call(const Step& step, const Values& values, std::vector<IValue>& computed) const {
  if (step.number_op != nullptr) {
    std::vector<Number> numbers;
    if (step.number_op->arity < 0) {
      for (const IValue& item : step.operands[0].load(values).toListRef()) {
        numbers.push_back(to_number(item));
      }
    } else {
      for (const Operand& operand : step.operands) numbers.push_back(number_of(operand, values));
    }
    store_results(step.outputs, {to_ivalue(step.number_op->function(numbers))}, computed);
    return;
  }
  c10::Stack stack;
  stack.reserve(std::max(step.operands.size(), step.outputs.size()));
  for (const Operand& operand : step.operands) stack.push_back(operand.load(values));
  step.op->callBoxed(stack);
  const bool is_list = stack.size() == 1 && stack[0].isList();
  store_results(step.outputs, is_list ? stack[0].toListRef().vec() : std::move(stack), computed);
}

void Program::run(const CaTorchTensor* inputs, CaTorchOutput* outputs) const {
  const PlainState state;
  std::vector<IValue> computed(value_count_);
  Storages taken;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    IValue& value = computed.at(static_cast<size_t>(inputs_[i].value));
    if (inputs_[i].is_number != 0) {
      value = number_in(inputs[i]);
      continue;
    }
    value = over_memory(inputs[i]);
    taken.insert(value.toTensor().storage().unsafeGetStorageImpl());
  }
  const Values values(constants_, computed);
  const Step* current = nullptr;
  try {
    for (const Step& step : steps_) {
      current = &step;
      call(step, values, computed);
      for (const int64_t value : step.dead) computed[static_cast<size_t>(value)] = IValue();
    }
  } catch (...) {
    const ProgramError error = current_error();
    throw ProgramError{error.code, current->label + ": " + error.message};
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    try {
      give_back(values.get(outputs_[i]), constant_storages_, taken, outputs[i]);
    } catch (...) {
      const ProgramError error = current_error();
      throw ProgramError{error.code, "output " + std::to_string(i) + ": " + error.message};
    }
  }
}

}  // namespace changeaware::torch_plugin
