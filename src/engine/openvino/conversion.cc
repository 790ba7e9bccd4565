#include "engine/openvino/conversion.h"

#include "base/errors.h"
#include "engine/openvino/converter.h"

namespace changeaware::ovn {

std::string input_name(size_t index) { return fmt::format("input{}", index); }

Result<ConvertedModel> convert_graph(const Graph& graph, std::span<const ValueId> outputs,
                                     std::span<const ExtentRequest> extents) {
  return Converter(graph, false).run(outputs, extents);
}

}  // namespace changeaware::ovn
