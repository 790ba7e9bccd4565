#include "cli/replayer.h"

#include <chrono>

#include "cli/npy.h"
#include "cli/output_digest.h"

namespace changeaware::cli {
namespace {

// Names of the outputs of `a` that `b` lacks or has with other bits, and those only `b` has.
std::vector<std::string> differences(const std::vector<OutputValue>& a,
                                     const std::vector<OutputValue>& b) {
  std::vector<std::string> out;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || a[i].name != b[i].name) {
      out.push_back(i < a.size() ? a[i].name : b[i].name);
      continue;
    }
    const bool both = a[i].tensor.defined() && b[i].tensor.defined();
    const bool same = both ? bit_identical(a[i].tensor, b[i].tensor)
                           : a[i].tensor.defined() == b[i].tensor.defined();
    if (!same) out.push_back(a[i].name);
  }
  return out;
}

}  // namespace

Replayer::Replayer(Session& session, ReplayOptions options, Session* reference)
    : session_(session), options_(std::move(options)), reference_(reference) {}

Result<Request> Replayer::assemble(const TraceRequest& request) const {
  Request out;
  out.inputs = values_;
  out.versions = versions_;
  out.want = request.want;
  out.strategy = options_.strategy;
  out.reuse = !options_.full;
  for (const auto& [name, file] : request.inputs) {
    Result<Tensor> value = read_npy(file);
    if (!value.ok()) return value.status().with_context("inputs." + name);
    out.inputs[name] = *std::move(value);
    out.versions.erase(name);  // the old tag stood for the old value
  }
  for (const auto& [name, tag] : request.versions) out.versions[name] = tag;
  return out;
}

void Replayer::compare(const Request& request, const Result<Response>& answer,
                       ReplayResult& result) {
  Request in_full = request;
  if (answer.ok()) in_full.strategy = answer->report.strategy;
  in_full.reuse = false;
  const Result<Response> reference = reference_->run(in_full);
  if (!reference.ok()) result.reference_error = reference.status().to_string();
  if (answer.ok() && reference.ok()) {
    result.different = differences(answer->outputs, reference->outputs);
    result.equal = result.different.empty();
  } else {
    result.equal = answer.status().code() == reference.status().code();
  }
}

ReplayResult Replayer::run(size_t index, const TraceRequest& trace_request) {
  ReplayResult result;
  result.index = index;
  Result<Request> request = assemble(trace_request);
  if (!request.ok()) {
    result.status = request.status();
    return result;
  }
  const auto begin = std::chrono::steady_clock::now();
  Result<Response> answer = session_.run(*request);
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - begin;
  if (reference_ != nullptr) compare(*request, answer, result);
  result.status = answer.status();
  if (!answer.ok()) return result;

  result.report = std::move(answer->report);
  result.microseconds = elapsed.count();
  for (const OutputValue& output : answer->outputs) {
    std::optional<std::string> digest;
    if (output.tensor.defined()) digest = sha256_hex(output.tensor);
    result.outputs.emplace_back(output.name, std::move(digest));
  }
  values_ = std::move(request->inputs);
  versions_ = std::move(request->versions);
  return result;
}

}  // namespace changeaware::cli
