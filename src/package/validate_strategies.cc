#include "package/validate_strategies.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/errors.h"

namespace changeaware {
namespace {

using Ports = std::map<std::string, Port>;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class StrategyValidator {
 public:
  explicit StrategyValidator(const Manifest& m) : m_(m) {
    for (const ProgramInput& input : m.inputs) {
      if (!input.fixed_value.empty()) continue;
      position_.emplace(input.port.name, position_.size());
      inputs_[input.port.name] = input.port;
    }
  }

  Status check(const Strategy& s) const {
    CA_RETURN_IF_ERROR(check_ports(s));
    CA_RETURN_IF_ERROR(check_retained(s));
    std::set<std::vector<std::string>> masks;
    for (const MaskCost& mask : s.mask_costs) {
      CA_RETURN_IF_ERROR(check_mask(s, mask));
      if (!masks.insert(mask.changed).second) {
        return corrupt("strategy '{}': mask_costs: [{}] occurs twice", s.name,
                       fmt::join(mask.changed, ", "));
      }
    }
    return {};
  }

 private:
  // Each callable reads only program inputs and outputs of callables before it; the strategy gives
  // every result.
  Status check_ports(const Strategy& s) const {
    Ports available = inputs_;
    for (const std::string& name : s.callables) {
      const Callable* c = m_.find_callable(name);
      if (c == nullptr) return corrupt("strategy '{}': no callable '{}'", s.name, name);
      for (const Port& port : c->inputs) {
        CA_RETURN_IF_ERROR(check_dependency(*c, port));
        const auto it = available.find(port.name);
        if (it == available.end()) {
          return corrupt("strategy '{}': nothing gives '{}' to '{}'", s.name, port.name, name);
        }
        if (it->second.dtype != port.dtype || it->second.shape != port.shape) {
          return corrupt("callable '{}': the port '{}' differs from what gives it", name,
                         port.name);
        }
      }
      for (const Port& port : c->outputs) {
        if (!available.emplace(port.name, port).second) {
          return corrupt("strategy '{}': '{}' is given twice", s.name, port.name);
        }
      }
    }
    for (const ProgramOutput& output : m_.outputs) {
      if (output.kind == ProgramOutput::Kind::kPort && !available.contains(output.port.name)) {
        return corrupt("strategy '{}': nothing gives the output '{}'", s.name, output.name);
      }
    }
    return {};
  }

  // A request gives what the dependencies name, so an input port that is a program input must be
  // among them.
  Status check_dependency(const Callable& c, const Port& port) const {
    if (!inputs_.contains(port.name) || contains(c.dependencies, port.name) ||
        contains(c.shape_dependencies, port.name)) {
      return {};
    }
    return corrupt("callable '{}' reads '{}' and does not depend on it", c.name, port.name);
  }

  Status check_retained(const Strategy& s) const {
    std::set<std::string> computed;
    for (const std::string& name : s.callables) {
      for (const Port& port : m_.find_callable(name)->outputs) computed.insert(port.name);
    }
    std::set<std::string> seen;
    for (const std::string& port : s.retained) {
      if (inputs_.contains(port)) {
        return corrupt("strategy '{}': retained: '{}' is an input of the program", s.name, port);
      }
      if (!computed.contains(port)) {
        return corrupt("strategy '{}': retained: no callable of it gives '{}'", s.name, port);
      }
      if (!seen.insert(port).second) {
        return corrupt("strategy '{}': retained: '{}' occurs twice", s.name, port);
      }
    }
    return {};
  }

  Status check_mask(const Strategy& s, const MaskCost& mask) const {
    if (mask.changed.empty()) return corrupt("strategy '{}': mask_costs: changed is empty", s.name);
    size_t next = 0;
    for (const std::string& input : mask.changed) {
      const auto it = position_.find(input);
      if (it == position_.end()) {
        return corrupt("strategy '{}': mask_costs: changed: no input '{}'", s.name, input);
      }
      if (it->second < next) {
        return corrupt("strategy '{}': mask_costs: changed: '{}' is not in the program's order",
                       s.name, input);
      }
      next = it->second + 1;
    }
    auto at = s.callables.begin();
    for (const std::string& callable : mask.runs) {
      const auto found = std::find(at, s.callables.end(), callable);
      if (found == s.callables.end()) {
        return corrupt(
            "strategy '{}': mask_costs: runs: '{}' is no callable of it, or not in order", s.name,
            callable);
      }
      at = found + 1;
    }
    if (!is_amount(mask.steady_us) || !is_amount(mask.p95_us)) {
      return corrupt("strategy '{}': mask_costs: steady_us is {}, p95_us {}", s.name,
                     mask.steady_us, mask.p95_us);
    }
    return {};
  }

  const Manifest& m_;
  std::map<std::string, size_t> position_;  // of inputs, those fixed at export left out
  Ports inputs_;
};

}  // namespace

Status validate_strategies(const Manifest& manifest) {
  if (manifest.strategies.empty()) return corrupt("strategies: none");
  const Strategy& first = manifest.strategies[0];
  if (first.name != "monolithic" || first.callables != std::vector<std::string>{"main"} ||
      !first.retained.empty()) {
    return corrupt("strategies: the first is '{}', not 'monolithic' of main that retains nothing",
                   first.name);
  }
  const StrategyValidator validator(manifest);
  std::set<std::string> names;
  for (const Strategy& s : manifest.strategies) {
    if (!names.insert(s.name).second) return corrupt("strategies: '{}' occurs twice", s.name);
    CA_RETURN_IF_ERROR(validator.check(s));
  }
  return {};
}

}  // namespace changeaware
