// SHA-256 (FIPS 180-4), computed by OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace changeaware {

using Digest = std::array<std::byte, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const std::byte> bytes);
  // Ends the computation. REQUIRES: called once.
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Digest sha256(std::span<const std::byte> bytes);
// HMAC-SHA-256 (RFC 2104): nobody without the key can make it.
Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> bytes);
// Lower-case hexadecimal, 64 characters.
std::string to_hex(const Digest& digest);

}  // namespace changeaware
