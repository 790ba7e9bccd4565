// The text form of a graph: prints and parses, so that a test of an analysis shows its graph.
//
//   graph(%img: f32[1, 3, s0], %txt: f32[4]) {
//     %w = constant f32[4] {1, 2, 3, 4}            // small values, or
//     %big = constant f32[768, 768] "tower.weight"  // zeros with a name
//     %a: f32[4] = aten.mul.Tensor(%txt, %w)
//     %n: sym = aten.sym_size.int(%img, 2)
//     %p: f32[2], %q: i64[2] = aten.max.dim(%x, 0)
//     %u, … = aten.split.Tensor(%x, 2)
//     assert %ok "message"
//     return (%a, %img, None, 3)
//   }
//
// Arguments are positional in schema order or name=value; omitted ones take their defaults. A value
// without a type is f32 of unknown shape []. Dtypes: u8 i8 i16 i32 i64 f16 bf16 f32 f64 bool.
// Errors of parse_graph: InvalidProgram with the line number.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace changeaware {

// "3" or "2*s0".
std::string dim_text(const Dim& dim);
std::string print_graph(const Graph& graph);
Result<Graph> parse_graph(std::string_view text);

}  // namespace changeaware
