#include "engine/openvino/frontend_errors.h"

#include <cctype>
#include <new>

#include "base/errors.h"
#include "engine/openvino/arguments.h"

namespace changeaware::ovn {
namespace {

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

size_t find_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (end == text.size() || !is_name_char(text[end])) return at;
  }
  return std::string_view::npos;
}

bool is_location(std::string_view line) {
  return line.empty() || line.starts_with("Exception from ") || line.starts_with("Check '") ||
         line.starts_with("FrontEnd API failed") ||
         line.starts_with("Exception happened during conversion of operation") ||
         line.starts_with("node:") || line.starts_with("While validating node");
}

// OpenVINO wraps what it catches into exceptions of its own, which keep the text.
bool ran_out_of_memory(std::string_view message) {
  return message.find("bad_alloc") != std::string_view::npos;
}

Status out_of_memory() { return Status(StatusCode::kOverBudget, "out of memory"); }

}  // namespace

std::string first_line(std::string_view message) {
  while (!message.empty()) {
    const size_t end = message.find('\n');
    const std::string_view line = message.substr(0, end);
    if (!is_location(line)) return std::string(line);
    if (end == std::string_view::npos) return std::string(line);
    message.remove_prefix(end + 1);
  }
  return "no reason given";
}

Status status_of_thrown(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr || ran_out_of_memory(thrown.what()))
    return out_of_memory();
  return internal_error("OpenVINO: {}", first_line(thrown.what()));
}

Status describe_frontend_error(const Graph& graph, std::string_view message) {
  if (ran_out_of_memory(message)) return out_of_memory();
  const size_t summary = message.find("Summary");
  const std::string_view listed =
      summary == std::string_view::npos ? message : message.substr(summary);
  for (const Node& node : graph.nodes()) {
    const std::string name = frontend_name(*node.op);
    if (find_word(listed, name) == std::string_view::npos) continue;
    const size_t at = find_word(message, name + " with a message");
    std::string reason = "OpenVINO has no conversion of it";
    if (at != std::string_view::npos) {
      const std::string_view rest = message.substr(at);
      const size_t line_end = rest.find('\n');
      if (line_end != std::string_view::npos) reason = first_line(rest.substr(line_end + 1));
    }
    return unsupported("node '{}' ({}): {}", node.name, node.op->name, reason);
  }
  return unsupported("OpenVINO's frontend: {}", first_line(message));
}

}  // namespace changeaware::ovn
