#include "engine/mixed/control_flow.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.h"
#include "engine/mixed/body.h"
#include "engine/mixed/loops.h"
#include "engine/mixed/operands.h"

namespace changeaware::mixed {
namespace {

// What the makers below read a node with.
class Reader {
 public:
  Reader(const Engine& engine, const Node& node, const std::string& identity)
      : engine_(engine), node_(node), identity_(identity), values_(values_read(node)) {}

  Result<Operands> operands(size_t index) const {
    if (index >= node_.args.size()) return Operands();
    return Operands::read(node_.args[index], values_);
  }

  Result<Body> body(size_t index, size_t inputs, size_t outputs) const {
    const auto* graph = index < node_.args.size()
                            ? std::get_if<std::shared_ptr<const Graph>>(&node_.args[index])
                            : nullptr;
    if (graph == nullptr || *graph == nullptr) {
      return invalid_program("argument {} is not a graph", index);
    }
    if ((*graph)->inputs().size() != inputs || (*graph)->outputs().size() != outputs) {
      return invalid_program("nested graph {}: {} inputs and {} outputs, {} and {} expected", index,
                             (*graph)->inputs().size(), (*graph)->outputs().size(), inputs,
                             outputs);
    }
    const std::string identity =
        identity_.empty() ? std::string() : fmt::format("{}/{}", identity_, index);
    return Body::compile(engine_, **graph, identity);
  }

  size_t outputs() const { return node_.outputs.size(); }

 private:
  const Engine& engine_;
  const Node& node_;
  const std::string& identity_;
  std::vector<ValueId> values_;
};

using Maker = Result<std::unique_ptr<Executable>> (*)(const Reader& reader, Results results);

// (pred, true graph, false graph, operands)
Result<std::unique_ptr<Executable>> make_cond(const Reader& reader, Results results) {
  CA_ASSIGN_OR_RETURN(Operands predicate, reader.operands(0));
  CA_ASSIGN_OR_RETURN(Operands operands, reader.operands(3));
  if (predicate.size() != 1) return invalid_program("the predicate is not one value");
  CA_ASSIGN_OR_RETURN(Body yes, reader.body(1, operands.size(), reader.outputs()));
  CA_ASSIGN_OR_RETURN(Body no, reader.body(2, operands.size(), reader.outputs()));
  return make_branch(std::move(predicate), std::move(operands), std::move(yes), std::move(no),
                     std::move(results));
}

// (condition graph, body graph, carried, additional)
Result<std::unique_ptr<Executable>> make_while(const Reader& reader, Results results) {
  CA_ASSIGN_OR_RETURN(Operands carried, reader.operands(2));
  CA_ASSIGN_OR_RETURN(Operands additional, reader.operands(3));
  const size_t inputs = carried.size() + additional.size();
  if (reader.outputs() != carried.size()) {
    return invalid_program("{} results of {} carried values", reader.outputs(), carried.size());
  }
  CA_ASSIGN_OR_RETURN(Body condition, reader.body(0, inputs, 1));
  CA_ASSIGN_OR_RETURN(Body body, reader.body(1, inputs, carried.size()));
  return make_while_loop(std::move(condition), std::move(body), std::move(carried),
                         std::move(additional), std::move(results));
}

Result<std::unique_ptr<Executable>> make_over_rows(const Reader& reader, Operands carried,
                                                   size_t rows_at, Results results) {
  CA_ASSIGN_OR_RETURN(Operands rows, reader.operands(rows_at));
  CA_ASSIGN_OR_RETURN(Operands additional, reader.operands(rows_at + 1));
  if (rows.size() == 0) return invalid_program("there is nothing to go over");
  if (reader.outputs() < carried.size()) {
    return invalid_program("{} results of {} carried values", reader.outputs(), carried.size());
  }
  CA_ASSIGN_OR_RETURN(Body body, reader.body(0, carried.size() + rows.size() + additional.size(),
                                             reader.outputs()));
  return make_scan_loop(std::move(body), std::move(carried), std::move(rows), std::move(additional),
                        std::move(results));
}

// (body graph, initial carry, rows, additional)
Result<std::unique_ptr<Executable>> make_scan(const Reader& reader, Results results) {
  CA_ASSIGN_OR_RETURN(Operands carried, reader.operands(1));
  return make_over_rows(reader, std::move(carried), 2, std::move(results));
}

// (body graph, rows, additional)
Result<std::unique_ptr<Executable>> make_map(const Reader& reader, Results results) {
  return make_over_rows(reader, Operands(), 1, std::move(results));
}

struct Line {
  std::string_view op;
  Maker make;
};
constexpr std::array kLines = {
    Line{"cond", make_cond},
    Line{"map_impl", make_map},
    Line{"scan", make_scan},
    Line{"while_loop", make_while},
};

const Line* find_line(const Node& node) {
  if (node.op->ns() != "higher_order") return nullptr;
  for (const Line& line : kLines) {
    if (line.op == node.op->base_name()) return &line;
  }
  return nullptr;
}

Results results_of(const Graph& graph, const Node& node) {
  Results results;
  for (ValueId id : node.outputs) {
    const bool named = id != kNoId;
    results.push_back(
        {named ? graph.value(id).name : "", named, named ? graph.value(id).spec : TensorSpec()});
  }
  return results;
}

}  // namespace

bool is_known_control_flow(const Node& node) { return find_line(node) != nullptr; }

std::vector<ValueId> values_read(const Node& node) {
  std::vector<ValueId> out;
  for_each_input(node, [&](ValueId id) {
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  });
  return out;
}

std::vector<ValueId> values_given(const Node& node) {
  std::vector<ValueId> out = node.outputs;
  std::erase(out, kNoId);
  return out;
}

Result<std::unique_ptr<Executable>> compile_control_flow(const Engine& engine, const Graph& graph,
                                                         const Node& node,
                                                         const std::string& identity) {
  const std::string where = fmt::format("node '{}' ({})", node.name, node.op->name);
  const Line* line = find_line(node);
  if (line == nullptr) return unsupported("{}: control flow of this kind is not run", where);
  auto made = line->make(Reader(engine, node, identity), results_of(graph, node));
  if (!made.ok()) return made.status().with_context(where);
  return made;
}

}  // namespace changeaware::mixed
