// Runs a package several times; between runs only one input changes. Prints what ran, and why.
//
//     incremental PACKAGE
//
// Inputs get made-up values, so any package will do whose inputs are of fixed sizes and of dtype
// float32 or int64.
#include <changeaware/package.h>
#include <changeaware/session.h>
#include <changeaware/status.h>
#include <changeaware/tensor.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using changeaware::Decision;
using changeaware::DType;
using changeaware::Package;
using changeaware::ProgramInput;
using changeaware::Request;
using changeaware::Response;
using changeaware::Result;
using changeaware::Session;
using changeaware::Shape;
using changeaware::Status;
using changeaware::StatusCode;
using changeaware::Tensor;

template <class T>
Tensor fill(DType dtype, const Shape& shape, int step) {
  Tensor tensor = Tensor::empty(dtype, shape);
  T* data = reinterpret_cast<T*>(tensor.mutable_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const auto value = (i * 7 + step * 13) % 101;
    data[i] = static_cast<T>(dtype == DType::kFloat32 ? value / 101.0 : value);
  }
  return tensor;
}

// Values for an input; other ones for every other `step`.
Result<Tensor> make_value(const ProgramInput& input, int step) {
  Shape shape;
  for (const std::string& text : input.port.shape) {
    int64_t size = 0;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data(), end, size).ptr != end) {
      return Status(StatusCode::kUnsupported, input.port.name + " has no fixed size");
    }
    shape.push_back(size);
  }
  switch (input.port.dtype) {
    case DType::kFloat32: return fill<float>(DType::kFloat32, shape, step);
    case DType::kInt64: return fill<int64_t>(DType::kInt64, shape, step);
    default:
      return Status(StatusCode::kUnsupported,
                    input.port.name + " is of dtype " + std::string(dtype_name(input.port.dtype)));
  }
}

const char* outcome_name(Decision::Outcome outcome) {
  switch (outcome) {
    case Decision::Outcome::kRan: return "ran";
    case Decision::Outcome::kReused: return "reused";
    case Decision::Outcome::kNotNeeded: return "not needed";
  }
  return "";
}

// Runs the request and prints what became of each callable.
Status run(Session& session, const Request& request, const std::string& what) {
  CA_ASSIGN_OR_RETURN(const Response response, session.run(request));
  std::printf("%s: %.2f ms\n", what.c_str(), response.report.total_us / 1000);
  for (const Decision& decision : response.report.decisions) {
    std::printf("  %s %s: %s\n", decision.callable.c_str(), outcome_name(decision.outcome),
                decision.reason.c_str());
  }
  return {};
}

// A first run, one per input that changes, and one in which nothing does.
Status run_all(const std::string& path) {
  CA_ASSIGN_OR_RETURN(const auto package, Package::open(path));
  CA_ASSIGN_OR_RETURN(const auto session, Session::create(package));
  std::vector<ProgramInput> inputs;
  for (const ProgramInput& input : package->manifest().inputs) {
    if (input.fixed_value.empty()) inputs.push_back(input);  // others were decided at export
  }
  Request request;
  for (const ProgramInput& input : inputs) {
    CA_ASSIGN_OR_RETURN(request.inputs[input.port.name], make_value(input, 0));
  }
  CA_RETURN_IF_ERROR(run(*session, request, "first run"));
  for (const ProgramInput& input : inputs) {
    CA_ASSIGN_OR_RETURN(request.inputs[input.port.name], make_value(input, 1));
    CA_RETURN_IF_ERROR(run(*session, request, input.port.name + " changed"));
  }
  return run(*session, request, "nothing changed");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s PACKAGE\n", argv[0]);
    return 2;
  }
  const Status status = run_all(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", argv[1], status.to_string().c_str());
  return status.ok() ? 0 : 1;
}
