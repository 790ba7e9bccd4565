// Subject: a session of ours on one package, asked with ever new values. Subjects on one package
// share what is loaded.
// Not thread-safe. Throws std::runtime_error with the status of a failed call.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/samples.h"
#include "changeaware/session.h"

namespace changeaware::bench {

// Throws std::runtime_error with the status when there is no value.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().to_string());
  return std::move(result).value();
}

std::shared_ptr<const Package> open_package(const std::string& path);

// Whether both answers have the same outputs, bit by bit.
bool same_bits(const Response& a, const Response& b);

class Subject {
 public:
  Subject(const std::shared_ptr<const Package>& package, std::vector<Sample> samples,
          const SessionOptions& options);

  // Gives these inputs values that no request had before, and every input a new version tag where
  // its value is new.
  void change(const std::vector<std::string>& inputs);
  // Gives one input the value of a step, and the tag that goes with it.
  void set(const std::string& input, size_t step);
  // Microseconds of one request with the present values.
  double run(bool full, bool tags);
  // Of the last run.
  const Response& response() const { return response_; }
  const std::map<std::string, Tensor>& values() const { return request_.inputs; }
  SessionStats stats() const { return session_->stats(); }

 private:
  std::vector<Sample> samples_;
  std::unique_ptr<Session> session_;
  Request request_;
  std::map<std::string, std::string> tags_;
  Response response_;
  size_t step_ = 0;
};

}  // namespace changeaware::bench
