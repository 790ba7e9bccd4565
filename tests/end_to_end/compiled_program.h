// A program in the text form of graphs, compiled to a package file and opened.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "changeaware/compiler.h"
#include "changeaware/session.h"

namespace changeaware::testing {

using Inputs = std::map<std::string, Tensor>;

class CompiledProgram {
 public:
  // `text` as in graph/text.h; outputs get the names of their values, with suffixes where two are
  // equal. Weights (`constant … "name"`) of float32 get noise. Expects success; `examples` let the
  // compiler verify by execution. Segments and strategies are the same every time by nominal costs.
  explicit CompiledProgram(const std::string& text, const Inputs& examples = {},
                           CostSource costs = CostSource::kNominal);
  ~CompiledProgram();

  const std::shared_ptr<const Package>& package() const { return package_; }
  const std::string& path() const { return path_; }
  std::unique_ptr<Session> session(uint64_t retained_budget_bytes = 1 << 30,
                                   bool check_versions = false) const;
  // The answer of a session that reuses nothing.
  std::vector<OutputValue> full_run(const Inputs& inputs,
                                    const std::vector<std::string>& want = {}) const;

 private:
  std::string path_;
  std::shared_ptr<const Package> package_;
  std::unique_ptr<Session> reference_;
};

// Runs and expects success.
Response run(Session& session, const Inputs& inputs, const std::vector<std::string>& want = {});

// Expects the same names and the same bits.
void expect_identical(const std::vector<OutputValue>& got,
                      const std::vector<OutputValue>& expected);

Tensor f32(Shape shape, const std::vector<float>& values);
Tensor i64(Shape shape, const std::vector<int64_t>& values);
// Values that differ from seed to seed.
Tensor noise(Shape shape, unsigned seed);
std::vector<float> floats(const Tensor& tensor);

// Writes the program as a `.pt2` file at `path`; expects success.
void write_program(const std::string& text, const std::string& path);
// A path in the test's temporary folder that no other test uses.
std::string temporary_path(const std::string& name);

}  // namespace changeaware::testing
