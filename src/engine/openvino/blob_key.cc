#include "engine/openvino/blob_key.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

namespace changeaware::ovn {
namespace {

// Model and features of the first processor, as the kernel names them.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (std::string_view field :
         {"vendor_id", "cpu family", "model", "flags", "Features", "CPU"}) {
      if (line.starts_with(field)) text += line + "\n";
    }
  }
  return text;
}

}  // namespace

Digest blob_key(const std::string& identity, const Graph& graph, const WeightFile* weights,
                const std::string& engine_version, int threads) {
  static const std::string* const this_processor = new std::string(processor());
  std::string text = fmt::format("{}\n{}\n{}\n{} of {} threads\n{}", identity, engine_version,
                                 CHANGEAWARE_ENGINE_SOURCES, threads,
                                 std::thread::hardware_concurrency(), *this_processor);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{} bytes\n", weights == nullptr ? 0 : weights->bytes());
  for (const Constant& constant : graph.constants()) {
    const Storage& storage = *constant.tensor.storage();
    const auto offset =
        weights == nullptr ? std::nullopt : weights->offset_of(storage.data(), storage.bytes());
    fmt::format_to(out, "{}+{} ", offset ? std::to_string(*offset) : "-", storage.bytes());
  }
  // The identity does not tell graphs apart that only differ in the order of their nodes.
  for (const Node& node : graph.nodes()) {
    fmt::format_to(out, "\n{}", node.op->name);
    for_each_input(node, [&](ValueId v) { fmt::format_to(out, " {}", v); });
    for (const ValueId v : node.outputs) fmt::format_to(out, ",{}", v);
  }
  return sha256(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace changeaware::ovn
