#include "strategy/selection.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace changeaware {
namespace {

constexpr size_t kMostBudgets = 32;

std::vector<uint64_t> budgets_of(const std::vector<Profile>& profiles) {
  std::vector<uint64_t> all;
  for (const Profile& p : profiles) all.push_back(p.retained_bytes);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() <= kMostBudgets) return all;
  std::vector<uint64_t> out;
  for (size_t i = 0; i < kMostBudgets; ++i) {
    out.push_back(all[i * (all.size() - 1) / (kMostBudgets - 1)]);
  }
  return out;
}

class Selector {
 public:
  explicit Selector(const std::vector<Profile>& profiles)
      : profiles_(profiles), budgets_(budgets_of(profiles)), chosen_(profiles.size(), false) {
    // Slower than everything, yet finite: sums of differences must compare.
    std::vector<double> worst(profiles.empty() ? 0 : profiles[0].steady_us.size(), 0);
    for (const Profile& p : profiles) {
      for (size_t m = 0; m < worst.size(); ++m) worst[m] = std::max(worst[m], p.steady_us[m]);
    }
    best_.assign(budgets_.size(), worst);
  }

  void choose(size_t i) {
    chosen_[i] = true;
    for (size_t b = 0; b < budgets_.size(); ++b) {
      if (profiles_[i].retained_bytes > budgets_[b]) continue;
      for (size_t m = 0; m < best_[b].size(); ++m) {
        best_[b][m] = std::min(best_[b][m], profiles_[i].steady_us[m]);
      }
    }
  }

  bool is_chosen(size_t i) const { return chosen_[i]; }

  size_t most_useful() const {
    size_t best = profiles_.size();
    double best_gain = -1;
    for (size_t i = 0; i < profiles_.size(); ++i) {
      if (chosen_[i]) continue;
      const double own = gain(profiles_[i]);
      if (own <= best_gain) continue;
      best_gain = own;
      best = i;
    }
    return best;
  }

 private:
  double gain(const Profile& p) const {
    double sum = 0;
    for (size_t b = 0; b < budgets_.size(); ++b) {
      if (p.retained_bytes > budgets_[b]) continue;
      for (size_t m = 0; m < p.steady_us.size(); ++m) {
        sum += std::max(0.0, best_[b][m] - p.steady_us[m]);
      }
    }
    return sum;
  }

  const std::vector<Profile>& profiles_;
  const std::vector<uint64_t> budgets_;
  std::vector<bool> chosen_;
  std::vector<std::vector<double>> best_;  // by budget and change
};

}  // namespace

std::vector<size_t> select_profiles(const std::vector<Profile>& profiles, size_t most) {
  Selector selector(profiles);
  size_t largest = 0;
  for (size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].retained_bytes > profiles[largest].retained_bytes) largest = i;
  }
  size_t count = 0;
  const auto choose = [&](size_t i) {
    if (count >= most || selector.is_chosen(i)) return;
    selector.choose(i);
    ++count;
  };
  for (size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].is_monolithic) choose(i);
  }
  if (!profiles.empty()) choose(largest);
  while (count < std::min(most, profiles.size())) choose(selector.most_useful());
  std::vector<size_t> out;
  for (size_t i = 0; i < profiles.size(); ++i) {
    if (selector.is_chosen(i)) out.push_back(i);
  }
  return out;
}

}  // namespace changeaware
