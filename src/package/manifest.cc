#include <algorithm>
#include <map>
#include <set>

#include "base/errors.h"
#include "changeaware/package.h"

namespace changeaware {
namespace {

using Ports = std::map<std::string, Port>;

class Validator {
 public:
  explicit Validator(const Manifest& m) : m_(m) {}

  Status run() {
    CA_RETURN_IF_ERROR(check_inputs());
    CA_RETURN_IF_ERROR(check_callables());
    if (m_.strategies.empty()) return corrupt("strategies: none");
    for (const Strategy& s : m_.strategies) CA_RETURN_IF_ERROR(check_strategy(s));
    return {};
  }

 private:
  Status check_inputs() {
    for (const ProgramInput& input : m_.inputs) {
      const Port& port = input.port;
      if (!input_names_.insert(port.name).second)
        return corrupt("inputs: '{}' occurs twice", port.name);
      if (input.fixed_value.empty()) inputs_[port.name] = port;
    }
    std::set<std::string> names;
    for (const ProgramOutput& output : m_.outputs) {
      if (!names.insert(output.name).second)
        return corrupt("outputs: '{}' occurs twice", output.name);
    }
    return {};
  }

  Status check_callables() {
    if (m_.callables.empty() || m_.callables[0].name != "main")
      return corrupt("callables: the first is not main");
    std::set<std::string> names;
    for (const Callable& c : m_.callables) {
      if (!names.insert(c.name).second) return corrupt("callables: '{}' occurs twice", c.name);
      if (c.identity.size() != 64 ||
          c.identity.find_first_not_of("0123456789abcdef") != std::string::npos) {
        return corrupt("callable '{}': identity \"{}\" is no SHA-256", c.name, c.identity);
      }
      for (const auto* list : {&c.dependencies, &c.shape_dependencies}) {
        for (const std::string& input : *list) {
          if (!inputs_.contains(input))
            return corrupt("callable '{}': no input '{}'", c.name, input);
        }
      }
    }
    return {};
  }

  // Each callable reads only program inputs and outputs of callables before it; the strategy gives
  // every result.
  Status check_strategy(const Strategy& s) const {
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
    if (!inputs_.contains(port.name)) return {};
    for (const auto* list : {&c.dependencies, &c.shape_dependencies}) {
      if (std::find(list->begin(), list->end(), port.name) != list->end()) return {};
    }
    return corrupt("callable '{}' reads '{}' and does not depend on it", c.name, port.name);
  }

  const Manifest& m_;
  std::set<std::string> input_names_;
  Ports inputs_;
};

}  // namespace

Status Manifest::validate() const { return Validator(*this).run(); }

const Callable* Manifest::find_callable(std::string_view name) const {
  for (const Callable& c : callables) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

}  // namespace changeaware
