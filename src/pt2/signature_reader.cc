#include "pt2/signature_reader.h"

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "pt2/meta_reader.h"
#include "pt2/treespec.h"

namespace changeaware {
namespace {

Result<std::string> string_field(const JsonView& view, std::string_view key) {
  CA_ASSIGN_OR_RETURN(const JsonView field, view.get(key));
  CA_ASSIGN_OR_RETURN(const std::string_view text, field.as_string());
  return std::string(text);
}

// What reading one input spec works on.
struct InputContext {
  const Argument& input;  // of the graph, at the same position
  const Payloads& payloads;
  ExportedProgram& program;
};

using InputReader = Status (*)(const JsonView& spec, const InputContext& context);

// The graph's input must be the tensor that the spec names.
Result<ValueId> named_tensor(const JsonView& spec, const InputContext& context) {
  CA_ASSIGN_OR_RETURN(const JsonView arg, spec.get("arg"));
  CA_ASSIGN_OR_RETURN(const std::string name, string_field(arg, "name"));
  const auto* ref = std::get_if<ValueRef>(&context.input);
  if (ref == nullptr || context.program.graph.value(ref->id).name != name) {
    return at(spec, invalid_program("the graph has another input in the place of {}", name));
  }
  return ref->id;
}

Status add_constant(const JsonView& spec, const InputContext& context, std::string fqn,
                    ConstantKind kind) {
  CA_ASSIGN_OR_RETURN(const ValueId id, named_tensor(spec, context));
  const bool is_weight = kind == ConstantKind::kParameter || kind == ConstantKind::kBuffer;
  auto tensor = is_weight ? context.payloads.weight(fqn) : context.payloads.constant(fqn);
  if (!tensor.ok()) return tensor.status();
  const TensorSpec& declared = context.program.graph.value(id).spec;
  if (tensor->dtype() != declared.dtype || tensor->shape() != declared.hint_shape() ||
      !declared.fixed()) {
    return corrupt("{}: the payload is {} {}, the graph says {} {}", fqn,
                   dtype_name(tensor->dtype()), shape_to_string(tensor->shape()),
                   dtype_name(declared.dtype), shape_to_string(declared.hint_shape()));
  }
  context.program.graph.add_constant({id, std::move(fqn), kind, std::move(*tensor)});
  return {};
}

Status read_parameter(const JsonView& spec, const InputContext& context) {
  CA_ASSIGN_OR_RETURN(std::string fqn, string_field(spec, "parameter_name"));
  return add_constant(spec, context, std::move(fqn), ConstantKind::kParameter);
}

Status read_buffer(const JsonView& spec, const InputContext& context) {
  CA_ASSIGN_OR_RETURN(std::string fqn, string_field(spec, "buffer_name"));
  CA_ASSIGN_OR_RETURN(const JsonView persistent_view, spec.get("persistent"));
  CA_ASSIGN_OR_RETURN(const bool persistent, persistent_view.as_bool());
  return add_constant(spec, context, std::move(fqn),
                      persistent ? ConstantKind::kBuffer : ConstantKind::kNonPersistentBuffer);
}

Status read_tensor_constant(const JsonView& spec, const InputContext& context) {
  CA_ASSIGN_OR_RETURN(std::string fqn, string_field(spec, "tensor_constant_name"));
  return add_constant(spec, context, std::move(fqn), ConstantKind::kLifted);
}

Status read_user_input(const JsonView& spec, const InputContext& context) {
  Signature& signature = context.program.signature;
  if (const auto* ref = std::get_if<ValueRef>(&context.input)) {
    context.program.graph.add_input(ref->id);
    signature.inputs.push_back({context.program.graph.value(ref->id).name, *ref});
    return {};
  }
  (void)spec;
  signature.inputs.push_back({fmt::format("input_{}", signature.inputs.size()), context.input});
  return {};
}

Status read_constant_input(const JsonView& spec, const InputContext& context) {
  CA_ASSIGN_OR_RETURN(std::string name, string_field(spec, "name"));
  if (std::holds_alternative<ValueRef>(context.input)) {
    return at(spec, invalid_program("input {} is fixed here but a tensor in the graph", name));
  }
  context.program.signature.inputs.push_back({std::move(name), context.input});
  return {};
}

Status refuse_custom_object(const JsonView& spec, const InputContext&) {
  CA_ASSIGN_OR_RETURN(const std::string name, string_field(spec, "custom_obj_name"));
  return at(spec, unsupported("the program uses the custom object {}", name));
}

Status refuse_token(const JsonView& spec, const InputContext&) {
  return at(spec, unsupported("the program orders its side effects with a token"));
}

struct InputKind {
  std::string_view name;
  InputReader read;
};
constexpr InputKind kInputKinds[] = {
    {"parameter", read_parameter},
    {"buffer", read_buffer},
    {"tensor_constant", read_tensor_constant},
    {"user_input", read_user_input},
    {"constant_input", read_constant_input},
    {"custom_obj", refuse_custom_object},
    {"token", refuse_token},
};

// Kinds of outputs. A field says whose name goes into the refusal; none = accepted.
struct OutputKind {
  std::string_view name;
  std::string_view field;
  std::string_view refusal;
};
constexpr OutputKind kOutputKinds[] = {
    {"user_output", "", ""},
    {"loss_output", "", ""},
    {"buffer_mutation", "buffer_name", "the program writes its buffer"},
    {"parameter_mutation", "parameter_name", "the program writes its parameter"},
    {"user_input_mutation", "user_input_name", "the program writes its input"},
    {"gradient_to_parameter", "parameter_name", "the program returns the gradient of"},
    {"gradient_to_user_input", "user_input_name", "the program returns the gradient of"},
    {"token", "arg", "the program orders its side effects with a token"},
};

Status check_output_spec(const JsonView& spec) {
  CA_ASSIGN_OR_RETURN(const auto member, spec.only_member());
  for (const OutputKind& kind : kOutputKinds) {
    if (kind.name != member.first) continue;
    if (kind.field.empty()) return {};
    CA_ASSIGN_OR_RETURN(const JsonView who, member.second.get(kind.field));
    const std::string name = who.is_string() ? std::string(who.as_string().value()) : "";
    return at(spec, unsupported("{} {}", kind.refusal, name));
  }
  return at(spec, unsupported("outputs of the kind {}", member.first));
}

// A name for each output, before they are made unique.
std::vector<std::string> output_names(const Graph& graph, const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const auto* ref = std::get_if<ValueRef>(&graph.outputs()[i]);
    if (i < paths.size() && !paths[i].empty()) {
      names.push_back(paths[i]);
    } else {
      names.push_back(ref ? graph.value(ref->id).name : fmt::format("output_{}", i));
    }
  }
  return names;
}

void name_outputs(ExportedProgram& program, const std::vector<std::string>& paths) {
  const std::vector<std::string> names = output_names(program.graph, paths);
  // A suffix must not take the name of a later output.
  std::set<std::string> taken(names.begin(), names.end());
  std::set<std::string> used;
  for (const std::string& name : names) {
    std::string unique = name;
    for (int i = 1; used.contains(unique) || (unique != name && taken.contains(unique)); ++i) {
      unique = fmt::format("{}_{}", name, i);
    }
    used.insert(unique);
    program.signature.outputs.push_back({unique});
  }
}

Result<std::optional<JsonView>> root_signature(const JsonView& call_graph) {
  CA_ASSIGN_OR_RETURN(const auto entries, call_graph.elements());
  for (const JsonView& entry : entries) {
    CA_ASSIGN_OR_RETURN(const std::string fqn, string_field(entry, "fqn"));
    if (fqn.empty()) return entry.find("signature");
  }
  return std::optional<JsonView>();
}

Status check_leaves(const TreeSpec& spec, size_t count, std::string_view what) {
  if (spec.leaf_count() == count) return {};
  return invalid_program("module_call_graph: the {} spec has {} leaves, the program {} {}s", what,
                         spec.leaf_count(), count, what);
}

}  // namespace

Status read_input_specs(const JsonView& specs, const std::vector<Argument>& inputs,
                        const Payloads& payloads, ExportedProgram& program) {
  CA_ASSIGN_OR_RETURN(const auto elements, specs.elements());
  if (elements.size() != inputs.size()) {
    return at(specs, invalid_program("{} input specs for {} inputs of the graph", elements.size(),
                                     inputs.size()));
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    CA_ASSIGN_OR_RETURN(const auto member, elements[i].only_member());
    const InputKind* found = nullptr;
    for (const InputKind& kind : kInputKinds) {
      if (kind.name == member.first) found = &kind;
    }
    if (found == nullptr) {
      return at(elements[i], unsupported("inputs of the kind {}", member.first));
    }
    CA_RETURN_IF_ERROR(found->read(member.second, {inputs[i], payloads, program}));
  }
  return {};
}

Status check_output_specs(const JsonView& specs, const Graph& graph) {
  CA_ASSIGN_OR_RETURN(const auto elements, specs.elements());
  for (const JsonView& spec : elements) CA_RETURN_IF_ERROR(check_output_spec(spec));
  if (elements.size() != graph.outputs().size()) {
    return at(specs, invalid_program("{} output specs for {} outputs of the graph", elements.size(),
                                     graph.outputs().size()));
  }
  return {};
}

Status read_call_signature(const JsonView& call_graph, ExportedProgram& program) {
  CA_ASSIGN_OR_RETURN(const auto view, root_signature(call_graph));
  if (!view) {
    name_outputs(program, {});
    return {};
  }
  Signature& signature = program.signature;
  CA_ASSIGN_OR_RETURN(signature.in_spec, string_field(*view, "in_spec"));
  CA_ASSIGN_OR_RETURN(signature.out_spec, string_field(*view, "out_spec"));
  if (const auto names = view->find("forward_arg_names")) {
    CA_ASSIGN_OR_RETURN(const auto elements, names->elements());
    for (const JsonView& name : elements) {
      CA_ASSIGN_OR_RETURN(const std::string_view text, name.as_string());
      signature.forward_arg_names.emplace_back(text);
    }
  }
  CA_ASSIGN_OR_RETURN(const TreeSpec in,
                      parse_treespec(signature.in_spec, "in_spec", program.named_tuples));
  CA_RETURN_IF_ERROR(check_leaves(in, signature.inputs.size(), "input"));
  CA_ASSIGN_OR_RETURN(const TreeSpec out,
                      parse_treespec(signature.out_spec, "out_spec", program.named_tuples));
  CA_RETURN_IF_ERROR(check_leaves(out, program.graph.outputs().size(), "output"));
  name_outputs(program, leaf_paths(out));
  return {};
}

}  // namespace changeaware
