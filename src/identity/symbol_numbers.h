// SymbolNumbers: symbols of one region by number instead of by name.
//
// Invariant: numbers are 0, 1, 2, … in the order in which number() first saw the names.
// Thread safety: none; one thread per object.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace changeaware {

class SymbolNumbers {
 public:
  // From now on the symbols of `graph` count as symbols.
  void declare(const Graph& graph);
  // Nothing for a name that no graph declared.
  std::optional<uint32_t> number(std::string_view name);
  // Nothing when number() was never asked.
  std::optional<uint32_t> known(std::string_view name) const;
  // "#0" for a symbol, else the name.
  std::string form(std::string_view name);

 private:
  std::map<std::string, std::optional<uint32_t>, std::less<>> numbers_;
  uint32_t next_ = 0;
};

}  // namespace changeaware
