#include "engine/torch/location.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/torch/subprocess.h"

namespace changeaware::torch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToInstall =
    "install one (`pip install torch=={}.*`) or name its folder (--torch or CHANGEAWARE_LIBTORCH), "
    "then run `changeaware doctor --build-torch-engine`";

std::string how_to_install() {
  return fmt::format(fmt::runtime(kHowToInstall), known_versions().back());
}

bool holds_torch(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "lib" / "libtorch_cpu.so", ignored);
}

std::string trimmed(std::string text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
  while (!text.empty() && is_space(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// <environment>/lib/python3.11/site-packages/torch.
std::string in_environment(const std::string& environment) {
  if (environment.empty()) return "";
  std::error_code ignored;
  for (const char* lib : {"lib", "lib64"}) {
    for (fs::directory_iterator it(fs::path(environment) / lib, ignored), end; it != end;
         it.increment(ignored)) {
      const fs::path folder = it->path() / "site-packages" / "torch";
      if (holds_torch(folder)) return folder.string();
    }
  }
  return "";
}

// The package is found, not imported.
std::string of_python() {
  const CommandResult asked = run_command(
      {"python3", "-c",
       "import importlib.util as u; s = u.find_spec('torch'); "
       "print(s.submodule_search_locations[0] if s and s.submodule_search_locations else '')"});
  const std::string folder = trimmed(asked.output);
  return asked.code == 0 && holds_torch(folder) ? folder : "";
}

// `__version__ = '2.13.0+cpu'` of the Python package, else the build-version of a C++ release.
std::string version_in(const fs::path& folder) {
  std::ifstream python(folder / "version.py");
  for (std::string line; std::getline(python, line);) {
    if (line.rfind("__version__", 0) != 0) continue;
    const size_t begin = line.find_first_of("'\"");
    const size_t end = begin == std::string::npos ? begin : line.find(line[begin], begin + 1);
    if (end != std::string::npos) return line.substr(begin + 1, end - begin - 1);
  }
  std::ifstream release(folder / "build-version");
  std::string line;
  std::getline(release, line);
  return trimmed(line);
}

bool is_known(const std::string& version) {
  const auto& known = known_versions();
  return std::any_of(known.begin(), known.end(),
                     [&](const std::string& minor) { return version.rfind(minor + ".", 0) == 0; });
}

std::string problem_of(const fs::path& folder, const std::string& version) {
  if (version.empty()) {
    return fmt::format("the PyTorch in {} does not say its version (version.py, build-version)",
                       folder.string());
  }
  if (!is_known(version)) {
    return fmt::format("PyTorch {} in {} is not one that this version knows ({}): {}", version,
                       folder.string(), fmt::join(known_versions(), ", "), how_to_install());
  }
  if (!fs::is_regular_file(folder / "include" / "ATen" / "core" / "dispatch" / "Dispatcher.h")) {
    return fmt::format("the PyTorch in {} has no header files", folder.string());
  }
  return "";
}

Location described(const std::string& folder, const char* named_by) {
  Location out{folder, version_in(folder), ""};
  if (!out.version.empty() && !is_known(out.version)) {
    out.problem = problem_of(folder, out.version);
  } else if (!holds_torch(folder)) {
    out.problem = fmt::format("{} ({}) holds no PyTorch (lib/libtorch_cpu.so): {}", folder,
                              named_by, how_to_install());
  } else {
    out.problem = problem_of(folder, out.version);
  }
  return out;
}

}  // namespace

const std::vector<std::string>& known_versions() {
  static const std::vector<std::string> known = {"2.13"};
  return known;
}

Location locate_torch(const std::string& wanted_folder) {
  if (!wanted_folder.empty()) return described(wanted_folder, "the folder asked for");
  const std::string named = variable("CHANGEAWARE_LIBTORCH");
  if (!named.empty()) return described(named, "CHANGEAWARE_LIBTORCH");
  std::string folder = in_environment(variable("VIRTUAL_ENV"));
  if (folder.empty()) folder = of_python();
  if (!folder.empty()) return described(folder, "the Python environment");
  return {"", "", "no PyTorch was found: " + how_to_install()};
}

}  // namespace changeaware::torch
