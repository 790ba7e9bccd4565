#include "cli/output_digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <bit>
#include <stdexcept>

namespace changeaware::cli {

static_assert(std::endian::native == std::endian::little, "tensors are hashed as they lie");

std::string sha256_hex(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (EVP_Digest(dense.data(), dense.size_bytes(), digest, &length, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
  }
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace changeaware::cli
