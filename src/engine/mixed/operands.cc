#include "engine/mixed/operands.h"

#include <algorithm>

#include "base/errors.h"
#include "engine/mixed/body.h"

namespace changeaware::mixed {
namespace {

std::vector<Argument> elements_of(const Argument& argument) {
  std::vector<Argument> out;
  if (const auto* list = std::get_if<TensorList>(&argument)) {
    for (const auto& item : list->items) {
      out.push_back(item ? Argument(ValueRef{*item}) : Argument(None{}));
    }
  } else if (const auto* ints = std::get_if<std::vector<int64_t>>(&argument)) {
    out.assign(ints->begin(), ints->end());
  } else if (const auto* mixed = std::get_if<SymIntList>(&argument)) {
    for (const auto& item : mixed->items) {
      const auto* ref = std::get_if<ValueRef>(&item);
      out.push_back(ref ? Argument(*ref) : Argument(std::get<int64_t>(item)));
    }
  } else if (!std::holds_alternative<None>(argument)) {
    out.push_back(argument);
  }
  return out;
}

}  // namespace

Result<Operands> Operands::read(const Argument& argument, std::span<const ValueId> values) {
  Operands operands;
  for (const Argument& element : elements_of(argument)) {
    if (const auto* ref = std::get_if<ValueRef>(&element)) {
      const auto at = std::find(values.begin(), values.end(), ref->id);
      operands.items_.push_back({static_cast<size_t>(at - values.begin()), {}});
      continue;
    }
    Tensor fixed = number_tensor(element);
    if (!fixed.defined()) return invalid_program("an operand is neither a value nor a number");
    operands.items_.push_back({0, std::move(fixed)});
  }
  return operands;
}

void Operands::append_to(std::vector<Tensor>& out, std::span<const Tensor> inputs) const {
  for (const Item& item : items_) {
    out.push_back(item.fixed.defined() ? item.fixed : inputs[item.input]);
  }
}

}  // namespace changeaware::mixed
