#include "engine/openvino/translations/translation.h"

#include <stdexcept>
#include <unordered_map>

#include "engine/openvino/element_types.h"
#include "engine/openvino/translations/builders.h"
#include "engine/openvino/translations/nothing.h"

namespace changeaware::ovn {
namespace {

using Table = std::unordered_multimap<std::string_view, const Translation*>;

const Table& table() {
  static const Table t = [] {
    Table out;
    for (const Translation& line : translations()) out.emplace(line.op, &line);
    return out;
  }();
  return t;
}

Shape fixed(const TensorSpec& spec, std::string_view what) {
  if (!spec.fixed()) throw Refusal(fmt::format("needs a fixed shape for {}", what));
  return spec.hint_shape();
}

}  // namespace

const std::vector<Translation>& translations() {
  static const std::vector<Translation> all = [] {
    std::vector<Translation> out;
    for (auto family : {integer_division_translations(),
                        statistics_translations(),
                        scatter_translations(),
                        attention_translations(),
                        softmax_translations(),
                        cast_translations(),
                        pointwise_translations(),
                        rank_zero_translations(),
                        factory_translations(),
                        norm_translations(),
                        comparison_translations(),
                        extrema_translations(),
                        reduction_translations(),
                        mask_translations(),
                        index_put_translations(),
                        symbolic_translations(),
                        enlargement_translations(),
                        convolution_translations(),
                        pooling_translations(),
                        resizing_translations(),
                        gather_translations(),
                        running_translations(),
                        scatter_reduce_translations(),
                        integer_form_translations(),
                        shape_translations()}) {
      out.insert(out.end(), family.begin(), family.end());
    }
    return out;
  }();
  return all;
}

const Translation* find_translation(const Graph& graph, const Node& node) {
  if (const Translation* line = translation_of_nothing(graph, node)) return line;
  const auto [begin, end] = table().equal_range(node.op->name);
  for (auto it = begin; it != end; ++it) {
    const Translation* line = it->second;
    if (line->applies == nullptr || line->applies(graph, node)) return line;
  }
  return nullptr;
}

const Argument& OpContext::argument(std::string_view name) const {
  const int index = node_.op->arg_index(name);
  if (index < 0) {
    throw std::logic_error(fmt::format("{} has no argument {}", node_.op->name, name));
  }
  return node_.args[static_cast<size_t>(index)];
}

bool OpContext::has(std::string_view name) const {
  return node_.op->arg_index(name) >= 0 && !std::holds_alternative<None>(argument(name));
}

bool OpContext::is_tensor(std::string_view name) const {
  return std::holds_alternative<ValueRef>(argument(name));
}

Output OpContext::tensor(std::string_view name) const {
  const Argument& a = argument(name);
  if (const auto* ref = std::get_if<ValueRef>(&a)) return converted_.at(ref->id);
  if (const auto* i = std::get_if<int64_t>(&a)) return int_scalar(*i);
  if (const auto* b = std::get_if<bool>(&a)) return scalar(ov::element::boolean, *b);
  return scalar(ov::element::f32, static_cast<float>(number(name)));
}

std::vector<Output> OpContext::tensors(std::string_view name) const {
  std::vector<Output> out;
  for_each_value(argument(name), [&](ValueId id) { out.push_back(converted_.at(id)); });
  return out;
}

int64_t OpContext::integer(std::string_view name) const {
  const Argument& a = argument(name);
  if (const auto* i = std::get_if<int64_t>(&a)) return *i;
  throw Refusal(fmt::format("needs a fixed number for {}", name));
}

double OpContext::number(std::string_view name) const {
  const Argument& a = argument(name);
  if (const auto* i = std::get_if<int64_t>(&a)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&a)) return *d;
  if (const auto* b = std::get_if<bool>(&a)) return *b ? 1.0 : 0.0;
  throw Refusal(fmt::format("needs a fixed number for {}", name));
}

bool OpContext::flag(std::string_view name) const {
  const Argument& a = argument(name);
  if (const auto* b = std::get_if<bool>(&a)) return *b;
  throw Refusal(fmt::format("needs a fixed flag for {}", name));
}

std::vector<int64_t> OpContext::integers(std::string_view name) const {
  const Argument& a = argument(name);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&a)) return *list;
  return {integer(name)};
}

std::string OpContext::text(std::string_view name) const {
  const Argument& a = argument(name);
  if (const auto* s = std::get_if<std::string>(&a)) return *s;
  throw Refusal(fmt::format("needs a fixed text for {}", name));
}

const TensorSpec& OpContext::spec_of(std::string_view name) const {
  const auto* ref = std::get_if<ValueRef>(&argument(name));
  if (ref == nullptr || graph_.value(ref->id).kind != ValueKind::kTensor) {
    throw Refusal(fmt::format("needs a tensor for {}", name));
  }
  return graph_.value(ref->id).spec;
}

const TensorSpec& OpContext::result(size_t index) const {
  for (size_t i = index; i < node_.outputs.size(); ++i) {
    if (i == index && node_.outputs[i] != kNoId) return graph_.value(node_.outputs[i]).spec;
  }
  throw Refusal(fmt::format("result {} has no description", index));
}

ov::element::Type OpContext::result_type(size_t index) const {
  const auto type = element_type(result(index).dtype);
  if (!type) throw Refusal("complex numbers");
  return *type;
}

Shape OpContext::fixed_shape_of(std::string_view name) const { return fixed(spec_of(name), name); }

Shape OpContext::fixed_result_shape(size_t index) const {
  return fixed(result(index), "the result");
}

}  // namespace changeaware::ovn
