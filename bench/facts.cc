#include "bench/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace changeaware::bench {

void Facts::add(const std::string& name, bool value) {
  members_.emplace_back(name, value ? "true" : "false");
}

void Facts::add(const std::string& name, const std::vector<double>& values) {
  members_.emplace_back(name, fmt::format("[{}]", fmt::join(values, ", ")));
}

void Facts::add_number(const std::string& name, double value) {
  members_.emplace_back(name, fmt::format("{}", value));
}

std::string Facts::to_json() const {
  std::vector<std::string> lines;
  for (const auto& [name, value] : members_)
    lines.push_back(fmt::format("\"{}\": {}", name, value));
  return fmt::format("{{{}}}", fmt::join(lines, ", "));
}

}  // namespace changeaware::bench
