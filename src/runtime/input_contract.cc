#include "runtime/input_contract.h"

#include <charconv>

#include "base/errors.h"

namespace changeaware {
InputContract::InputContract(const Manifest& manifest) {
  for (const SymbolBounds& s : manifest.symbols) bounds_[s.symbol] = s;
  for (const ProgramInput& program_input : manifest.inputs) {
    const Port& port = program_input.port;
    Input input{port.name,
                port.dtype,
                {},
                fmt::format("{} [{}]", dtype_name(port.dtype), fmt::join(port.shape, ", "))};
    for (const std::string& text : port.shape) {
      Size size;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size.fixed);
      if (error != std::errc() || end != text.data() + text.size()) size = {-1, text};
      input.sizes.push_back(std::move(size));
    }
    inputs_.push_back(std::move(input));
  }
}

Status InputContract::mismatch(const Input& input, const Tensor& tensor) {
  return invalid_argument("input '{}' is {} {}, the program takes {}", input.name,
                          dtype_name(tensor.dtype()), shape_to_string(tensor.shape()), input.text);
}

Status InputContract::check(const std::vector<Tensor>& given) const {
  SymbolValues symbols;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (given[i].defined()) CA_RETURN_IF_ERROR(check_one(inputs_[i], given[i], symbols));
  }
  // Expressions last: any input may define their symbols, and the first one without does.
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (given[i].defined()) CA_RETURN_IF_ERROR(check_expressions(inputs_[i], given[i], symbols));
  }
  return {};
}

Status InputContract::check_one(const Input& input, const Tensor& tensor,
                                SymbolValues& symbols) const {
  if (tensor.dtype() != input.dtype || tensor.rank() != input.sizes.size())
    return mismatch(input, tensor);
  for (size_t d = 0; d < input.sizes.size(); ++d) {
    const Size& size = input.sizes[d];
    const int64_t value = tensor.shape()[d];
    if (size.fixed >= 0) {
      if (value != size.fixed) return mismatch(input, tensor);
    } else if (is_symbol(size.expression)) {
      const auto [it, added] = symbols.emplace(size.expression, value);
      if (!added && it->second != value) {
        return mismatch(input, tensor)
            .with_context(
                fmt::format("{} is {} elsewhere in the request", size.expression, it->second));
      }
      CA_RETURN_IF_ERROR(check_bounds(size.expression, value, input.name));
    }
  }
  return {};
}

Status InputContract::check_expressions(const Input& input, const Tensor& tensor,
                                        SymbolValues& symbols) const {
  for (size_t d = 0; d < input.sizes.size(); ++d) {
    const std::string& expression = input.sizes[d].expression;
    if (input.sizes[d].fixed >= 0 || is_symbol(expression)) continue;
    switch (match_size(expression, tensor.shape()[d], symbols)) {
      case SizeMatch::kMatches: break;
      case SizeMatch::kDiffers: {
        const auto value = evaluate_expression(expression, symbols);
        if (!value) return mismatch(input, tensor);
        return mismatch(input, tensor)
            .with_context(fmt::format("{} is {} for this request", expression, *value));
      }
      case SizeMatch::kUnknown:
        return unsupported("input '{}': the size {} cannot be checked from the inputs given",
                           input.name, expression);
    }
    for (const std::string& symbol : symbols_in(expression)) {
      CA_RETURN_IF_ERROR(check_bounds(symbol, symbols.find(symbol)->second, input.name));
    }
  }
  return {};
}

Status InputContract::check_bounds(const std::string& symbol, int64_t value,
                                   const std::string& input) const {
  const auto it = bounds_.find(symbol);
  if (it == bounds_.end() || (value >= it->second.min && value <= it->second.max)) return {};
  return invalid_argument("input '{}' has size {} for {}, the program was exported for {} to {}",
                          input, value, symbol, it->second.min, it->second.max);
}

}  // namespace changeaware
