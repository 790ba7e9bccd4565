#include "pt2/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive.h"
#include "pt2/pickle_writer.h"

namespace changeaware {
namespace {

using testing::HasSubstr;

Result<Pickle> load(const std::string& bytes) {
  const auto no_storage = [](const std::string& key) -> Result<std::shared_ptr<Storage>> {
    return Status(StatusCode::kCorrupt, "no storage " + key);
  };
  return Pickle::load(std::as_bytes(std::span(bytes.data(), bytes.size())), no_storage);
}

std::string text(const char* bytes, size_t count) { return {bytes, count}; }
#define BYTES(literal) text(literal, sizeof(literal) - 1)

TEST(Pickle, ContainersAndNumbersAreRead) {
  // (1, [True, None, 2.0], {"k": -3}) as CPython writes it with protocol 2.
  const auto pickle =
      load(BYTES("\x80\x02K\x01]q\x00(\x88NG@\x00\x00\x00\x00\x00\x00\x00"
                 "e}q\x01X\x01\x00\x00\x00kq\x02J\xfd\xff\xff\xffs\x87q\x03."));
  ASSERT_TRUE(pickle.ok()) << pickle.status().to_string();
  const PickleValue& root = pickle->root();
  ASSERT_EQ(root.kind, PickleValue::Kind::kTuple);
  ASSERT_EQ(root.items.size(), 3u);
  EXPECT_EQ(root.items[0]->number, 1);
  ASSERT_EQ(root.items[1]->items.size(), 3u);
  EXPECT_EQ(root.items[1]->items[2]->real, 2.0);
  EXPECT_EQ(root.items[2]->items[0]->text, "k");
  EXPECT_EQ(root.items[2]->items[1]->number, -3);
}

TEST(Pickle, OtherNamesAreRefusedByName) {
  const auto pickle =
      load(BYTES("\x80\x02"
                 "cposix\nsystem\nX\x02\x00\x00\x00ls\x85R."));
  EXPECT_EQ(pickle.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(pickle.status().message(), HasSubstr("posix.system"));
}

TEST(Pickle, OtherOpcodesAndProtocolsAreRefused) {
  EXPECT_THAT(load(BYTES("\x80\x04.")).status().message(), HasSubstr("protocol 4"));
  EXPECT_THAT(load(BYTES("\x80\x02(ios\nsystem\n.")).status().message(), HasSubstr("0x69"));
}

TEST(Pickle, ACallOfAnythingButTheKnownFunctionsIsRefused) {
  EXPECT_EQ(load(BYTES("\x80\x02"
                       "ctorch\nFloatStorage\n)R."))
                .status()
                .code(),
            StatusCode::kUnsupported);
  EXPECT_EQ(load(BYTES("\x80\x02K\x01)R.")).status().code(), StatusCode::kCorrupt);
}

TEST(Pickle, DamagedPicklesAreCorrupt) {
  for (const std::string& bytes :
       {std::string(), BYTES("\x80"), BYTES("\x80\x02"), BYTES("\x80\x02."), BYTES("\x80\x02t."),
        BYTES("\x80\x02h\x05."), BYTES("\x80\x02X\xff\xff\xff\xff"), BYTES("\x80\x02K\x01K\x02s."),
        BYTES("\x80\x02}(K\x01u."), BYTES("\x80\x02NQ."), BYTES("\x80\x02(N\x85t.a"),
        BYTES("\x80\x02"
              "ctorch")}) {
    const auto pickle = load(bytes);
    if (!pickle.ok()) {
      EXPECT_EQ(pickle.status().code(), StatusCode::kCorrupt) << pickle.status().to_string();
    } else {
      EXPECT_EQ(bytes.substr(0, 5), BYTES("\x80\x02(N\x85"));
    }
  }
}

std::string sample_pickle() {
  const auto spec = parse_treespec(flat_in_spec(2), "in_spec", {});
  const auto bytes = write_sample_archive(
      *spec,
      {{Tensor::of<float>(DType::kFloat32, {2, 2}, {1, 2, 3, 4}), None{}}, {{}, int64_t{7}}});
  EXPECT_TRUE(bytes.ok()) << bytes.status().to_string();
  const auto archive = Archive::open_memory(
      "sample", std::as_bytes(std::span(bytes->data(), bytes->size())), nullptr);
  EXPECT_TRUE(archive.ok());
  return (*archive)->read_text("data.pkl").value();
}

Result<Pickle> load_with_storage(const std::string& bytes) {
  const auto storage = [](const std::string&) -> Result<std::shared_ptr<Storage>> {
    return Tensor::of<float>(DType::kFloat32, {2, 2}, {1, 2, 3, 4}).storage();
  };
  return Pickle::load(std::as_bytes(std::span(bytes.data(), bytes.size())), storage);
}

TEST(Pickle, TensorsAreRebuiltFromTheirStorage) {
  const auto pickle = load_with_storage(sample_pickle());
  ASSERT_TRUE(pickle.ok()) << pickle.status().to_string();
  const PickleValue& args = *pickle->root().items[0];
  ASSERT_EQ(args.items.size(), 2u);
  EXPECT_TRUE(bit_identical(args.items[0]->tensor,
                            Tensor::of<float>(DType::kFloat32, {2, 2}, {1, 2, 3, 4})));
  EXPECT_EQ(args.items[1]->number, 7);
}

TEST(Pickle, NoTruncationOrFlippedByteCrashes) {
  const std::string bytes = sample_pickle();
  size_t refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!load_with_storage(bytes.substr(0, i)).ok()) ++refused;
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      (void)load_with_storage(flipped);
    }
  }
  EXPECT_EQ(refused, bytes.size());
}

}  // namespace
}  // namespace changeaware
