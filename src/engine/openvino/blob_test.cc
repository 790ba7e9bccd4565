// Compiled blobs: what comes from one has the bits of what was compiled, and nothing that is wrong
// with one is more than a reason.
#include "engine/openvino/blob.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/openvino/blob_cache.h"
#include "engine/openvino/conformance_cases.h"
#include "engine/openvino/test_support.h"

namespace changeaware::ovn {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = ::testing::TempDir() + "changeaware_blobs_XXXXXX";
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::vector<fs::path> blobs() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path_)) {
      if (entry.path().extension() == ".blob") found.push_back(entry.path());
    }
    return found;
  }

 private:
  std::string path_;
};

// Floats in a file, after a page of something else, mapped as a package's weights are.
class WeightsOnDisk {
 public:
  WeightsOnDisk(std::string path, size_t count) : path_(std::move(path)) {
    bytes_ = kBefore + count * sizeof(float);
    std::vector<char> content(bytes_, 'x');
    for (size_t i = 0; i < count; ++i) {
      const float f = std::sin(static_cast<float>(i + 1));
      std::memcpy(content.data() + kBefore + i * sizeof f, &f, sizeof f);
    }
    std::ofstream(path_, std::ios::binary).write(content.data(), static_cast<long>(bytes_));
    const int file = open(path_.c_str(), O_RDONLY);
    data_ = static_cast<std::byte*>(mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0));
    close(file);
    EXPECT_NE(static_cast<void*>(data_), MAP_FAILED);
    storage_ = std::make_shared<Storage>(data_ + kBefore, bytes_ - kBefore, nullptr, true);
  }
  ~WeightsOnDisk() { munmap(data_, bytes_); }
  Tensor tensor(Shape shape, int64_t first) const {
    return *Tensor::view(DType::kFloat32, shape, contiguous_strides(shape), first, storage_);
  }
  const std::string& path() const { return path_; }

 private:
  static constexpr size_t kBefore = 4096 + 192;
  std::string path_;
  size_t bytes_;
  std::byte* data_;
  std::shared_ptr<Storage> storage_;
};

std::unique_ptr<Engine> engine_in(const std::string& folder) {
  auto engine = make_openvino_engine({.threads = 2, .blob_folder = folder});
  EXPECT_TRUE(engine.ok()) << engine.status().to_string();
  return *std::move(engine);
}

Result<std::vector<Tensor>> answer(const Engine& engine, const Graph& graph,
                                   const std::string& identity, const std::vector<Tensor>& in) {
  CA_ASSIGN_OR_RETURN(const auto executable, engine.compile_identified(graph, identity));
  std::vector<Tensor> out(graph.outputs().size());
  CA_RETURN_IF_ERROR(executable->run(in, out));
  return out;
}

Tensor ramp(const std::string& spec, size_t count) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = std::cos(static_cast<double>(i));
  return tensor_of({spec, values});
}

constexpr const char* kTwoLayers = R"(graph(%x: f32[8, 64]) {
  %w = constant f32[32, 64] "w"
  %b = constant f32[32] "b"
  %v = constant f32[16, 32] "v"
  %h: f32[8, 32] = aten.linear.default(%x, %w, %b)
  %r: f32[8, 32] = aten.relu.default(%h)
  %y: f32[8, 16] = aten.linear.default(%r, %v, None)
  return (%y, %r)
})";

class Blobs : public ::testing::Test {
 protected:
  void SetUp() override {
    auto parsed = parse_graph(kTwoLayers);
    ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
    graph_ = *std::move(parsed);
    graph_.set_constant_tensor(0, weights_.tensor({32, 64}, 16));
    graph_.set_constant_tensor(1, weights_.tensor({32}, 16 + 2048));
    graph_.set_constant_tensor(2, weights_.tensor({16, 32}, 16 + 2048 + 32));
    auto expected = answer(test_engine(), graph_, "", input_);
    ASSERT_TRUE(expected.ok()) << expected.status().to_string();
    expected_ = *std::move(expected);
  }

  // A new engine's answer has the right bits; gives what became of the blobs.
  BlobReport check(const std::string& folder, const std::string& identity = "two layers") {
    const auto engine = engine_in(folder);
    const auto got = answer(*engine, graph_, identity, input_);
    EXPECT_TRUE(got.ok()) << got.status().to_string();
    for (size_t i = 0; got.ok() && i < expected_.size(); ++i) {
      EXPECT_TRUE(bit_identical((*got)[i], expected_[i])) << i;
    }
    return engine->blob_report();
  }

  TemporaryFolder folder_;
  WeightsOnDisk weights_{folder_.path() + "/weights", 4096};
  Graph graph_;
  std::vector<Tensor> input_{ramp("f32[8, 64]", 512)};
  std::vector<Tensor> expected_;
};

TEST_F(Blobs, TheSecondLoadComesFromTheBlobWithTheSameBits) {
  EXPECT_EQ(check(folder_.path()).stored, 1u);
  const BlobReport second = check(folder_.path());
  EXPECT_EQ(second.used, 1u) << ::testing::PrintToString(second.reasons);
  EXPECT_EQ(second.stored, 0u);
  EXPECT_EQ(second.folder, folder_.path());
}

TEST_F(Blobs, WeightsInAFileAreNotInTheBlob) {
  check(folder_.path());
  ASSERT_EQ(folder_.blobs().size(), 1u);
  std::ifstream file(folder_.blobs()[0], std::ios::binary);
  const std::string blob(std::istreambuf_iterator<char>(file), {});
  const Tensor w = weights_.tensor({16}, 16 + 64);
  EXPECT_EQ(blob.find(std::string(reinterpret_cast<const char*>(w.data()), w.size_bytes())),
            std::string::npos);
}

TEST_F(Blobs, WithoutAFolderOrAnIdentityNothingIsKept) {
  EXPECT_EQ(check("").stored, 0u);
  EXPECT_EQ(check(folder_.path(), "").stored, 0u);
  EXPECT_TRUE(folder_.blobs().empty());
}

TEST_F(Blobs, AnotherIdentityOrAnotherPlaceOfTheWeightsHasAnotherBlob) {
  check(folder_.path());
  EXPECT_EQ(check(folder_.path(), "another").stored, 1u);
  const WeightsOnDisk longer(folder_.path() + "/longer", 5000);
  graph_.set_constant_tensor(0, longer.tensor({32, 64}, 16));
  graph_.set_constant_tensor(1, longer.tensor({32}, 16 + 2048));
  graph_.set_constant_tensor(2, longer.tensor({16, 32}, 16 + 2048 + 32));
  EXPECT_EQ(check(folder_.path()).stored, 1u);
  EXPECT_EQ(folder_.blobs().size(), 3u);
}

TEST_F(Blobs, ADamagedOrTruncatedBlobIsIgnoredWithAReason) {
  check(folder_.path());
  const fs::path path = folder_.blobs().at(0);
  std::ifstream file(path, std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> damaged{"", good.substr(0, 40), good.substr(0, good.size() - 1),
                                   good + "x"};
  for (size_t at : {size_t{0}, size_t{9}, size_t{50}, size_t{77}, size_t{90}, good.size() / 2,
                    good.size() - 1}) {
    damaged.push_back(good);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x10);
  }
  for (const std::string& content : damaged) {
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<long>(content.size()));
    const BlobReport report = check(folder_.path());
    EXPECT_EQ(report.used, 0u);
    EXPECT_EQ(report.stored, 1u);
    ASSERT_EQ(report.ignored, 1u);
    EXPECT_NE(report.reasons[0].find(path.string()), std::string::npos) << report.reasons[0];
    EXPECT_EQ(check(folder_.path()).used, 1u);  // a good one is there again
  }
}

TEST_F(Blobs, ABlobThatSaysItIsAnotherOnesIsIgnored) {
  check(folder_.path(), "one");
  const fs::path one = folder_.blobs().at(0);
  check(folder_.path(), "two");
  for (const fs::path& path : folder_.blobs()) {
    if (path != one) fs::copy_file(one, path, fs::copy_options::overwrite_existing);
  }
  const BlobReport report = check(folder_.path(), "two");
  EXPECT_EQ(report.used, 0u);
  ASSERT_EQ(report.ignored, 1u);
  EXPECT_NE(report.reasons[0].find("not a blob for this key"), std::string::npos);
}

TEST_F(Blobs, WhatOpenVinoRefusesIsCompiledInstead) {
  check(folder_.path());
  const fs::path path = folder_.blobs().at(0);
  const std::string name = path.stem().string();
  Digest key{};
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<std::byte>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
  }
  BlobCache cache(folder_.path());
  std::string blob = *cache.load(key);
  const size_t type = blob.find("type=\"FullyConnected\"");
  ASSERT_NE(type, std::string::npos);
  blob.replace(type, 8, "type=\"Xx");
  cache.store(key, blob);
  const BlobReport report = check(folder_.path());
  EXPECT_EQ(report.used, 0u);
  EXPECT_EQ(report.ignored, 1u);
  EXPECT_NE(::testing::PrintToString(report.reasons).find("OpenVINO"), std::string::npos);
}

TEST_F(Blobs, AFolderThatCannotBeMadeIsNoError) {
  const std::string file = folder_.path() + "/file";
  std::ofstream(file) << "x";
  const BlobReport report = check(file + "/below");
  EXPECT_EQ(report.stored, 0u);
  EXPECT_GE(report.ignored, 1u);
  EXPECT_NE(report.reasons[0].find(file), std::string::npos) << report.reasons[0];
}

TEST_F(Blobs, AReplacedWeightFileIsNoPlaceToRead) {
  check(folder_.path());
  std::ofstream(folder_.path() + "/new") << std::string(20480, 'z');
  fs::rename(folder_.path() + "/new", weights_.path());
  const BlobReport report = check(folder_.path());
  EXPECT_EQ(report.used, 0u);
  ASSERT_EQ(report.ignored, 1u);
  EXPECT_NE(report.reasons[0].find(weights_.path()), std::string::npos) << report.reasons[0];
}

// See weight_copies.h: each way of reading a square weight needs an address of its own.
TEST_F(Blobs, ASquareWeightIsStillReadBothWays) {
  auto graph = parse_graph(R"(graph(%x: f32[4, 32]) {
    %w = constant f32[32, 32] "w"
    %tied = constant f32[32, 32] "tied"
    %a: f32[4, 32] = aten.mm.default(%x, %w)
    %b: f32[4, 32] = aten.linear.default(%x, %tied, None)
    %c: f32[4, 32] = aten.mm.default(%a, %tied)
    return (%a, %b, %c)
  })");
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  graph->set_constant_tensor(0, weights_.tensor({32, 32}, 0));
  graph->set_constant_tensor(1, weights_.tensor({32, 32}, 0));
  const std::vector<Tensor> in{ramp("f32[4, 32]", 128)};
  const auto expected = answer(test_engine(), *graph, "", in);
  ASSERT_TRUE(expected.ok());
  EXPECT_FALSE(bit_identical((*expected)[0], (*expected)[1]));
  for (uint64_t round = 0; round < 2; ++round) {
    const auto engine = engine_in(folder_.path());
    const auto got = answer(*engine, *graph, "both ways", in);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    for (size_t i = 0; i < expected->size(); ++i) {
      EXPECT_TRUE(bit_identical((*got)[i], (*expected)[i])) << i;
    }
    EXPECT_EQ(engine->blob_report().used, round);
  }
}

// Every operator of the conformance cases, through a blob.
TEST(BlobConformance, EveryCaseHasTheSameBitsFromItsBlob) {
  const auto cases = conformance_cases();
  const TemporaryFolder folder;
  const auto first = engine_in(folder.path());
  const auto second = engine_in(folder.path());
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].graph);
    const auto graph = parse_graph(cases[i].graph);
    ASSERT_TRUE(graph.ok());
    std::vector<Tensor> in;
    for (const Numbers& n : numbers_of(cases[i].inputs)) in.push_back(tensor_of(n));
    const auto compiled = answer(*first, *graph, std::to_string(i), in);
    const auto imported = answer(*second, *graph, std::to_string(i), in);
    ASSERT_TRUE(compiled.ok() && imported.ok()) << imported.status().to_string();
    for (size_t o = 0; o < compiled->size(); ++o) {
      EXPECT_TRUE(bit_identical((*compiled)[o], (*imported)[o])) << "output " << o;
    }
  }
  const BlobReport stored = first->blob_report();
  EXPECT_EQ(stored.ignored, 0u) << ::testing::PrintToString(stored.reasons);
  EXPECT_EQ(second->blob_report().ignored, 0u)
      << ::testing::PrintToString(second->blob_report().reasons);
  EXPECT_GE(second->blob_report().used + 20, cases.size());  // some need nothing compiled
}

TEST(BlobCache, TheLongestUnusedGoFirst) {
  const TemporaryFolder folder;
  BlobCache cache(folder.path(), 3000);
  const auto key = [](int i) {
    return sha256(std::as_bytes(std::span(reinterpret_cast<const char*>(&i), sizeof i)));
  };
  const std::string blob(1200, 'b');
  for (int i = 0; i < 2; ++i) {
    cache.store(key(i), blob);
    const timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, cache.path_of(key(i)).c_str(), times, 0), 0);
  }
  EXPECT_EQ(cache.load(key(0)), blob);  // used now
  cache.store(key(2), blob);
  EXPECT_EQ(cache.load(key(0)), blob);
  EXPECT_EQ(cache.load(key(1)), std::nullopt);
  EXPECT_EQ(cache.load(key(2)), blob);
}

TEST(BlobCache, TheFolderFollowsTheConvention) {
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(default_blob_folder(), "/somewhere/changeaware");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(default_blob_folder(), "/home/someone/.cache/changeaware");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(default_blob_folder(), "/home/someone/.cache/changeaware");
  unsetenv("HOME");
  EXPECT_EQ(default_blob_folder(), "");
}

}  // namespace
}  // namespace changeaware::ovn
