// CutHull: every cut of a class that is best at some price of a retained byte.
//
// A cut S is a set of nodes that contains, with a node, every node of the class that it reads from.
// With S retained,
//   B(S) = bytes of the values made in S that something outside S reads,
//   T(S) = time of the nodes outside S, which is recomputed.
// For a price p per byte the best cuts minimise T(S) + p * B(S): a minimum cut of a network in
// which the source pays a node's time when it lies on the sink side, a vertex per value pays its
// bytes once however many readers are outside, and unbounded edges from a node to those it reads
// keep S closed. Dividing by p leaves p in the source's capacities only, so the largest best cuts
// grow as p falls: they are nested (Gallo, Grigoriadis and Tarjan, A fast parametric maximum flow
// algorithm and applications, 1989). The points (B, T) of those cuts are the vertices of the lower
// convex hull of all cuts.
//
// Of the cuts that cost the same the largest is taken: values are retained as late as possible.
//
// Exactness: times are rounded to ticks of 2^-20 us (coarser by powers of two where a class would
// have more than 2^60 ticks), bytes are exact and at most 2^60; a price is a quotient of a time and
// a number of bytes that occur, and both sides are multiplied out. Sums of products stay below
// 2^124, in 128 bits. There is no floating point after the rounding.
//
// Cost: between two known cuts the price at which both cost the same is solved for, on the nodes
// between them, everything else contracted. What can still lie between two cuts is a triangle of
// which each step leaves at most a quarter, so that there are at most about 60 levels (few in
// practice), each of which touches every node, value and reader at most once. With a tolerance, a
// triangle that cannot hold a cut better than the known ones by more than this share of the cost is
// left alone (its tip comes from the prices at which both cuts are known to be best).
#pragma once

#include <cstdint>
#include <vector>

#include "regions/cut_problem.h"

namespace changeaware {

struct HullCut {
  uint32_t nodes = 0;  // S = the first so many of CutHull::order
  uint64_t bytes = 0;
  uint64_t ticks = 0;
};

struct CutHull {
  std::vector<uint32_t> order;  // all nodes; in topological order between one cut and the next
  // From the empty set to the whole class, both always there, bytes growing and times falling. The
  // empty set is no vertex where something can be kept for no bytes at all, the whole class none
  // where the same time is saved with fewer bytes; every other element is a vertex.
  std::vector<HullCut> cuts;
  double ticks_per_us = 0;

  double microseconds(uint64_t ticks) const { return static_cast<double>(ticks) / ticks_per_us; }
};

// With tolerance 0 all vertices; else, at every price, a cut that costs at most 1 / (1 - tolerance)
// of the best.
// REQUIRES: the invariants of CutProblem, at least one node, at most 2^60 bytes in total,
// 0 <= tolerance < 1.
CutHull find_cut_hull(const CutProblem& problem, double tolerance = 0);

}  // namespace changeaware
