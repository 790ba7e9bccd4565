// Finding PyTorch and its plug-in, and what is said when something is wrong. Nothing is loaded.
#include "engine/torch/location.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "changeaware/exact_engine.h"
#include "engine/torch/plugin_files.h"
#include "engine/torch/plugin_library.h"
#include "engine/torch/subprocess.h"
#include "engine/torch/test_support.h"

namespace changeaware::torch {
namespace {

namespace fs = std::filesystem;

class TorchLocation : public ::testing::Test {
 protected:
  TorchLocation() : folder_(fs::path(::testing::TempDir()) / "torch-location-XXXXXX") {
    std::string pattern = folder_.string();
    folder_ = mkdtemp(pattern.data());
    for (const char* name : {"CHANGEAWARE_LIBTORCH", "VIRTUAL_ENV", "PATH", "XDG_CACHE_HOME"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name, value == nullptr ? "" : value);
      if (std::string(name) != "PATH") unsetenv(name);
    }
  }
  ~TorchLocation() override {
    for (const auto& [name, value] : before_) {
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    }
    fs::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  // What a folder of PyTorch holds, as far as looking goes.
  void make_torch(const std::string& folder, const std::string& version) const {
    write(folder + "/lib/libtorch_cpu.so", "");
    write(folder + "/include/ATen/core/dispatch/Dispatcher.h", "");
    write(folder + "/version.py", "__version__ = '" + version + "'\n");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(TorchLocation, AnEmptyFolderIsNoPyTorch) {
  setenv("CHANGEAWARE_LIBTORCH", folder_.c_str(), 1);
  const ExactEngineReport report = find_exact_engine();
  for (const std::string& word :
       {folder_.string(), std::string("CHANGEAWARE_LIBTORCH"), std::string("lib/libtorch_cpu.so"),
        std::string("pip install torch==2.13.*"),
        std::string("changeaware doctor --build-torch-engine")}) {
    EXPECT_NE(report.problem.find(word), std::string::npos) << word << " in " << report.problem;
  }
  const auto built = build_exact_engine();
  EXPECT_EQ(built.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(built.status().message(), report.problem);
}

TEST_F(TorchLocation, AnUnknownVersionIsRefusedByName) {
  write("version.py", "__version__ = '9.9.0+cpu'\n");
  const ExactEngineReport report = find_exact_engine({.torch_folder = folder_.string()});
  EXPECT_EQ(report.torch_version, "9.9.0+cpu");
  EXPECT_NE(report.problem.find("PyTorch 9.9.0+cpu"), std::string::npos) << report.problem;
  EXPECT_NE(report.problem.find("2.13"), std::string::npos) << report.problem;
  EXPECT_EQ(build_exact_engine({.torch_folder = folder_.string()}).status().code(),
            StatusCode::kUnsupported);
}

TEST_F(TorchLocation, AMinorVersionIsNotAPrefix) {
  make_torch("torch", "2.130.0");
  EXPECT_NE(locate_torch(path("torch")).problem, "");
  make_torch("torch", "2.13.1");
  EXPECT_EQ(locate_torch(path("torch")).problem, "");
}

TEST_F(TorchLocation, AReleaseForCppSaysItsVersionInAFileOfItsOwn) {
  make_torch("libtorch", "");
  fs::remove(path("libtorch/version.py"));
  EXPECT_NE(locate_torch(path("libtorch")).problem.find("does not say its version"),
            std::string::npos);
  write("libtorch/build-version", "2.13.0+cpu\n");
  const Location found = locate_torch(path("libtorch"));
  EXPECT_EQ(found.version, "2.13.0+cpu");
  EXPECT_EQ(found.problem, "");
}

TEST_F(TorchLocation, TheOptionGoesBeforeTheVariableBeforeTheEnvironment) {
  make_torch("option", "2.13.1");
  make_torch("variable", "2.13.2");
  make_torch("venv/lib/python3.11/site-packages/torch", "2.13.3");
  setenv("VIRTUAL_ENV", path("venv").c_str(), 1);
  EXPECT_EQ(locate_torch("").version, "2.13.3");
  setenv("CHANGEAWARE_LIBTORCH", path("variable").c_str(), 1);
  EXPECT_EQ(locate_torch("").version, "2.13.2");
  EXPECT_EQ(locate_torch(path("option")).version, "2.13.1");
}

TEST_F(TorchLocation, ThePythonInThePathIsAskedLast) {
  make_torch("torch", "2.13.4");
  write("bin/python3", "#!/bin/sh\necho " + path("torch") + "\n");
  fs::permissions(path("bin/python3"), fs::perms::owner_all);
  setenv("PATH", path("bin").c_str(), 1);
  EXPECT_EQ(locate_torch("").version, "2.13.4");
  setenv("PATH", path("nothing").c_str(), 1);
  EXPECT_NE(locate_torch("").problem.find("no PyTorch was found"), std::string::npos);
}

TEST_F(TorchLocation, APlugInThatIsNotBuiltIsReported) {
  make_torch("torch", "2.13.0");
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  const ExactEngineReport report = find_exact_engine({.torch_folder = path("torch")});
  EXPECT_EQ(report.plugin, "");
  EXPECT_NE(report.problem.find("run `changeaware doctor --build-torch-engine`"), std::string::npos)
      << report.problem;
  const std::string plugin = plugin_path(locate_torch(path("torch")));
  EXPECT_EQ(plugin.rfind(folder_.string() + "/changeaware/torch-engine/2.13.0-", 0), 0u) << plugin;
}

TEST_F(TorchLocation, ACompilerThatFailsIsReportedWithWhatItSays) {
  make_torch("torch", "2.13.0");
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  const auto built = build_exact_engine({.torch_folder = path("torch")});
  EXPECT_EQ(built.status().code(), StatusCode::kInternal);
  EXPECT_TRUE(mentions(built.status(), {"2.13.0", "error", "ATen"}));
  EXPECT_EQ(find_exact_engine({.torch_folder = path("torch")}).plugin, "");
}

TEST_F(TorchLocation, ABrokenPlugInIsReported) {
  write("plugin.so", "this is no library");
  const ExactEngineReport report{path("torch"), "2.13.0", path("plugin.so"), ""};
  EXPECT_TRUE(mentions(open_plugin(report).status(),
                       {"plugin.so", "changeaware doctor --build-torch-engine"}));
  EXPECT_TRUE(mentions(open_plugin({"", "2.13.0", "libm.so.6", ""}).status(),
                       {"libm.so.6", "not one of this version"}));
}

TEST_F(TorchLocation, APlugInOfAnotherVersionIsReported) {
  const auto make_plugin = [&](const std::string& name, const std::string& version) {
    write(name + ".cc",
          "struct Head { unsigned version; const char* torch; };\n"
          "static const Head head = {" +
              version +
              "};\n"
              "extern \"C\" const Head* changeaware_torch_plugin() { return &head; }\n");
    const CommandResult compiled =
        run_command({"c++", "-shared", "-fPIC", path(name + ".cc"), "-o", path(name + ".so")});
    ASSERT_EQ(compiled.code, 0) << compiled.output;
  };
  make_plugin("foreign", "99, \"2.13.0\"");
  EXPECT_TRUE(mentions(open_plugin({"", "2.13.0+cpu", path("foreign.so"), ""}).status(),
                       {"foreign.so", "not one of this version"}));
  make_plugin("older", std::to_string(CA_TORCH_INTERFACE_VERSION) + ", \"2.12.0\"");
  EXPECT_TRUE(mentions(open_plugin({"", "2.13.0+cpu", path("older.so"), ""}).status(),
                       {"older.so", "PyTorch 2.12.0, not 2.13.0+cpu"}));
}

TEST(Subprocess, GivesWhatTheProgramSaysAndItsCode) {
  const CommandResult result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(run_command({"no-such-program-anywhere"}).code, -1);
}

}  // namespace
}  // namespace changeaware::torch
