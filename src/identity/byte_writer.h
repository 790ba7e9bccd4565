// ByteWriter: fields whose bytes can be read back in one way only. Numbers have a fixed width,
// least significant byte first; texts begin with their length.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace changeaware {

class ByteWriter {
 public:
  void u8(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(uint32_t value) { little_endian(value, 4); }
  void u64(uint64_t value) { little_endian(value, 8); }
  void i64(int64_t value) { u64(static_cast<uint64_t>(value)); }
  // By its bits: -0.0 differs from 0.0.
  void f64(double value) { u64(std::bit_cast<uint64_t>(value)); }
  void text(std::string_view value) {
    u64(value.size());
    bytes_.append(value);
  }
  // Without a length: for what has a fixed one.
  void raw(std::span<const std::byte> value) {
    bytes_.append(reinterpret_cast<const char*>(value.data()), value.size());
  }
  std::string take() { return std::move(bytes_); }

 private:
  void little_endian(uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }

  std::string bytes_;
};

}  // namespace changeaware
