// Operators that run graphs of their own: branches and loops, as PyTorch exports them.
//
//   higher_order.cond        (pred, true_graph, false_graph, operands): the graph that pred
//   chooses,
//                            on the operands
//   higher_order.while_loop  (cond_graph, body_graph, carried, additional): while cond_graph holds,
//                            body_graph gives the next carried values; both read carried,
//                            additional
//   higher_order.scan        (combine_graph, init, xs, additional): over the first dimension of xs,
//                            combine_graph(carry…, x…, additional…) gives the next carry and what
//                            is stacked; results: the last carry, the stacks
//   higher_order.map_impl    (body_graph, xs, args): over the first dimension of xs,
//                            body_graph(x…, args…) gives what is stacked
// Source: torch/_higher_order_ops.
#pragma once

#include "graph/graph.h"

namespace changeaware {

bool is_control_flow(const OpSchema& op);

// InvalidProgram, naming node and body, when a body does not take what the operator passes to it or
// does not give what the operator expects. REQUIRES: one argument per schema argument.
Status check_bodies(const Node& node);

}  // namespace changeaware
