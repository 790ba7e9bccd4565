#include "strategy/candidates.h"

#include <algorithm>
#include <limits>
#include <set>

namespace changeaware {
namespace {

Choices all_last(const std::vector<ClassCuts>& classes) {
  Choices out;
  for (const ClassCuts& c : classes) out.push_back(static_cast<uint32_t>(c.choices.size() - 1));
  return out;
}

bool has_at_most(const std::vector<ClassCuts>& classes, size_t limit) {
  size_t product = 1;
  for (const ClassCuts& c : classes) {
    if (c.choices.size() > limit / product) return false;
    product *= c.choices.size();
  }
  return true;
}

std::vector<Choices> product(const std::vector<ClassCuts>& classes) {
  std::vector<Choices> out;
  Choices now(classes.size(), 0);
  while (true) {
    out.push_back(now);
    size_t c = classes.size();
    while (c > 0 && now[c - 1] + 1 == classes[c - 1].choices.size()) now[--c] = 0;
    if (c == 0) return out;
    ++now[c - 1];
  }
}

// A step of one class to a thicker cut.
struct Step {
  double us_per_byte = 0;
  size_t of_class = 0;
  uint32_t to = 0;
};

// The steps of one class along the lower convex hull of its times over bytes: each saves less per
// byte than the one before.
std::vector<Step> steps_of(const std::vector<ClassCuts>& classes, size_t c,
                           const std::function<double(const Choices&)>& total_us) {
  Choices choices = all_last(classes);
  std::vector<double> us;
  for (uint32_t k = 0; k < classes[c].choices.size(); ++k) {
    choices[c] = k;
    us.push_back(total_us(choices));
  }
  const auto slope = [&](uint32_t from, uint32_t to) {
    const auto bytes = static_cast<double>(classes[c].choices[to].bytes) -
                       static_cast<double>(classes[c].choices[from].bytes);
    return bytes > 0 ? (us[from] - us[to]) / bytes : std::numeric_limits<double>::infinity();
  };
  std::vector<Step> steps;
  uint32_t at = 0;
  while (at + 1 < us.size()) {
    uint32_t best = at + 1;
    for (uint32_t k = at + 2; k < us.size(); ++k) {
      if (slope(at, k) >= slope(at, best)) best = k;
    }
    steps.push_back({slope(at, best), c, best});
    at = best;
  }
  return steps;
}

// Adds until `limit`, of which one place is kept for the last choices.
class Collector {
 public:
  Collector(const std::vector<ClassCuts>& classes, size_t limit) : limit_(limit) {
    found_ = {Choices(classes.size(), 0), all_last(classes)};
  }
  void add(const Choices& choices) {
    if (found_.size() < limit_) found_.insert(choices);
  }
  std::vector<Choices> take() const { return {found_.begin(), found_.end()}; }

 private:
  const size_t limit_;
  std::set<Choices> found_;
};

}  // namespace

std::vector<Choices> enumerate_candidates(const std::vector<ClassCuts>& classes, size_t limit,
                                          const std::function<double(const Choices&)>& total_us) {
  if (has_at_most(classes, limit)) return product(classes);
  std::vector<Step> steps;
  for (size_t c = 0; c < classes.size(); ++c) {
    const std::vector<Step> own = steps_of(classes, c, total_us);
    steps.insert(steps.end(), own.begin(), own.end());
  }
  // Stable: the steps of a class stay in order where they save the same.
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.us_per_byte > b.us_per_byte; });
  Collector collector(classes, limit);
  Choices now(classes.size(), 0);
  for (const Step& step : steps) {
    now[step.of_class] = step.to;
    collector.add(now);
  }
  for (size_t c = 0; c < classes.size(); ++c) {
    Choices beside_nothing(classes.size(), 0);
    Choices beside_everything = all_last(classes);
    for (uint32_t k = 0; k < classes[c].choices.size(); ++k) {
      beside_nothing[c] = beside_everything[c] = k;
      collector.add(beside_nothing);
      collector.add(beside_everything);
    }
  }
  return collector.take();
}

}  // namespace changeaware
