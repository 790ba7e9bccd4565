// Facts: named numbers and truths of one measurement, printed as one JSON object.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace changeaware::bench {

class Facts {
 public:
  void add(const std::string& name, bool value);
  template <class T>
    requires(std::integral<T> || std::floating_point<T>)
  void add(const std::string& name, T value) {
    add_number(name, static_cast<double>(value));
  }
  void add(const std::string& name, const std::vector<double>& values);
  std::string to_json() const;

 private:
  void add_number(const std::string& name, double value);
  std::vector<std::pair<std::string, std::string>> members_;  // the value as JSON
};

}  // namespace changeaware::bench
