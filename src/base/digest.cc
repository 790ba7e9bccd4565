#include "base/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

namespace changeaware {

struct Sha256::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(md); }
};

namespace {
// OpenSSL's SHA-256 fails only when memory or the default provider is missing; nothing can be
// computed then.
void require(int ok) {
  if (ok != 1) std::abort();
}
}  // namespace

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require(EVP_DigestInit_ex(context_->md, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_->md, bytes.data(), bytes.size()));
}

Digest Sha256::finish() {
  Digest digest;
  unsigned length = 0;
  require(
      EVP_DigestFinal_ex(context_->md, reinterpret_cast<unsigned char*>(digest.data()), &length));
  return digest;
}

Digest sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> bytes) {
  Digest digest;
  const auto* out = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                         reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                         reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  require(out != nullptr ? 1 : 0);
  return digest;
}

std::string to_hex(const Digest& digest) {
  std::string out;
  out.reserve(2 * digest.size());
  for (std::byte b : digest) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<int>(b));
  return out;
}

}  // namespace changeaware
