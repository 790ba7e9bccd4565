#include "identity/symbol_numbers.h"

#include <fmt/format.h>

namespace changeaware {

void SymbolNumbers::declare(const Graph& graph) {
  for (const auto& [name, range] : graph.symbols()) numbers_.try_emplace(name);
}

std::optional<uint32_t> SymbolNumbers::number(std::string_view name) {
  const auto it = numbers_.find(name);
  if (it == numbers_.end()) return std::nullopt;
  if (!it->second) it->second = next_++;
  return it->second;
}

std::optional<uint32_t> SymbolNumbers::known(std::string_view name) const {
  const auto it = numbers_.find(name);
  return it == numbers_.end() ? std::nullopt : it->second;
}

std::string SymbolNumbers::form(std::string_view name) {
  const auto symbol = number(name);
  return symbol ? fmt::format("#{}", *symbol) : std::string(name);
}

}  // namespace changeaware
