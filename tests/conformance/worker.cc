// Compiles and runs samples: reads lines "ID MODEL INPUTS OUTPUTS" (tab-separated) from standard
// input, writes one JSON line for each. It may die on any sample: the driver starts another.
//
//   conformance_worker [--nominal-costs] [--exact] SCRATCH_FOLDER
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string_view>

#include "changeaware/compiler.h"
#include "changeaware/session.h"
#include "conformance/raw_tensors.h"

namespace changeaware::conformance {
namespace {

struct Task {
  std::string id, model, inputs, outputs;
};

struct Answer {
  std::string stage = "compile";
  Status status;
  size_t callables = 0;
  std::vector<std::string> exact_nodes;
};

Result<std::map<std::string, Tensor>> bind(const Manifest& manifest, const std::string& path) {
  CA_ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, read_raw_tensors(path));
  if (tensors.size() != manifest.inputs.size()) {
    return Status(StatusCode::kInternal,
                  "the package has " + std::to_string(manifest.inputs.size()) +
                      " inputs, the sample has " + std::to_string(tensors.size()));
  }
  std::map<std::string, Tensor> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ProgramInput& input = manifest.inputs[i];
    if (input.fixed_value.empty()) inputs[input.port.name] = tensors[i];
  }
  return inputs;
}

Status answer(const Task& task, const std::string& package_path, const CompileOptions& options,
              Answer& out) {
  CA_ASSIGN_OR_RETURN(const CompileReport report, compile(task.model, package_path, options));
  out.callables = report.callables.size();
  out.exact_nodes = report.exact_nodes;
  out.stage = "open";
  CA_ASSIGN_OR_RETURN(const auto package, Package::open(package_path));
  SessionOptions session_options;
  session_options.blob_folder = "off";
  CA_ASSIGN_OR_RETURN(const auto session, Session::create(package, session_options));
  out.stage = "run";
  Request request;
  CA_ASSIGN_OR_RETURN(request.inputs, bind(package->manifest(), task.inputs));
  CA_ASSIGN_OR_RETURN(const Response response, session->run(request));
  std::vector<Tensor> outputs;
  for (const OutputValue& output : response.outputs) outputs.push_back(output.tensor);
  return write_raw_tensors(task.outputs, outputs);
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string to_json(const Task& task, const Answer& answer) {
  std::string exact;
  for (const std::string& node : answer.exact_nodes) {
    exact += (exact.empty() ? "" : ",") + json_string(node);
  }
  const bool ok = answer.status.ok();
  return "{\"id\":" + json_string(task.id) +
         ",\"code\":" + json_string(ok ? "OK" : status_code_name(answer.status.code())) +
         ",\"message\":" + json_string(answer.status.message()) +
         ",\"stage\":" + json_string(answer.stage) +
         ",\"callables\":" + std::to_string(answer.callables) + ",\"exact_nodes\":[" + exact +
         "]}\n";
}

bool parse(const std::string& line, Task& task) {
  std::istringstream fields(line);
  for (std::string* field : {&task.id, &task.model, &task.inputs, &task.outputs}) {
    if (!std::getline(fields, *field, '\t')) return false;
  }
  return true;
}

int work(const std::string& scratch, const CompileOptions& options) {
  const std::string package = scratch + "/package.pt2";
  for (std::string line; std::getline(std::cin, line);) {
    Task task;
    if (!parse(line, task)) return 2;
    Answer out;
    out.status = answer(task, package, options, out);
    std::error_code ignored;
    std::filesystem::remove(package, ignored);
    const std::string text = to_json(task, out);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace changeaware::conformance

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  changeaware::CompileOptions options;
  options.threads = 1;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--nominal-costs") options.costs = changeaware::CostSource::kNominal;
    if (option == "--exact") options.numerics = changeaware::Numerics::kExact;
  }
  return changeaware::conformance::work(argv[argc - 1], options);
}
