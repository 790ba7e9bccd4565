#include "identity/identity.h"

#include "identity/byte_writer.h"
#include "identity/region_walk.h"

namespace changeaware {
namespace {

// The number changes whenever what is written does.
constexpr std::string_view kFormat = "changeaware.identity.1";

}  // namespace

std::string canonical_bytes(const Graph& region, const NumericConfig& config,
                            ParameterDigests& digests) {
  ByteWriter out;
  out.text(kFormat);
  out.text(config.engine);
  out.text(config.engine_version);
  out.text(config.precision);
  out.text(config.numerics);
  SymbolNumbers symbols;
  out.text(region_bytes(region, symbols, digests));
  return out.take();
}

Digest identity_of(std::string_view canonical) {
  return sha256(std::as_bytes(std::span(canonical.data(), canonical.size())));
}

Digest region_identity(const Graph& region, const NumericConfig& config,
                       ParameterDigests& digests) {
  return identity_of(canonical_bytes(region, config, digests));
}

}  // namespace changeaware
