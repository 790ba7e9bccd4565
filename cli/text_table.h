// Text for people: aligned columns, byte counts, joined names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace changeaware::cli {

// Rows of cells as lines with two spaces between columns, each line after `indent` spaces.
std::string format_table(const std::vector<std::vector<std::string>>& rows, size_t indent = 0);

// "605.1 MB", "512 B" (decimal units).
std::string format_bytes(uint64_t bytes);

// "12 us", "3.4 ms", "1.57 s".
std::string format_time(double microseconds);

// "a, b", or `none` for an empty list.
std::string join_names(const std::vector<std::string>& names, const std::string& none = "-");

}  // namespace changeaware::cli
