#include "engine/torch/plugin_files.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/digest.h"
#include "base/errors.h"
#include "engine/openvino/openvino_engine.h"
#include "engine/torch/subprocess.h"

namespace changeaware::torch {
namespace {

namespace fs = std::filesystem;

// One translation unit: PyTorch's headers are most of the work.
constexpr const char* kUnit = "all_sources.cc";
constexpr const char* kFlags[] = {"-std=c++20", "-O2",     "-DNDEBUG", "-fPIC",
                                  "-w",         "-shared", "-pthread", "-fvisibility=hidden"};

void add_text(Sha256& hash, std::string_view text) {
  hash.update(std::as_bytes(std::span(text.data(), text.size())));
  hash.update(std::as_bytes(std::span("", 1)));
}

std::string sources_digest() {
  Sha256 hash;
  for (const PluginSource& source : plugin_sources()) {
    add_text(hash, source.name);
    add_text(hash, source.text);
  }
  for (const char* flag : kFlags) add_text(hash, flag);
  return to_hex(hash.finish()).substr(0, 16);
}

std::string unit_text() {
  std::string out;
  for (const PluginSource& source : plugin_sources()) {
    if (source.name.ends_with(".cc")) out += fmt::format("#include \"{}\"\n", source.name);
  }
  return out;
}

Status write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return io_error("'{}' cannot be written", path.string());
  return {};
}

// $CXX may hold words before and after the compiler: "ccache g++ -m64".
std::vector<std::string> compiler() {
  const char* named = std::getenv("CXX");
  std::istringstream words(named == nullptr ? "" : named);
  std::vector<std::string> out;
  for (std::string word; words >> word;) out.push_back(word);
  if (out.empty()) out.emplace_back("c++");
  return out;
}

std::vector<std::string> command(const Location& location, const fs::path& folder,
                                 const fs::path& library) {
  std::vector<std::string> out = compiler();
  out.insert(out.end(), std::begin(kFlags), std::end(kFlags));
  const std::string torch = location.folder;
  for (const std::string& word :
       {"-I" + folder.string(), std::string("-isystem"), torch + "/include",
        (folder / kUnit).string(), std::string("-o"), library.string(), "-L" + torch + "/lib",
        std::string("-ltorch_cpu"), std::string("-lc10"), std::string("-Wl,--no-undefined")}) {
    out.push_back(word);
  }
  return out;
}

// The first line that says "error", else the last line.
std::string essence(const std::string& output) {
  std::istringstream lines(output);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos) return line;
    if (!line.empty()) last = line;
  }
  return last;
}

Status compile_in(const Location& location, const fs::path& folder, const fs::path& target) {
  for (const PluginSource& source : plugin_sources()) {
    const fs::path path = folder / source.name;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) return io_error("'{}': {}", path.parent_path().string(), failed.message());
    CA_RETURN_IF_ERROR(write_file(path, source.text));
  }
  CA_RETURN_IF_ERROR(write_file(folder / kUnit, unit_text()));
  const fs::path built = folder / "built.so";
  const std::vector<std::string> words = command(location, folder, built);
  const CommandResult result = run_command(words);
  if (result.code != 0) {
    const std::string why = result.output.empty() ? "it cannot be run" : essence(result.output);
    return internal_error("the C++ compiler ({}) cannot build the plug-in against PyTorch {}: {}",
                          words[0], location.version, why);
  }
  std::error_code failed;
  fs::rename(built, target, failed);
  if (failed) return io_error("'{}': {}", target.string(), failed.message());
  return {};
}

}  // namespace

std::string plugin_path(const Location& location) {
  const std::string cache = default_blob_folder();
  if (cache.empty()) return "";
  return fmt::format("{}/torch-engine/{}-{}/libchangeaware_torch.so", cache, location.version,
                     sources_digest());
}

Status build_plugin(const Location& location, const std::string& path) {
  if (path.empty()) {
    return io_error("no cache folder for the plug-in: neither XDG_CACHE_HOME nor HOME is set");
  }
  const fs::path target(path);
  std::error_code failed;
  fs::create_directories(target.parent_path(), failed);
  if (failed) return io_error("'{}': {}", target.parent_path().string(), failed.message());
  std::string pattern = (target.parent_path() / "build-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return io_error("'{}' cannot be written", target.parent_path().string());
  }
  const Status status = compile_in(location, pattern, target);
  fs::remove_all(pattern, failed);
  return status;
}

}  // namespace changeaware::torch
