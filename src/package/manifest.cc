#include <set>
#include <utility>

#include "base/errors.h"
#include "changeaware/package.h"
#include "package/validate_strategies.h"

namespace changeaware {
namespace {

class Validator {
 public:
  explicit Validator(const Manifest& m) : m_(m) {}

  Status run() {
    CA_RETURN_IF_ERROR(check_inputs());
    CA_RETURN_IF_ERROR(check_callables());
    CA_RETURN_IF_ERROR(check_tolerance());
    return validate_strategies(m_);
  }

 private:
  Status check_inputs() {
    for (const ProgramInput& input : m_.inputs) {
      const Port& port = input.port;
      if (!input_names_.insert(port.name).second)
        return corrupt("inputs: '{}' occurs twice", port.name);
      if (input.fixed_value.empty()) given_.insert(port.name);
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
          if (!given_.contains(input))
            return corrupt("callable '{}': no input '{}'", c.name, input);
        }
      }
      CA_RETURN_IF_ERROR(check_costs(c));
    }
    return {};
  }

  static Status check_costs(const Callable& c) {
    const std::pair<const char*, double> fields[] = {{"steady_us", c.costs.steady_us},
                                                     {"p95_us", c.costs.p95_us},
                                                     {"cold_us", c.costs.cold_us},
                                                     {"load_us", c.costs.load_us}};
    for (const auto& [field, value] : fields) {
      if (!is_amount(value)) return corrupt("callable '{}': {} is {}", c.name, field, value);
    }
    return {};
  }

  Status check_tolerance() const {
    const std::pair<const char*, double> fields[] = {{"rtol", m_.tolerance.rtol},
                                                     {"atol", m_.tolerance.atol},
                                                     {"of_scale", m_.tolerance.of_scale}};
    for (const auto& [field, value] : fields) {
      if (!is_amount(value)) return corrupt("tolerance: {} is {}", field, value);
    }
    return {};
  }

  const Manifest& m_;
  std::set<std::string> input_names_;
  std::set<std::string> given_;  // inputs that were not fixed at export
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
