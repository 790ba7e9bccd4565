#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace changeaware::cli {
namespace {

TEST(TextTable, ColumnsAreAlignedAndLinesHaveNoTrailingSpace) {
  EXPECT_EQ(format_table({{"a", "bb"}, {"ccc", "d"}, {"e"}}, 2), "  a    bb\n  ccc  d\n  e\n");
}

TEST(TextTable, BytesHaveAFittingUnit) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(605110000), "605.1 MB");
}

TEST(TextTable, NoNamesAreShownAsADash) {
  EXPECT_EQ(join_names({}), "-");
  EXPECT_EQ(join_names({"a", "b"}), "a, b");
}

}  // namespace
}  // namespace changeaware::cli
