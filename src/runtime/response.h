// The last stage of a request: the outputs and the report.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "package/package_file.h"
#include "runtime/request.h"

namespace changeaware {

// Tensors that the program returns without computing them.
// Thread safety: every method may be called concurrently.
class ConstantOutputs {
 public:
  explicit ConstantOutputs(std::shared_ptr<const PackageFile> package)
      : package_(std::move(package)) {}
  // The caller's own copy. Corrupt when `main` has no such constant.
  Result<Tensor> get(const std::string& name);

 private:
  const std::shared_ptr<const PackageFile> package_;
  std::mutex mutex_;
  std::map<std::string, Tensor> tensors_;
};

// What the plan does to each region, in words.
std::vector<Decision> make_decisions(const RequestState& state);

// `strategy`: the name of the one that was planned. Outputs are the caller's own: computed and not
// retained, or copies.
Result<Response> make_response(const RequestState& state, const std::string& strategy,
                               ConstantOutputs& constants);

}  // namespace changeaware
