#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "changeaware/session.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/json_output.h"
#include "cli/npy.h"
#include "cli/output_digest.h"
#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

struct RunOptions {
  std::string package;
  std::vector<std::string> inputs;
  std::vector<std::string> version_tags;
  std::string output_dir;
  SessionOptions session;
  bool as_json = false;
};

// An output as it is shown; `file` is empty when none was written.
struct ShownOutput {
  std::string name;
  Tensor tensor;
  std::string sha256;
  std::string file;
};

// An output's name becomes a file name, so it must not lead out of the folder.
Result<std::string> output_file(const std::string& folder, const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..") {
    return error(StatusCode::kCorrupt, "output '{}': cannot be a file name", name);
  }
  return (std::filesystem::path(folder) / (name + ".npy")).string();
}

Result<std::vector<ShownOutput>> write_outputs(const std::string& folder,
                                               std::vector<OutputValue> outputs) {
  std::error_code failure;
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (failure) return error(StatusCode::kIo, "{}: {}", folder, failure.message());
  std::vector<ShownOutput> shown;
  for (OutputValue& output : outputs) {
    ShownOutput item{output.name, output.tensor, "", ""};
    if (output.tensor.defined()) item.sha256 = sha256_hex(output.tensor);
    if (output.tensor.defined() && !folder.empty()) {
      CA_ASSIGN_OR_RETURN(item.file, output_file(folder, output.name));
      CA_RETURN_IF_ERROR(write_npy(item.file, output.tensor));
    }
    shown.push_back(std::move(item));
  }
  return shown;
}

void write_json(JsonOutput& json, const ShownOutput& output) {
  json.key(output.name);
  if (!output.tensor.defined()) return json.null();
  json.begin_object();
  json.field("dtype", dtype_name(output.tensor.dtype()));
  json.list("shape", output.tensor.shape());
  json.field("sha256", output.sha256);
  json.key("file");
  output.file.empty() ? json.null() : json.value(output.file);
  json.end_object();
}

void print_json(const Report& report, double microseconds,
                const std::vector<ShownOutput>& outputs) {
  JsonOutput json;
  json.begin_object();
  json.field("strategy", report.strategy);
  json.list("ran", report.ran);
  json.list("reused", report.reused);
  json.field("microseconds", microseconds);
  json.field("fingerprint_us", report.fingerprint_us);
  json.field("engine_us", report.engine_us);
  json.key("outputs");
  json.begin_object();
  for (const ShownOutput& output : outputs) write_json(json, output);
  json.end_object();
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_text(const Report& report, double microseconds,
                const std::vector<ShownOutput>& outputs) {
  fmt::print("{}: ran {} in {:.2f} ms\n", report.strategy, join_names(report.ran, "nothing"),
             microseconds / 1000);
  std::vector<std::vector<std::string>> rows;
  for (const ShownOutput& output : outputs) {
    if (!output.tensor.defined()) {
      rows.push_back({output.name, "no tensor"});
      continue;
    }
    rows.push_back({output.name,
                    fmt::format("{} {}", dtype_name(output.tensor.dtype()),
                                shape_to_string(output.tensor.shape())),
                    output.file.empty() ? "sha256 " + output.sha256 : output.file});
  }
  fmt::print("{}", format_table(rows, 2));
}

Result<int> run(const RunOptions& options, Request request) {
  CA_ASSIGN_OR_RETURN(request.inputs, read_assigned_tensors("--input", options.inputs));
  CA_ASSIGN_OR_RETURN(request.versions, split_assignments("--version-tag", options.version_tags));
  CA_ASSIGN_OR_RETURN(const auto package, Package::open(options.package));
  CA_ASSIGN_OR_RETURN(const auto session, Session::create(package, options.session));
  const auto begin = std::chrono::steady_clock::now();
  CA_ASSIGN_OR_RETURN(Response response, session->run(request));
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - begin;
  CA_ASSIGN_OR_RETURN(const auto outputs,
                      write_outputs(options.output_dir, std::move(response.outputs)));
  const auto print = options.as_json ? print_json : print_text;
  print(response.report, elapsed.count(), outputs);
  return 0;
}

}  // namespace

Result<int> run_command(int argc, char** argv) {
  RunOptions options;
  Request request;
  CLI::App app("Answers one request.", "changeaware run");
  app.add_option("PACKAGE", options.package, "a package written by `changeaware compile`")
      ->required();
  add_repeatable(app, "--input", options.inputs, "NAME=FILE.npy: the value of an input");
  add_repeatable(app, "--version-tag", options.version_tags,
                 "NAME=TAG: stands for an input's bytes, which are then not fingerprinted");
  add_repeatable(app, "--want", request.want, "an output to compute; all of them by default");
  app.add_option("--output-dir", options.output_dir,
                 "write each output to DIR/OUTPUT.npy; without it only digests are printed");
  add_session_options(app, options.session);
  app.add_option("--strategy", request.strategy, "force a strategy by name");
  app.add_flag("--json", options.as_json, "print one JSON document");
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;
  return run(options, std::move(request));
}

}  // namespace changeaware::cli
