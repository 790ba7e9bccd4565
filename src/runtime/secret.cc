#include "runtime/secret.h"

#include <openssl/rand.h>

#include <random>

namespace changeaware {

void fill_secret(std::span<std::byte> bytes) {
  auto* data = reinterpret_cast<unsigned char*>(bytes.data());
  if (RAND_bytes(data, static_cast<int>(bytes.size())) == 1) return;
  std::random_device device;
  for (std::byte& b : bytes) b = static_cast<std::byte>(device());
}

}  // namespace changeaware
