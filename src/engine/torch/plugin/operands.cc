#include "engine/torch/plugin/operands.h"

#include "engine/torch/plugin/values.h"

namespace changeaware::torch_plugin {
namespace {

using c10::IValue;
using c10::TypeKind;

c10::TypePtr without_optional(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

bool is_int_kind(TypeKind kind) {
  return kind == TypeKind::IntType || kind == TypeKind::SymIntType;
}
bool is_float_kind(TypeKind kind) {
  return kind == TypeKind::FloatType || kind == TypeKind::SymFloatType;
}
bool is_bool_kind(TypeKind kind) {
  return kind == TypeKind::BoolType || kind == TypeKind::SymBoolType;
}
bool is_number(const IValue& v) { return v.isInt() || v.isDouble() || v.isBool() || v.isSymInt(); }

IValue as_int(const IValue& v) {
  if (v.isInt()) return v;
  if (v.isTensor()) return v.toTensor().item().toLong();
  TORCH_CHECK(!v.isDouble(), "a floating-point number where an integer is needed");
  return v.isBool() ? static_cast<int64_t>(v.toBool()) : v.toInt();
}

IValue as_float(const IValue& v) {
  return v.isTensor() ? v.toTensor().item().toDouble() : v.toScalar().toDouble();
}

IValue as_bool(const IValue& v) {
  return v.isTensor() ? v.toTensor().item().toBool() : v.toScalar().toBool();
}

// Lists of the dispatcher carry the type of their elements.
template <class T>
IValue typed_list(const std::vector<IValue>& items, const c10::Type& element) {
  c10::List<T> out;
  out.reserve(items.size());
  for (const IValue& item : items) out.push_back(coerce(item, element).to<T>());
  return out;
}

IValue optional_tensors(const std::vector<IValue>& items) {
  c10::List<std::optional<at::Tensor>> out;
  out.reserve(items.size());
  for (const IValue& item : items) {
    item.isNone() ? out.push_back(std::nullopt) : out.push_back(item.toTensor());
  }
  return out;
}

IValue generic_list(const std::vector<IValue>& items, const c10::TypePtr& element) {
  c10::impl::GenericList out(element);
  for (const IValue& item : items) out.push_back(coerce(item, *element));
  return out;
}

IValue make_list(const std::vector<IValue>& items, const c10::TypePtr& element) {
  const TypeKind kind = element->kind();
  if (kind == TypeKind::OptionalType) return optional_tensors(items);
  if (kind == TypeKind::TensorType) return typed_list<at::Tensor>(items, *element);
  if (is_int_kind(kind)) return typed_list<int64_t>(items, *element);
  if (is_float_kind(kind)) return typed_list<double>(items, *element);
  if (is_bool_kind(kind)) return typed_list<bool>(items, *element);
  return generic_list(items, element);
}

c10::Device cpu_device(const char* text) {
  const c10::Device device{std::string(text)};
  TORCH_CHECK(device.is_cpu(), "device '", text, "': only the CPU is there");
  return device;
}

}  // namespace

IValue coerce(const IValue& value, const c10::Type& type) {
  const TypeKind kind = type.kind();
  if (kind == TypeKind::TensorType) return is_number(value) ? wrapped_number(value) : value;
  if (value.isNone()) return value;
  if (kind == TypeKind::NumberType) return value.isTensor() ? value.toTensor().item() : value;
  if (is_int_kind(kind)) return as_int(value);
  if (is_float_kind(kind)) return as_float(value);
  if (is_bool_kind(kind)) return as_bool(value);
  return value;
}

Operand::Operand(const CaTorchArgument& argument, const c10::Argument& schema, size_t value_count)
    : type_(without_optional(schema.real_type())) {
  if (const auto list = type_->cast<c10::ListType>()) element_ = list->getElementType();
  if (schema.N()) list_size_ = static_cast<int>(*schema.N());
  switch (argument.kind) {
    case CA_TORCH_VALUE:
      source_ = Source::kValue;
      reads_ = {checked_value(argument.integer, value_count)};
      return;
    case CA_TORCH_VALUES:
      TORCH_CHECK(element_, "a list where one is not expected");
      source_ = Source::kValues;
      items_.assign(argument.integers, argument.integers + argument.count);
      for (const int64_t item : items_) {
        if (item >= 0) reads_.push_back(checked_value(item, value_count));
      }
      return;
    case CA_TORCH_SYMBOLIC_INTS:
      TORCH_CHECK(element_, "a list where one is not expected");
      source_ = Source::kInts;
      items_.assign(argument.integers, argument.integers + argument.count);
      is_value_.assign(argument.is_value, argument.is_value + argument.count);
      for (size_t i = 0; i < items_.size(); ++i) {
        if (is_value_[i] != 0) reads_.push_back(checked_value(items_[i], value_count));
      }
      return;
    default: fixed_ = fixed(argument);
  }
}

int64_t Operand::checked_value(int64_t value, size_t value_count) const {
  TORCH_CHECK(value >= 0 && static_cast<size_t>(value) < value_count, "no value ", value);
  return value;
}

IValue Operand::fixed(const CaTorchArgument& argument) const {
  if (argument.kind == CA_TORCH_NONE) return {};
  if (element_) return fixed_list(argument);
  switch (argument.kind) {
    case CA_TORCH_BOOL: return coerce(argument.integer != 0, *type_);
    case CA_TORCH_FLOAT: return coerce(argument.number, *type_);
    case CA_TORCH_INT:
    case CA_TORCH_DTYPE:
    case CA_TORCH_MEMORY_FORMAT:
    case CA_TORCH_LAYOUT: return coerce(argument.integer, *type_);
    case CA_TORCH_STRING: return std::string(argument.text);
    case CA_TORCH_DEVICE: return cpu_device(argument.text);
    default: TORCH_CHECK(false, "a list where one is not expected");
  }
}

// One number stands for all elements of a list of known length.
IValue Operand::fixed_list(const CaTorchArgument& argument) const {
  std::vector<IValue> items;
  switch (argument.kind) {
    case CA_TORCH_INTS: items.assign(argument.integers, argument.integers + argument.count); break;
    case CA_TORCH_FLOATS: items.assign(argument.numbers, argument.numbers + argument.count); break;
    case CA_TORCH_BOOLS:
      for (size_t i = 0; i < argument.count; ++i) items.emplace_back(argument.integers[i] != 0);
      break;
    case CA_TORCH_INT: items.assign(list_size_ > 0 ? list_size_ : 1, argument.integer); break;
    case CA_TORCH_FLOAT: items.assign(list_size_ > 0 ? list_size_ : 1, argument.number); break;
    case CA_TORCH_BOOL: items.assign(list_size_ > 0 ? list_size_ : 1, argument.integer != 0); break;
    default: TORCH_CHECK(false, "not a list, where one is expected");
  }
  return make_list(items, element_);
}

IValue Operand::value_list(const Values& values) const {
  std::vector<IValue> items;
  items.reserve(items_.size());
  for (const int64_t item : items_) items.push_back(item < 0 ? IValue() : values.get(item));
  return make_list(items, element_);
}

IValue Operand::int_list(const Values& values) const {
  std::vector<IValue> items;
  items.reserve(items_.size());
  for (size_t i = 0; i < items_.size(); ++i) {
    items.push_back(is_value_[i] != 0 ? values.get(items_[i]) : IValue(items_[i]));
  }
  return make_list(items, element_);
}

IValue Operand::load(const Values& values) const {
  switch (source_) {
    case Source::kFixed: return fixed_;
    case Source::kValues: return value_list(values);
    case Source::kInts: return int_list(values);
    case Source::kValue: break;
  }
  const IValue& value = values.get(reads_[0]);
  if (!element_ || value.isList()) return coerce(value, *type_);
  return make_list(std::vector<IValue>(list_size_ > 0 ? list_size_ : 1, value), element_);
}

}  // namespace changeaware::torch_plugin
