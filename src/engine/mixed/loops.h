// loops: the executables of branches and loops over compiled bodies.
// Thread safety: as Executable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/mixed/body.h"
#include "engine/mixed/operands.h"

namespace changeaware::mixed {

// One per result of the node; the executable's outputs are those that are `named`, in order.
struct NodeResult {
  std::string name;
  bool named = false;
  TensorSpec spec;
};
using Results = std::vector<NodeResult>;

// `yes` or `no` on the operands, by a bool of one element.
std::unique_ptr<Executable> make_branch(Operands predicate, Operands operands, Body yes, Body no,
                                        Results results);

// The body on carried and additional values, again and again as long as the condition gives true.
std::unique_ptr<Executable> make_while_loop(Body condition, Body body, Operands carried,
                                            Operands additional, Results results);

// The body on carried values, the i-th row of each of `rows`, and additional values, for every i.
// Results: what is carried at the end, then what is not carried, stacked along dimension 0.
// InvalidArgument for no rows when a result's shape depends on sizes that only a row would tell.
std::unique_ptr<Executable> make_scan_loop(Body body, Operands carried, Operands rows,
                                           Operands additional, Results results);

}  // namespace changeaware::mixed
