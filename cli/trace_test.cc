#include "cli/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_files.h"

namespace changeaware::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Trace, ARequestHasInputsVersionsAndWantedOutputs) {
  const auto trace = parse_trace(
      R"({"requests": [{"inputs": {"image": "a.npy", "points": "/data/p.npy"},
                        "versions": {"image": "v1"}, "want": ["masks", "iou"]}, {}]})",
      "folder");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->size(), 2u);
  EXPECT_THAT((*trace)[0].inputs,
              ElementsAre(Pair("image", "folder/a.npy"), Pair("points", "/data/p.npy")));
  EXPECT_THAT((*trace)[0].versions, ElementsAre(Pair("image", "v1")));
  EXPECT_THAT((*trace)[0].want, ElementsAre("masks", "iou"));
  EXPECT_THAT((*trace)[1].inputs, IsEmpty());
}

TEST(Trace, TheWrongShapeIsCorruptAndNamesThePlace) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : {
           Case{"", "not JSON at byte 0"},
           Case{"{\"requests\": [", "not JSON at byte"},
           Case{"[]", "trace: expected an object"},
           Case{"{}", "requests: expected a list"},
           Case{R"({"requests": {}})", "requests: expected a list"},
           Case{R"({"requests": [{}, 3]})", "requests[1]: expected an object"},
           Case{R"({"requests": [{"inputs": []}]})", "requests[0].inputs: expected an object"},
           Case{R"({"requests": [{"inputs": {"x": 1}}]})",
                "requests[0].inputs.x: expected a string"},
           Case{R"({"requests": [{"inputs": {"x": "a", "x": "b"}}]})", "inputs.x: comes twice"},
           Case{R"({"requests": [{"versions": {"x": null}}]})", "requests[0].versions.x"},
           Case{R"({"requests": [{"want": "y"}]})", "requests[0].want: expected a list"},
           Case{R"({"requests": [{"want": ["y", 2]}]})", "requests[0].want[1]: expected a string"},
           Case{R"({"requests": [{"wants": []}]})", "requests[0].wants: unknown"},
       }) {
    const auto trace = parse_trace(c.text, "");
    ASSERT_FALSE(trace.ok()) << c.text;
    EXPECT_EQ(trace.status().code(), StatusCode::kCorrupt);
    EXPECT_THAT(trace.status().message(), HasSubstr(c.message)) << c.text;
  }
}

TEST(Trace, FilesAreRelativeToTheTraceFile) {
  TemporaryFolder folder;
  const std::string path =
      folder.write("t.json", R"({"requests": [{"inputs": {"x": "sub/x.npy"}}]})");
  const auto trace = read_trace(path);
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ((*trace)[0].inputs.at("x"), folder.file("sub/x.npy"));
}

TEST(Trace, ErrorsNameTheFile) {
  TemporaryFolder folder;
  const auto missing = read_trace(folder.file("missing.json"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::kIo);
  EXPECT_THAT(missing.status().message(), HasSubstr("missing.json"));
  const auto corrupt = read_trace(folder.write("bad.json", "[]"));
  ASSERT_FALSE(corrupt.ok());
  EXPECT_THAT(corrupt.status().message(), HasSubstr("bad.json"));
}

}  // namespace
}  // namespace changeaware::cli
