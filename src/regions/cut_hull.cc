#include "regions/cut_hull.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "regions/cut_network.h"

namespace changeaware {
namespace {

constexpr double kTicksPerMicrosecond = 1 << 20;
constexpr double kMostTicks = 0x1p60;

// What a byte costs: `ticks` for `bytes`.
struct Price {
  uint64_t ticks = 0;
  uint64_t bytes = 0;
};

// Lists of numbers, one after the other: list i is items[first[i]] … items[first[i + 1] - 1].
struct Lists {
  std::vector<uint32_t> first;
  std::vector<uint32_t> items;

  // `each(emit)` calls emit(list, item) for all items, twice the same.
  template <class Each>
  Lists(size_t count, Each&& each) : first(count + 1, 0) {
    each([&](uint32_t list, uint32_t) { ++first[list + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    items.resize(first.back());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    each([&](uint32_t list, uint32_t item) { items[next[list]++] = item; });
  }
  template <class Visit>
  void for_each(uint32_t list, Visit&& visit) const {
    for (uint32_t i = first[list]; i < first[list + 1]; ++i) visit(items[i]);
  }
};

// Keeps the nodes in an order of which every known cut is a prefix. A search between the prefixes
// a and b permutes only what lies between them.
class HullFinder {
 public:
  HullFinder(const CutProblem& problem, double tolerance)
      : tolerance_(tolerance),
        values_(problem.values),
        makes_(problem.node_us.size(),
               [&](auto emit) {
                 for (uint32_t v = 0; v < values_.size(); ++v) emit(values_[v].producer, v);
               }),
        reads_(problem.node_us.size(),
               [&](auto emit) {
                 for (uint32_t v = 0; v < values_.size(); ++v) {
                   for (uint32_t r : values_[v].readers) emit(r, v);
                 }
               }),
        size_(static_cast<uint32_t>(problem.node_us.size())),
        position_(size_),
        last_reader_(values_.size(), 0),
        seen_(values_.size(), 0),
        inside_(values_.size(), 0) {
    round_times(problem.node_us);
    hull_.order.resize(size_);
    std::iota(hull_.order.begin(), hull_.order.end(), 0);
    place(0, size_);
  }

  CutHull run() && {
    const HullCut none{0, 0, std::accumulate(ticks_.begin(), ticks_.end(), uint64_t{0})};
    HullCut all{size_, 0, 0};
    for (const CutValue& v : values_) all.bytes += v.external ? v.bytes : 0;
    const HullCut first = largest_free_cut(none);
    const HullCut last = thinnest_full_cut(first, all);
    hull_.cuts.push_back(none);
    if (first.nodes > 0) hull_.cuts.push_back(first);
    // No time outweighs a byte at the first price, no bytes a tick at the last.
    search({first, last, static_cast<double>(none.ticks) + 1,
            1 / (static_cast<double>(all.bytes) + 1)});
    if (last.nodes > hull_.cuts.back().nodes) hull_.cuts.push_back(last);
    if (last.nodes < size_) hull_.cuts.push_back(all);
    return std::move(hull_);
  }

 private:
  void round_times(const std::vector<double>& node_us) {
    double total = 0;
    for (double us : node_us) total += us;
    hull_.ticks_per_us = kTicksPerMicrosecond;
    // Rounding adds less than a tick per node.
    while (total * hull_.ticks_per_us > kMostTicks / 2) hull_.ticks_per_us /= 2;
    for (double us : node_us) {
      ticks_.push_back(static_cast<uint64_t>(std::llround(us * hull_.ticks_per_us)));
    }
  }

  // Records where the nodes of [a, b) lie now.
  void place(uint32_t a, uint32_t b) {
    for (uint32_t i = a; i < b; ++i) position_[hull_.order[i]] = i;
    const auto in_range = [&](uint32_t v) { return last_reader_[v] >= a && last_reader_[v] < b; };
    for (uint32_t i = a; i < b; ++i) {
      reads_.for_each(hull_.order[i], [&](uint32_t v) {
        if (in_range(v)) last_reader_[v] = a;
      });
    }
    for (uint32_t i = a; i < b; ++i) {
      reads_.for_each(hull_.order[i],
                      [&](uint32_t v) { last_reader_[v] = std::max(last_reader_[v], i); });
    }
  }

  // Puts the chosen nodes of [a, b) first; how many there are.
  template <class Chosen>
  uint32_t split(uint32_t a, uint32_t b, Chosen&& chosen) {
    const auto begin = hull_.order.begin();
    const auto middle = std::stable_partition(begin + a, begin + b, chosen);
    place(a, b);
    return static_cast<uint32_t>(middle - begin) - a;
  }

  // Something behind the prefix `end` reads the value.
  bool read_behind(uint32_t v, uint32_t end) const {
    return values_[v].external || (!values_[v].readers.empty() && last_reader_[v] >= end);
  }

  // The prefix of `middle` nodes, between the known cut `from` and the prefix of `end` nodes.
  HullCut cut_at(const HullCut& from, uint32_t middle, uint32_t end) {
    HullCut cut{middle, from.bytes, from.ticks};
    for (uint32_t i = from.nodes; i < middle; ++i) cut.ticks -= ticks_[hull_.order[i]];
    ++stamp_;
    for (uint32_t i = from.nodes; i < end; ++i) {
      makes_.for_each(hull_.order[i], [&](uint32_t v) {
        if (i < middle && read_behind(v, middle)) cut.bytes += values_[v].bytes;
      });
      reads_.for_each(hull_.order[i], [&](uint32_t v) {
        if (position_[values_[v].producer] >= from.nodes || seen_[v] == stamp_) return;
        seen_[v] = stamp_;
        if (!read_behind(v, middle)) cut.bytes -= values_[v].bytes;
      });
    }
    return cut;
  }

  // The largest cut that retains no bytes. A node is out of it when a value of its that has bytes
  // is read outside, or when it reads from a node that is out.
  HullCut largest_free_cut(const HullCut& none) {
    std::vector<bool> out(size_, false);
    std::vector<uint32_t> open;
    const auto drop = [&](uint32_t node) {
      if (out[node]) return;
      out[node] = true;
      open.push_back(node);
    };
    for (const CutValue& v : values_) {
      if (v.external && v.bytes > 0) drop(v.producer);
    }
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      makes_.for_each(node, [&](uint32_t v) {
        for (uint32_t reader : values_[v].readers) drop(reader);
      });
      reads_.for_each(node, [&](uint32_t v) {
        if (values_[v].bytes > 0) drop(values_[v].producer);
      });
    }
    const uint32_t count = split(0, size_, [&](uint32_t node) { return !out[node]; });
    return cut_at(none, count, size_);
  }

  // Of the cuts with nothing to recompute the one with the fewest bytes. It contains every node
  // that takes time and all that those read from.
  HullCut thinnest_full_cut(const HullCut& from, const HullCut& all) {
    std::vector<bool> needed(size_, false);
    for (uint32_t node = size_; node > 0; --node) {
      if (ticks_[node - 1] > 0) needed[node - 1] = true;
      if (!needed[node - 1]) continue;
      reads_.for_each(node - 1, [&](uint32_t v) { needed[values_[v].producer] = true; });
    }
    const uint32_t count = split(from.nodes, size_, [&](uint32_t node) { return needed[node]; });
    const uint32_t least = from.nodes + count;
    if (least == size_) return all;
    const HullCut full = cut_at(from, least, size_);
    return best_between(full, all, Price{1, 0});
  }

  // Two cuts, and prices (ticks per byte) at which each is best.
  struct Gap {
    HullCut thin, thick;
    double thin_price = 0, thick_price = 0;
    bool searched = false;  // then only `thick` remains to be appended
  };

  // Appends the vertices strictly between two cuts, in order.
  void search(const Gap& whole) {
    std::vector<Gap> gaps = {whole};
    while (!gaps.empty()) {
      const Gap gap = gaps.back();
      gaps.pop_back();
      if (gap.searched) {
        hull_.cuts.push_back(gap.thick);
        continue;
      }
      if (gap.thick.nodes - gap.thin.nodes < 2 || gap.thick.bytes <= gap.thin.bytes) continue;
      const Price price{gap.thin.ticks - gap.thick.ticks, gap.thick.bytes - gap.thin.bytes};
      const double quotient = static_cast<double>(price.ticks) / static_cast<double>(price.bytes);
      if (is_settled(gap, quotient)) continue;
      const HullCut cut = best_between(gap.thin, gap.thick, price);
      if (cost(cut, price) >= cost(gap.thin, price)) continue;
      gaps.push_back({cut, gap.thick, quotient, gap.thick_price});
      gaps.push_back({cut, cut, 0, 0, true});
      gaps.push_back({gap.thin, cut, gap.thin_price, quotient});
    }
  }

  // Whether, at the price at which both ends cost the same, no cut can be much better. What both
  // ends cost at prices where they are best bounds every cut's cost there, and in between.
  bool is_settled(const Gap& gap, double price) const {
    if (tolerance_ == 0) return false;
    const auto at = [](const HullCut& cut, double p) {
      return static_cast<double>(cut.ticks) + p * static_cast<double>(cut.bytes);
    };
    const double share = (price - gap.thick_price) / (gap.thin_price - gap.thick_price);
    const double least =
        share * at(gap.thin, gap.thin_price) + (1 - share) * at(gap.thick, gap.thick_price);
    return at(gap.thin, price) - least <= tolerance_ * at(gap.thin, price);
  }

  static Capacity cost(const HullCut& cut, const Price& price) {
    return static_cast<Capacity>(price.bytes) * cut.ticks +
           static_cast<Capacity>(price.ticks) * cut.bytes;
  }

  // The best cut at a price of those from `thin` to `thick`; the largest of equals.
  HullCut best_between(const HullCut& thin, const HullCut& thick, const Price& price) {
    const uint32_t a = thin.nodes;
    const uint32_t b = thick.nodes;
    CutNetwork network;
    build_network(network, a, b, price);
    const std::vector<bool> chosen = network.source_side();
    // Vertex i is the node at position a + i before the split.
    const uint32_t count =
        split(a, b, [&](uint32_t node) { return static_cast<bool>(chosen[position_[node] - a]); });
    return cut_at(thin, a + count, b);
  }

  void build_network(CutNetwork& network, uint32_t a, uint32_t b, const Price& price) {
    network.reserve(2 * (b - a), 4 * (b - a));
    for (uint32_t i = a; i < b; ++i) {
      const uint32_t vertex = network.add_vertex();
      network.add_from_source(vertex, static_cast<Capacity>(price.bytes) * ticks_[hull_.order[i]]);
    }
    for (uint32_t i = a; i < b; ++i) {
      makes_.for_each(hull_.order[i], [&](uint32_t v) { add_made(network, v, a, b, price); });
    }
    add_read_from_before(network, a, b, price);
  }

  // A value made between the cuts; its readers are there or behind `b`.
  void add_made(CutNetwork& network, uint32_t v, uint32_t a, uint32_t b, const Price& price) {
    const CutValue& value = values_[v];
    const Capacity capacity = static_cast<Capacity>(price.ticks) * value.bytes;
    const uint32_t producer = position_[value.producer] - a;
    const bool always = read_behind(v, b);
    if (always) network.add_to_sink(producer, capacity);
    uint32_t vertex = producer;
    if (!always && value.readers.size() > 1) {
      vertex = network.add_vertex();
      network.add_edge(producer, vertex, capacity);
    }
    for (uint32_t reader : value.readers) {
      if (position_[reader] >= b) continue;
      const uint32_t r = position_[reader] - a;
      network.add_unbounded_edge(r, producer);
      if (always) continue;
      if (vertex == producer) {
        network.add_edge(producer, r, capacity);
      } else {
        network.add_unbounded_edge(vertex, r);
      }
    }
  }

  // Values of the thinner cut that no longer need keeping once all their readers are inside.
  void add_read_from_before(CutNetwork& network, uint32_t a, uint32_t b, const Price& price) {
    const auto for_each_read = [&](auto&& visit) {
      for (uint32_t i = a; i < b; ++i) {
        reads_.for_each(hull_.order[i], [&](uint32_t v) {
          if (position_[values_[v].producer] < a && !read_behind(v, b)) visit(v, i - a);
        });
      }
    };
    ++stamp_;
    for_each_read([&](uint32_t v, uint32_t) {
      inside_[v] = seen_[v] == stamp_ ? inside_[v] + 1 : 1;
      seen_[v] = stamp_;
    });
    ++stamp_;
    for_each_read([&](uint32_t v, uint32_t reader) {
      const Capacity capacity = static_cast<Capacity>(price.ticks) * values_[v].bytes;
      if (seen_[v] != stamp_) {
        const bool single = inside_[v] == 1;
        inside_[v] = single ? reader : network.add_vertex();  // from here on: its vertex
        network.add_from_source(inside_[v], capacity);
        seen_[v] = stamp_;
      }
      if (inside_[v] != reader) network.add_unbounded_edge(inside_[v], reader);
    });
  }

  const double tolerance_;
  const std::vector<CutValue>& values_;
  const Lists makes_;  // by node: values
  const Lists reads_;
  const uint32_t size_;
  std::vector<uint64_t> ticks_;
  CutHull hull_;
  std::vector<uint32_t> position_;     // by node: place in hull_.order
  std::vector<uint32_t> last_reader_;  // by value: greatest position of a reader
  std::vector<uint64_t> seen_;         // by value: the scan that met it last
  std::vector<uint32_t> inside_;       // by value: scratch of add_read_from_before
  uint64_t stamp_ = 0;
};

}  // namespace

CutHull find_cut_hull(const CutProblem& problem, double tolerance) {
  return HullFinder(problem, tolerance).run();
}

}  // namespace changeaware
