// Identity of a region: when two regions are the same. docs/identity.md is the definition.
//
// Names, order of nodes, metadata and file layout do not enter; everything that can change a result
// or a message does. The cost is linear in nodes and edges, plus one digest per distinct constant.
// Thread safety: functions are pure, except for the ParameterDigests that the caller passes.
#pragma once

#include <string>
#include <string_view>

#include "base/digest.h"
#include "graph/graph.h"
#include "identity/parameter_digests.h"

namespace changeaware {

// What an engine was told about how to compute.
struct NumericConfig {
  std::string engine;          // "openvino"
  std::string engine_version;  // as the engine states it
  std::string precision;       // "f32"
  std::string numerics;        // "fast" or "exact"
  bool operator==(const NumericConfig&) const = default;
};

// REQUIRES: verify(region).ok().
std::string canonical_bytes(const Graph& region, const NumericConfig& config,
                            ParameterDigests& digests);

// SHA-256 of canonical bytes.
Digest identity_of(std::string_view canonical);

// identity_of(canonical_bytes(…)).
Digest region_identity(const Graph& region, const NumericConfig& config, ParameterDigests& digests);

}  // namespace changeaware
