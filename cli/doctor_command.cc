#include <fmt/format.h>

#include "changeaware/doctor.h"
#include "changeaware/exact_engine.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

void write_parts(JsonOutput& json, std::string_view name, const std::vector<SystemPart>& parts) {
  json.key(name);
  json.begin_array();
  for (const SystemPart& part : parts) {
    json.begin_object();
    json.field("name", part.name);
    json.field("version", part.version);
    json.field("present", part.present);
    json.field("note", part.note);
    json.end_object();
  }
  json.end_array();
}

void write_cpu(JsonOutput& json, const SystemReport& report) {
  json.key("cpu");
  json.begin_object();
  json.field("model", report.cpu_model);
  json.list("features", report.cpu_features);
  json.field("cores", report.cores);
  json.field("threads", report.threads);
  json.field("usable_threads", report.usable_threads);
  json.end_object();
}

void print_json(const SystemReport& report) {
  JsonOutput json;
  json.begin_object();
  json.key("versions");
  json.begin_object();
  json.field("changeaware", report.version);
  json.field("package_format", report.package_format);
  for (const SystemPart& engine : report.engines) json.field(engine.name, engine.version);
  json.end_object();
  write_cpu(json, report);
  json.field("memory_bytes", report.memory_bytes);
  json.key("cache");
  json.begin_object();
  json.field("folder", report.cache_folder);
  json.field("bytes", report.cache_bytes);
  json.end_object();
  write_parts(json, "engines", report.engines);
  write_parts(json, "optional_parts", report.optional_parts);
  json.list("missing", report.missing);
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_parts(const char* title, const std::vector<SystemPart>& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const SystemPart& part : parts) {
    rows.push_back({part.present ? "+" : "-", part.name, part.version, part.note});
  }
  fmt::print("{}\n{}", title, format_table(rows, 2));
}

std::string cache_text(const SystemReport& report) {
  if (report.cache_folder.empty()) return "none: neither XDG_CACHE_HOME nor HOME is set";
  return fmt::format("{} ({})", report.cache_folder, format_bytes(report.cache_bytes));
}

void print_text(const SystemReport& report) {
  fmt::print("changeaware {} (package format {})\n", report.version, report.package_format);
  fmt::print(
      "{}",
      format_table({{"processor", report.cpu_model},
                    {"features", join_names(report.cpu_features, "none that matter here")},
                    {"threads", fmt::format("{} usable; {} cores, {} hardware threads",
                                            report.usable_threads, report.cores, report.threads)},
                    {"memory", format_bytes(report.memory_bytes)},
                    {"cache", cache_text(report)}},
                   2));
  print_parts("engines", report.engines);
  print_parts("optional parts", report.optional_parts);
  if (report.missing.empty()) fmt::print("nothing is missing\n");
  for (const std::string& line : report.missing) fmt::print("missing: {}\n", line);
}

}  // namespace

Result<int> doctor_command(int argc, char** argv) {
  bool as_json = false;
  bool build = false;
  ExactEngineOptions exact_engine;
  CLI::App app("Shows versions, processor, engines and what is missing.", "changeaware doctor");
  app.add_flag("--json", as_json, "print one JSON document");
  app.add_flag("--build-torch-engine", build,
               "build the exact engine's plug-in for the PyTorch found, once per version");
  add_exact_engine_options(app, exact_engine);
  CA_ASSIGN_OR_RETURN(const bool proceed, parse_arguments(app, argc, argv));
  if (!proceed) return 0;
  if (build) CA_RETURN_IF_ERROR(build_exact_engine(exact_engine).status());
  const SystemReport report = inspect_system(exact_engine);
  as_json ? print_json(report) : print_text(report);
  return 0;
}

}  // namespace changeaware::cli
