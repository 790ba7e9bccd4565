#include "engine/openvino/conformance_cases.h"

#include <cmath>

namespace changeaware::ovn {
namespace {

constexpr ConformanceCase kCases[] = {
#include "engine/openvino/conformance_cases.inc"
};

}  // namespace

std::span<const ConformanceCase> conformance_cases() { return kCases; }

std::vector<Numbers> numbers_of(std::initializer_list<CaseNumbers> numbers) {
  std::vector<Numbers> out;
  for (const CaseNumbers& n : numbers) out.push_back({n.spec, n.values});
  return out;
}

}  // namespace changeaware::ovn
