#include "bench/subject.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace changeaware::bench {

std::shared_ptr<const Package> open_package(const std::string& path) {
  return value_or_throw(Package::open(path));
}

bool same_bits(const Response& a, const Response& b) {
  if (a.outputs.size() != b.outputs.size()) return false;
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    if (!bit_identical(a.outputs[i].tensor, b.outputs[i].tensor)) return false;
  }
  return true;
}

Subject::Subject(const std::shared_ptr<const Package>& package, std::vector<Sample> samples,
                 const SessionOptions& options)
    : samples_(std::move(samples)), session_(value_or_throw(Session::create(package, options))) {
  if (const Status status = session_->load(); !status.ok()) {
    throw std::runtime_error(status.to_string());
  }
  for (const Sample& sample : samples_) {
    request_.inputs[sample.name] = sample.value;
    tags_[sample.name] = "0";
  }
}

void Subject::change(const std::vector<std::string>& inputs) {
  if (!inputs.empty()) ++step_;
  for (const std::string& name : inputs) set(name, step_);
}

void Subject::set(const std::string& input, size_t step) {
  const auto sample = std::find_if(samples_.begin(), samples_.end(),
                                   [&](const Sample& s) { return s.name == input; });
  if (sample == samples_.end()) throw std::runtime_error("no input '" + input + "'");
  request_.inputs[input] = vary(*sample, step);
  tags_[input] = std::to_string(step);
}

double Subject::run(bool full, bool tags) {
  request_.reuse = !full;
  request_.versions = tags ? tags_ : std::map<std::string, std::string>();
  response_ = {};  // memory of the last answer goes before the clock starts
  const auto start = std::chrono::steady_clock::now();
  Result<Response> response = session_->run(request_);
  const auto end = std::chrono::steady_clock::now();
  response_ = value_or_throw(std::move(response));
  return std::chrono::duration<double, std::micro>(end - start).count();
}

}  // namespace changeaware::bench
