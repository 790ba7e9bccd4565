// TreeSpec: the nesting of a program's inputs or outputs.
//
// Format: torch.utils._pytree, protocol 1: a JSON text "[1, {type, context, children_spec}]".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "changeaware/status.h"

namespace changeaware {

struct TreeSpec {
  std::string type;               // "builtins.dict"; empty = a leaf
  std::string context;            // as written
  std::vector<std::string> keys;  // names of the children; empty where they have only positions
  std::vector<TreeSpec> children;

  bool is_leaf() const { return type.empty(); }
  size_t leaf_count() const;
};

// Field names of named tuples by their registered name.
using NamedTupleFields = std::map<std::string, std::vector<std::string>>;

// `what` names the text in errors: Corrupt when it is no tree spec, Unsupported for another
// protocol.
Result<TreeSpec> parse_treespec(std::string_view text, const std::string& what,
                                const NamedTupleFields& named_tuples);

// For each leaf the keys and positions that lead to it joined with dots ("hidden.0"). Empty texts
// when the tree is a leaf or a flat tuple or list, whose positions name nothing.
std::vector<std::string> leaf_paths(const TreeSpec& spec);

// (args, kwargs) with `inputs` positional arguments; a tuple of `outputs`.
std::string flat_in_spec(size_t inputs);
std::string flat_out_spec(size_t outputs);

}  // namespace changeaware
