#include "analysis/symbols.h"

#include <cctype>

namespace changeaware {

std::vector<std::string> symbols_in(std::string_view expression) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::vector<std::string> out;
  size_t i = 0;
  while (i < expression.size()) {
    if (!is_name(expression[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < expression.size() && is_name(expression[end])) ++end;
    const bool number = std::isdigit(static_cast<unsigned char>(expression[i]));
    const bool function = end < expression.size() && expression[end] == '(';
    if (!number && !function) out.emplace_back(expression.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace changeaware
