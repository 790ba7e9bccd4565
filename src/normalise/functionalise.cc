// functionalise: in-place operators become pure ones.
//
// Every tensor of the old graph belongs to a root: a value with memory of its own. A view remembers
// how it was taken from its base. A write to a view computes the view's new content, walks up to
// the root through the inverses of the views (views.h) and raises the root's version. A value that
// is read when its root's version has moved on is taken from its base again.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/errors.h"
#include "normalise/aliasing.h"
#include "normalise/inplace.h"
#include "normalise/pass.h"
#include "normalise/rewriter.h"
#include "normalise/views.h"

namespace changeaware {
namespace {

// How some values were taken from a base; ids of the old graph.
struct View {
  Node node;
  size_t base_argument = 0;
  ValueId base = kNoId;
  bool same = false;  // the base itself
};

// A tensor of the old graph.
struct Slot {
  ValueId root = kNoId;        // itself for a root
  const View* view = nullptr;  // null for a root
  size_t result = 0;           // which result of the view's node
  ValueId current = kNoId;     // its content in the new graph at `version` of the root
  uint32_t version = 0;
  uint32_t created = 0;  // the root's version when the value came to be
};

class Functionaliser {
 public:
  Functionaliser(const Graph& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        rewriter_(graph),
        slots_(graph.values().size()),
        versions_(graph.values().size(), 0) {}

  Result<Graph> run() {
    for (ValueId id : graph_.inputs()) define_root(id, rewriter_.mapped_value(id));
    for (const Constant& c : graph_.constants())
      define_root(c.value, rewriter_.mapped_value(c.value));
    for (const Node& node : graph_.nodes()) CA_RETURN_IF_ERROR(visit(node));
    CA_RETURN_IF_ERROR(read_outputs());
    return rewriter_.finish();
  }

 private:
  Status visit(const Node& node) {
    if (node.op->mutates()) return visit_inplace(node);
    CA_RETURN_IF_ERROR(check_strided_read(node));
    std::vector<Argument> args;
    CA_RETURN_IF_ERROR(read_arguments(node, args));
    const Aliasing aliasing = aliasing_of(graph_, node);
    rewriter_.copy(node, std::move(args));
    if (aliasing.sharing != Sharing::kFresh && node.outputs.empty()) return {};
    const bool shares = aliasing.sharing == Sharing::kSame || aliasing.sharing == Sharing::kView;
    if (shares) {
      if (!std::holds_alternative<ValueRef>(node.args[aliasing.argument])) {
        return invalid_program("node '{}': {} of no tensor", node.name, node.op->name);
      }
      define_views(node, aliasing.argument, aliasing.sharing == Sharing::kSame);
      return {};
    }
    for (ValueId id : node.outputs) {
      if (id != kNoId) define_root(id, rewriter_.mapped_value(id));
    }
    if (aliasing.sharing == Sharing::kUnknown) link_suspects(node);
    return {};
  }

  // as_strided counts elements of memory. That is elements of a value only where the value is all
  // there is, row by row, in its memory.
  Status check_strided_read(const Node& node) const {
    const std::string_view base_name = node.op->base_name();
    if (node.op->ns() != "aten" || !base_name.starts_with("as_strided")) return {};
    const ValueId self = tensor_argument(node, "self");
    ValueId id = self;
    while (id != kNoId && slots_[id].view != nullptr && slots_[id].view->same)
      id = slots_[id].view->base;
    const Constant* constant = id == kNoId ? nullptr : graph_.constant_of(id);
    const bool whole = id != kNoId && slots_[id].view == nullptr &&
                       is_contiguous(graph_.value(self).spec) == Ternary::kYes &&
                       graph_.value(self).spec.storage_offset == Dim{} &&
                       (constant == nullptr || constant->tensor.storage_offset() == 0);
    if (whole) return {};
    return unsupported("node '{}': {} reads the memory that '{}' is a view of", node.name,
                       node.op->name, self == kNoId ? "None" : graph_.value(self).name);
  }

  Status visit_inplace(const Node& node) {
    CA_ASSIGN_OR_RETURN(const size_t index, mutated_argument(node));
    const ValueId target = std::get<ValueRef>(node.args[index]).id;
    if (const OpSchema* pure = metadata_counterpart(node))
      return visit_metadata(node, *pure, target);
    CA_RETURN_IF_ERROR(check_writable(node, slots_[target].root));
    std::vector<Argument> args;
    CA_RETURN_IF_ERROR(read_arguments(node, args));
    const ValueId before = std::get<ValueRef>(args[index]).id;
    const ValueId output = node.outputs.empty() ? kNoId : node.outputs[0];
    if (output != kNoId && graph_.value(output).spec.dims != graph_.value(target).spec.dims) {
      return unsupported("node '{}': {} gives '{}' another size in place", node.name, node.op->name,
                         graph_.value(target).name);
    }
    Value result = graph_.value(output == kNoId ? target : output);
    result.spec = graph_.value(target).spec;
    result.spec.strides.clear();
    if (output == kNoId) result.name = rewriter_.free_name(result.name);
    CA_ASSIGN_OR_RETURN(const ValueId content,
                        emit_pure(rewriter_, {node, args, before, std::move(result)}));
    CA_RETURN_IF_ERROR(write(node, target, content));
    if (output != kNoId) {
      add_view(alias_node(node, target), 0, target, true);
      define_view(output, 0, content);
    }
    return {};
  }

  // unsqueeze_ and its kin: later reads go through the result, a view of the target.
  Status visit_metadata(const Node& node, const OpSchema& pure, ValueId target) {
    Node view = node;
    view.op = &pure;
    std::vector<Argument> args;
    CA_RETURN_IF_ERROR(read_arguments(node, args));
    rewriter_.copy(view, std::move(args));
    const bool same = pure.base_name() == "detach";
    define_views(view, 0, same);
    if (!same) retired_[target] = &node;
    return {};
  }

  static Node alias_node(const Node& node, ValueId target) {
    return Node{find_op("aten.alias.default"), {ValueRef{target}}, {}, node.name};
  }

  // Definitions.
  void define_root(ValueId id, ValueId now) { slots_[id] = Slot{id, nullptr, 0, now, 0, 0}; }
  void add_view(Node node, size_t base_argument, ValueId base, bool same) {
    views_.push_back({std::move(node), base_argument, base, same});
  }
  // A result of the newest view.
  void define_view(ValueId id, size_t result, ValueId now) {
    const View& view = views_.back();
    const ValueId root = slots_[view.base].root;
    slots_[id] = Slot{root, &view, result, now, versions_[root], versions_[root]};
    rewriter_.map(id, ValueRef{now});
  }
  void define_views(const Node& node, size_t base_argument, bool same) {
    add_view(node, base_argument, std::get<ValueRef>(node.args[base_argument]).id, same);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id != kNoId) define_view(id, i, rewriter_.mapped_value(id));
    }
  }
  // The results may share memory with any argument.
  void link_suspects(const Node& node) {
    for (ValueId result : node.outputs) {
      if (result == kNoId) continue;
      for_each_input(node, [&](ValueId id) {
        if (graph_.value(id).kind != ValueKind::kTensor) return;
        suspects_[result].emplace(slots_[id].root, &node);
        suspects_[slots_[id].root].emplace(result, &node);
      });
    }
  }

  // Reading.
  Status read_arguments(const Node& node, std::vector<Argument>& args) {
    for (const Argument& argument : node.args) CA_RETURN_IF_ERROR(read_argument(argument));
    args = rewriter_.mapped_args(node);
    return {};
  }
  // Brings what the argument's values are mapped to up to date.
  Status read_argument(const Argument& argument) {
    Status status;
    for_each_value(argument, [&](ValueId id) {
      if (!status.ok() || slots_[id].root == kNoId) return;  // a number
      status = check_readable(id);
      if (!status.ok()) return;
      const Result<ValueId> now = content(id);
      if (!now.ok()) status = now.status();
    });
    return status;
  }
  Status check_readable(ValueId id) const {
    if (const auto it = retired_.find(id); it != retired_.end()) {
      return unsupported("'{}' is read after node '{}' ({}) changed its sizes in place",
                         graph_.value(id).name, it->second->name, it->second->op->name);
    }
    const auto it = poisoned_.find(slots_[id].root);
    if (it == poisoned_.end()) return {};
    return unsupported(
        "node '{}' ({}) writes in place, and '{}', which is read later, may or may not "
        "share that memory: node '{}' ({}) does not tell",
        it->second.writer->name, it->second.writer->op->name, graph_.value(id).name,
        it->second.link->name, it->second.link->op->name);
  }
  // What `id` contains now, as a value of the new graph.
  Result<ValueId> content(ValueId id) {
    std::vector<ValueId> stale;
    while (slots_[id].version != versions_[slots_[id].root]) {
      stale.push_back(id);
      id = slots_[id].view->base;
    }
    for (; !stale.empty(); stale.pop_back()) {
      const ValueId now = stale.back();
      CA_RETURN_IF_ERROR(take_again(now, slots_[id].current));
      id = now;
    }
    return slots_[id].current;
  }
  // Takes the view `id` from `base_now`, the new content of its base.
  Status take_again(ValueId id, ValueId base_now) {
    Slot& slot = slots_[id];
    ValueId now = base_now;
    if (!slot.view->same) {
      Node node{slot.view->node.op, {}, {}, graph_.value(id).name};
      CA_ASSIGN_OR_RETURN(node.args, view_arguments(*slot.view, base_now));
      node.outputs.assign(std::max(slot.view->node.outputs.size(), slot.result + 1), kNoId);
      now = add_copy_of(id);
      node.outputs[slot.result] = now;
      if (node.op->returns_list()) name_other_elements(slot.view->node, slot.result, node);
      rewriter_.to().add_node(std::move(node));
    }
    set_content(id, now);
    return {};
  }
  ValueId add_copy_of(ValueId id) {
    const Value& value = graph_.value(id);
    return rewriter_.to().add_value(rewriter_.temporary(value.name, value.spec));
  }
  // A file lists every element of a list of results.
  void name_other_elements(const Node& from, size_t except, Node& node) {
    for (size_t i = 0; i < from.outputs.size(); ++i) {
      if (i != except && from.outputs[i] != kNoId) node.outputs[i] = add_copy_of(from.outputs[i]);
    }
  }
  void set_content(ValueId id, ValueId now) {
    slots_[id].current = now;
    slots_[id].version = versions_[slots_[id].root];
    rewriter_.map(id, ValueRef{now});
  }
  // Arguments of a view in the new graph, with `base` as the base. Other tensors among them give
  // only sizes or a dtype, which no write changes.
  Result<std::vector<Argument>> view_arguments(const View& view, ValueId base) {
    std::vector<Argument> args = rewriter_.mapped_args(view.node);
    args[view.base_argument] = ValueRef{base};
    return args;
  }

  // Writing.
  std::optional<std::string> immutable_owner(ValueId root) const {
    if (const Constant* constant = graph_.constant_of(root)) {
      const std::string_view kind = constant->kind == ConstantKind::kParameter ? "parameter"
                                    : constant->kind == ConstantKind::kLifted  ? "constant"
                                                                               : "buffer";
      return fmt::format("the {} '{}'", kind, constant->fqn);
    }
    const auto& inputs = graph_.inputs();
    const auto it = std::find(inputs.begin(), inputs.end(), root);
    if (it == inputs.end()) return std::nullopt;
    return fmt::format("the input '{}'",
                       context_.input_names[static_cast<size_t>(it - inputs.begin())]);
  }
  Status check_writable(const Node& writer, ValueId root) const {
    if (const auto owner = immutable_owner(root)) {
      return unsupported("node '{}': {} changes {} in place", writer.name, writer.op->name, *owner);
    }
    for (const auto& [other, link] : reachable(root)) {
      if (const auto owner = immutable_owner(other)) {
        return unsupported("node '{}': {} may change {} in place (node '{}', {}, does not tell)",
                           writer.name, writer.op->name, *owner, link->name, link->op->name);
      }
    }
    return {};
  }
  // Roots that may share memory with `root`, each with a node that is the reason.
  std::map<ValueId, const Node*> reachable(ValueId root) const {
    std::map<ValueId, const Node*> seen;
    std::deque<ValueId> open{root};
    for (; !open.empty(); open.pop_front()) {
      const auto it = suspects_.find(open.front());
      if (it == suspects_.end()) continue;
      for (const auto& [other, link] : it->second) {
        if (other != root && seen.emplace(other, link).second) open.push_back(other);
      }
    }
    return seen;
  }
  // Makes `now` the content of `target` and of everything it is a view of.
  Status write(const Node& writer, ValueId target, ValueId now) {
    const ValueId root = slots_[target].root;
    std::vector<std::pair<ValueId, ValueId>> updates{{target, now}};
    for (ValueId id = target; slots_[id].view != nullptr;) {
      const Slot& slot = slots_[id];
      const ValueId base = slot.view->base;
      if (!slot.view->same) {
        CA_ASSIGN_OR_RETURN(const ValueId base_now, content(base));
        Node view = slot.view->node;
        CA_ASSIGN_OR_RETURN(view.args, view_arguments(*slot.view, base_now));
        Result<ValueId> written = write_through(rewriter_, {view, slot.result, base_now, now});
        if (!written.ok()) {
          return written.status().with_context(
              fmt::format("node '{}' ({})", writer.name, writer.op->name));
        }
        now = *written;
      }
      updates.emplace_back(base, now);
      id = base;
    }
    ++versions_[root];
    for (const auto& [id, value] : updates) set_content(id, value);
    for (const auto& [other, link] : reachable(root)) poisoned_[other] = {&writer, link};
    return {};
  }

  Status read_outputs() {
    for (const Argument& output : graph_.outputs()) CA_RETURN_IF_ERROR(read_argument(output));
    for (const Assertion& assertion : graph_.assertions()) {
      const Slot& slot = slots_[assertion.condition];
      if (slot.root != kNoId && slot.created != versions_[slot.root]) {
        return unsupported("'{}', which an assertion (\"{}\") reads, is changed in place",
                           graph_.value(assertion.condition).name, assertion.message);
      }
    }
    return {};
  }

  struct Poison {
    const Node* writer;
    const Node* link;
  };

  const Graph& graph_;
  const PassContext& context_;
  Rewriter rewriter_;
  std::vector<Slot> slots_;                                     // by value of the old graph
  std::vector<uint32_t> versions_;                              // by root
  std::deque<View> views_;                                      // stable addresses
  std::map<ValueId, std::map<ValueId, const Node*>> suspects_;  // by root
  std::map<ValueId, Poison> poisoned_;                          // by root
  std::map<ValueId, const Node*> retired_;
};

}  // namespace

Result<Graph> functionalise(const Graph& graph, const PassContext& context) {
  return Functionaliser(graph, context).run();
}

}  // namespace changeaware
