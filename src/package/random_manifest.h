// Random small manifests for tests of what follows from a manifest alone.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "changeaware/package.h"

namespace changeaware {

inline Port named_port(std::string name) { return {std::move(name), DType::kFloat32, {"1"}}; }

inline void add_dependencies(Callable& to, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto& have = to.dependencies;
    if (std::find(have.begin(), have.end(), name) == have.end()) to.dependencies.push_back(name);
  }
}

// `segments` callables after "main", each with 1 or 2 outputs, some with an assertion; up to 4
// inputs, of which the last may be fixed; 1 to 3 results. Costs are whole numbers.
inline Manifest random_manifest(std::mt19937& random, size_t segments) {
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const auto cost = [&] { return static_cast<double>(pick(3) == 0 ? 0 : 1 + pick(20)); };
  Manifest m;
  const size_t inputs = 1 + pick(4);
  for (size_t i = 0; i < inputs; ++i) m.inputs.push_back({named_port("x" + std::to_string(i)), ""});
  if (pick(3) == 0) m.inputs.push_back({named_port("fixed"), "None"});
  Callable main;
  main.name = "main";
  for (size_t i = 0; i < inputs; ++i) main.inputs.push_back(m.inputs[i].port);
  for (const Port& port : main.inputs) main.dependencies.push_back(port.name);
  m.callables.push_back(main);

  std::vector<Callable> made;
  std::vector<std::string> ports;
  for (size_t s = 0; s < segments; ++s) {
    Callable c;
    c.name = "s" + std::to_string(s);
    for (size_t i = 0; i < inputs; ++i) {
      if (pick(inputs + 1) != 0) continue;
      c.inputs.push_back(m.inputs[i].port);
      add_dependencies(c, {m.inputs[i].port.name});
    }
    for (const Callable& writer : made) {
      for (const Port& port : writer.outputs) {
        if (pick(3) != 0) continue;
        c.inputs.push_back(port);
        add_dependencies(c, writer.dependencies);
      }
    }
    for (size_t o = 0; o < 1 + pick(2); ++o) {
      c.outputs.push_back(named_port(c.name + (o == 0 ? "a" : "b")));
      ports.push_back(c.outputs.back().name);
    }
    if (pick(6) == 0) c.assertions.push_back("holds");
    c.costs = {cost(), cost(), cost(), cost(), pick(100)};
    m.callables[0].costs.steady_us += c.costs.steady_us;
    made.push_back(c);
  }
  m.callables[0].costs.steady_us *= static_cast<double>(pick(4)) / 2;
  m.callables.insert(m.callables.end(), made.begin(), made.end());
  for (size_t o = 0; o < 1 + pick(3); ++o) {
    ProgramOutput output;
    output.name = "result" + std::to_string(o);
    output.port = named_port(pick(2) == 0 ? ports.back() : ports[pick(ports.size())]);
    const auto& have = m.callables[0].outputs;
    if (std::none_of(have.begin(), have.end(),
                     [&](const Port& p) { return p.name == output.port.name; })) {
      m.callables[0].outputs.push_back(output.port);
    }
    m.outputs.push_back(output);
  }
  return m;
}

inline std::vector<std::string> segment_names(const Manifest& m) {
  std::vector<std::string> out;
  for (size_t i = 1; i < m.callables.size(); ++i) out.push_back(m.callables[i].name);
  return out;
}

}  // namespace changeaware
