#include "engine/mixed/assembly.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/mixed/control_flow.h"

namespace changeaware::mixed {
namespace {

constexpr size_t kNone = SIZE_MAX;

ValueId output_value(const Argument& output) { return std::get<ValueRef>(output).id; }

}  // namespace

Assembly::Assembly(const Graph& graph, std::span<const Piece> pieces)
    : graph_(graph),
      pieces_(pieces),
      producer_(graph.values().size(), kNone),
      wanted_(graph.values().size(), false) {
  for (ValueId id : graph.inputs()) {
    inputs_.emplace(id, parts_.inputs.size());
    parts_.inputs.push_back(torch::port_of(graph.value(id)));
  }
  for (size_t p = 0; p < pieces.size(); ++p) {
    for (NodeId node : pieces[p].nodes) {
      for (ValueId id : graph.node(node).outputs) {
        if (id != kNoId) producer_[id] = p;
      }
    }
  }
  mark_wanted();
  find_ports();
}

void Assembly::mark_wanted() {
  for (size_t p = 0; p < pieces_.size(); ++p) {
    for (NodeId node : pieces_[p].nodes) {
      for_each_input(graph_.node(node), [&](ValueId id) {
        if (producer_[id] != p) wanted_[id] = true;
      });
    }
  }
  for (const Argument& output : graph_.outputs()) wanted_[output_value(output)] = true;
}

void Assembly::find_ports() {
  for (size_t p = 0; p < pieces_.size(); ++p) {
    PiecePorts ports;
    const bool engine_piece = pieces_[p].kind != PieceKind::kControlFlow;
    std::vector<bool> seen(graph_.values().size(), false);
    for (NodeId node : pieces_[p].nodes) {
      for_each_input(graph_.node(node), [&](ValueId id) {
        // An engine's piece brings its constants along.
        if (seen[id] || producer_[id] == p || (engine_piece && graph_.constant_of(id))) return;
        seen[id] = true;
        ports.inputs.push_back(id);
      });
      for (ValueId id : graph_.node(node).outputs) {
        if (id != kNoId && (wanted_[id] || !engine_piece)) ports.outputs.push_back(id);
      }
    }
    for (ValueId id : ports.outputs) {
      slots_.emplace(id, parts_.slots.size());
      parts_.slots.push_back({graph_.value(id).name, -1, p});
    }
    for (ValueId id : ports.inputs) {
      const auto slot = slots_.find(id);
      if (slot != slots_.end()) parts_.slots[slot->second].last_step = p;
    }
    ports_.push_back(std::move(ports));
  }
}

Source Assembly::source_of(ValueId value) const {
  if (const auto it = slots_.find(value); it != slots_.end()) {
    return {Source::Kind::kSlot, it->second, {}};
  }
  if (const auto it = inputs_.find(value); it != inputs_.end()) {
    return {Source::Kind::kInput, it->second, {}};
  }
  return {Source::Kind::kConstant, 0, graph_.constant_of(value)->tensor};
}

void Assembly::add(std::unique_ptr<Executable> executable) {
  const size_t p = parts_.steps.size();
  Step step{std::move(executable), {}, {}, {}};
  for (ValueId id : ports_[p].inputs) {
    const Value& value = graph_.value(id);
    const bool is_int64 = value.kind == ValueKind::kSymInt ||
                          (value.kind == ValueKind::kTensor && value.spec.dtype == DType::kInt64);
    // What the fast engine itself gives has that range.
    const bool from_fast =
        producer_[id] != kNone && pieces_[producer_[id]].kind == PieceKind::kFast;
    if (is_int64 && !from_fast && pieces_[p].kind == PieceKind::kFast) {
      step.checked.push_back(step.inputs.size());
    }
    step.inputs.push_back(source_of(id));
  }
  for (ValueId id : ports_[p].outputs) step.slots.push_back(slots_.at(id));
  parts_.steps.push_back(std::move(step));
}

SequenceParts Assembly::finish() && {
  for (const Argument& output : graph_.outputs()) {
    const ValueId id = output_value(output);
    Source source = source_of(id);
    if (source.kind == Source::Kind::kSlot && parts_.slots[source.index].output < 0) {
      parts_.slots[source.index].output = static_cast<int>(parts_.outputs.size());
    }
    parts_.outputs.push_back(std::move(source));
    parts_.output_names.push_back(graph_.value(id).name);
  }
  return std::move(parts_);
}

}  // namespace changeaware::mixed
