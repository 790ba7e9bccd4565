// pareto_dominates: which candidates can never be the better choice.
//
// By runs. A dominates B when both run the same callables, A retains no more bytes and, for every
// changed input alone and every result alone, what A runs is part of what B runs; and one of these
// is strict. Why that is safe:
//   - Single inputs and single results decide all others (recipe.h), so the same holds for every
//     set of changed inputs and every set of wanted results, also where costs list only a sample.
//   - Every cost is a sum over what runs, and no part of it is negative: steady, p95, cold and
//     all-changed time. What has to be loaded or specialised is what runs and is not resident, so
//     it is less in every residency state as well. Function count and memory are those of the
//     callables, which are the same.
//   - The cache: what was retained for any earlier version leaves some inputs changed since, which
//     is one of the sets above; with nothing cached all are. Where B's values fit a budget A's do.
//     A state in which some of B's values are missing is the state of the candidate that does not
//     retain them, with which B is compared there.
// A pair that is equal in all of this is one candidate twice: the later one counts as dominated.
//
// By times. Of the others, those are dropped that are no faster for any change mask (and any single
// result, everything changed) and retain no fewer bytes than another one. That depends on the
// measured costs. `monolithic` takes part and is never dropped; nor does it drop the fastest of
// those that run segments. That one runs what the changed inputs make necessary and nothing more,
// which is what was asked for, also where a program is so small that calls cost more than work.
#pragma once

#include <boost/dynamic_bitset.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace changeaware {

// What simulation says about a candidate.
struct Profile {
  uint64_t retained_bytes = 0;
  bool is_monolithic = false;                         // else it runs the segments
  std::vector<boost::dynamic_bitset<uint64_t>> runs;  // by changed input and result; places
  std::vector<double> steady_us;                      // by change mask, then by single result
};

bool pareto_dominates(const Profile& a, const Profile& b);

// Equal or better in every time and in bytes.
bool is_no_slower(const Profile& a, const Profile& b);

struct Domination {
  // The same candidate twice, by runs, by times only: each holds where the one before it does.
  enum class Kind : uint8_t { kSame, kRuns, kTimes } kind = Kind::kSame;
  size_t by = 0;  // a profile that is not dominated itself
};

// By profile: what makes it superfluous, if anything does.
std::vector<std::optional<Domination>> find_dominated(const std::vector<Profile>& profiles);

}  // namespace changeaware
