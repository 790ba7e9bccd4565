#include "strategy/strategies.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strategy/candidates.h"
#include "strategy/pareto.h"
#include "strategy/selection.h"
#include "strategy/simulation.h"

namespace changeaware {
namespace {

constexpr size_t kMostCandidates = 4096;
constexpr size_t kMostWalkedCallables = size_t{1} << 25;
constexpr size_t kMostRejections = 64;

struct Candidate {
  std::string name;
  std::vector<std::string> retained;
  uint64_t bytes = 0;
};

std::string name_of(const std::vector<ClassCuts>& classes, const Choices& choices) {
  bool is_first = true;
  bool is_last = true;
  bool is_empty = true;
  std::vector<std::string> parts;
  for (size_t c = 0; c < classes.size(); ++c) {
    is_first = is_first && choices[c] == 0;
    is_last = is_last && choices[c] + 1 == classes[c].choices.size();
    is_empty = is_empty && classes[c].choices[choices[c]].retained.empty();
    if (classes[c].choices.size() < 2) continue;
    parts.push_back(fmt::format("{}@{}", classes[c].label, classes[c].choices[choices[c]].bytes));
  }
  if (is_last) return "full_retention";
  return is_first && is_empty ? "no_retention" : fmt::format("{}", fmt::join(parts, "+"));
}

Candidate make_candidate(const std::vector<ClassCuts>& classes, const Choices& choices) {
  Candidate out;
  out.name = name_of(classes, choices);
  for (size_t c = 0; c < classes.size(); ++c) {
    const ClassCuts::Choice& choice = classes[c].choices[choices[c]];
    out.retained.insert(out.retained.end(), choice.retained.begin(), choice.retained.end());
    out.bytes += choice.bytes;
  }
  return out;
}

class Chooser {
 public:
  Chooser(const Manifest& manifest, const std::vector<ClassCuts>& classes,
          const StrategyOptions& options)
      : manifest_(manifest), classes_(classes), options_(options), main_(manifest, {"main"}) {
    std::vector<std::string> names;
    for (size_t i = 1; i < manifest.callables.size(); ++i) {
      names.push_back(manifest.callables[i].name);
    }
    candidates_.push_back({"monolithic", {}, 0});
    if (!names.empty()) segments_.emplace(manifest, std::move(names));
  }

  StrategySet run() {
    if (segments_) add_candidates();
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& c = candidates_[i];
      profiles_.push_back(family(i).profile(c.retained, c.bytes));
    }
    reasons_.resize(candidates_.size());
    reject_dominated();
    reject_over_budget();
    reject_beyond_most();
    return finish();
  }

 private:
  const Simulation& family(size_t i) const { return i == 0 ? main_ : *segments_; }

  void add_candidates() {
    const size_t work = std::max<size_t>(segments_->walks() * manifest_.callables.size(), 1);
    const size_t limit = std::clamp<size_t>(kMostWalkedCallables / work, 256, kMostCandidates);
    const auto total_us = [&](const Choices& choices) {
      const Candidate c = make_candidate(classes_, choices);
      const Profile p = segments_->profile(c.retained, c.bytes);
      return std::accumulate(p.steady_us.begin(), p.steady_us.end(), 0.0);
    };
    std::set<std::string> names;
    for (const Choices& choices : enumerate_candidates(classes_, limit, total_us)) {
      Candidate candidate = make_candidate(classes_, choices);
      const std::string name = candidate.name;
      // Cuts of as many bytes have the same name.
      for (int copy = 2; !names.insert(candidate.name).second; ++copy) {
        candidate.name = fmt::format("{}_{}", name, copy);
      }
      candidates_.push_back(std::move(candidate));
    }
  }

  void reject_dominated() {
    const auto dominated = find_dominated(profiles_);
    for (size_t i = 0; i < dominated.size(); ++i) {
      if (dominated[i]) reasons_[i] = dominated_reason(i, *dominated[i]);
    }
  }

  std::string dominated_reason(size_t i, const Domination& domination) const {
    const Candidate& better = candidates_[domination.by];
    const std::string bytes = fmt::format("{} bytes, not {}", better.bytes, candidates_[i].bytes);
    switch (domination.kind) {
      case Domination::Kind::kSame:
        return fmt::format("the same as '{}': it runs the same for every change", better.name);
      case Domination::Kind::kRuns:
        return fmt::format(
            "dominated by '{}', which runs nothing more for any change and retains "
            "{}",
            better.name, bytes);
      case Domination::Kind::kTimes:
        return fmt::format("dominated by '{}', which is no slower for any change and retains {}",
                           better.name, bytes);
    }
    return {};
  }

  void reject_over_budget() {
    const uint64_t budget = options_.retained_budget_bytes;
    for (size_t i = 1; i < candidates_.size(); ++i) {
      if (!reasons_[i].empty() || candidates_[i].bytes <= budget) continue;
      reasons_[i] = fmt::format("retains {} bytes, the budget is {}", candidates_[i].bytes, budget);
    }
  }

  void reject_beyond_most() {
    std::vector<size_t> left;
    std::vector<Profile> profiles;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (!reasons_[i].empty()) continue;
      left.push_back(i);
      profiles.push_back(profiles_[i]);
    }
    const size_t most = std::max<size_t>(options_.max_strategies, 1);
    for (size_t i : left) {
      reasons_[i] = fmt::format("others of the {} strategies kept lower the times more", most);
    }
    for (size_t i : select_profiles(profiles, most)) reasons_[left[i]].clear();
  }

  StrategySet finish() const {
    StrategySet out;
    out.candidates = candidates_.size();
    std::vector<size_t> kept;
    size_t turned_down = 0;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (reasons_[i].empty()) {
        kept.push_back(i);
      } else if (++turned_down <= kMostRejections) {
        out.rejections.push_back({candidates_[i].name, reasons_[i]});
      }
    }
    if (turned_down > kMostRejections) {
      out.rejections.push_back(
          {fmt::format("{} more strategies", turned_down - kMostRejections),
           "dominated, over the budget or beyond the number of strategies kept"});
    }
    // Position 0 is `monolithic`.
    std::stable_sort(kept.begin() + 1, kept.end(), [&](size_t a, size_t b) {
      return candidates_[a].bytes < candidates_[b].bytes;
    });
    for (size_t i : kept) {
      const Candidate& c = candidates_[i];
      out.strategies.push_back(family(i).strategy(c.name, c.retained, c.bytes));
    }
    return out;
  }

  const Manifest& manifest_;
  const std::vector<ClassCuts>& classes_;
  const StrategyOptions& options_;
  const Simulation main_;
  std::optional<Simulation> segments_;
  std::vector<Candidate> candidates_;
  std::vector<Profile> profiles_;
  std::vector<std::string> reasons_;  // by candidate; empty = kept so far
};

}  // namespace

StrategySet choose_strategies(const Manifest& manifest, const std::vector<ClassCuts>& classes,
                              const StrategyOptions& options) {
  return Chooser(manifest, classes, options).run();
}

}  // namespace changeaware
