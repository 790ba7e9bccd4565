#include "compiler/share_storages.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace changeaware {
namespace {

TEST(ShareStorages, EqualBytesOfOneDtypeBecomeOneStorage) {
  auto g = parse_graph(R"(graph(%x: f32[2]) {
    %a = constant f32[4] {1, 2, 3, 4}
    %b = constant f32[2, 2] {1, 2, 3, 4}
    %c = constant f32[4] {1, 2, 3, 5}
    %d = constant i32[4] {0, 0, 0, 0}
    %e = constant f32[4] {0, 0, 0, 0}
    return (%x, %a, %b, %c, %d, %e)
  })");
  ASSERT_TRUE(g.ok()) << g.status().to_string();
  share_equal_storages(*g);
  const auto storage = [&](size_t i) { return g->constants()[i].tensor.storage(); };
  EXPECT_EQ(storage(0), storage(1));
  EXPECT_NE(storage(0), storage(2));
  EXPECT_NE(storage(3), storage(4)) << "another dtype";
  EXPECT_EQ(g->constants()[1].tensor.shape(), (Shape{2, 2}));
  EXPECT_EQ(g->constants()[2].tensor.data_as<float>()[3], 5);
}

}  // namespace
}  // namespace changeaware
