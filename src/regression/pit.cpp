// The distribution of Phi(z) against the uniform one.
#include <algorithm>
#include <cmath>

#include "plumb/regression/ordered.hpp"
#include "regression/cumulative.hpp"

namespace plumb {
namespace {

const char* const kNoPit = "some prediction has variance 0; ⟦clip⟧ raises small variances";

/// Integral of |level - t| for t from a to b.
double area_between(double level, double a, double b) {
  const auto part = [level](double from, double to) {  // level on one side of [from, to]
    return std::abs((level - 0.5 * (from + to)) * (to - from));
  };
  if (level <= a || level >= b) return part(a, b);
  return part(a, level) + part(level, b);
}

}  // namespace

PitDistance pit_distance(const OrderedRegression& c, const ItemWeights& weights) {
  if (c.degenerate > 0) return {Estimate::undefined(kNoPit), Estimate::undefined(kNoPit)};
  const double total = detail::total_weight(c.pit_item, weights);
  if (!(total > 0)) {
    return {Estimate::undefined(kNoItems), Estimate::undefined(kNoItems)};
  }
  detail::Cumulative so_far(weights.all_one());
  double share = 0, from = 0, ks = 0, area = 0;
  for (std::size_t begin = 0; begin < c.pit.size();) {
    std::size_t end = begin;
    const double at = c.pit[begin];
    for (; end < c.pit.size() && c.pit[end] == at; ++end)
      if (const double w = weights.weight_of(c.pit_item[end]); w != 0) so_far.add(w);
    const double next = so_far.value() / total;
    if (next != share) {  // a jump: the largest distance is on one of its two sides
      ks = std::max({ks, std::abs(share - at), std::abs(next - at)});
      area += area_between(share, from, at);
      share = next;
      from = at;
    }
    begin = end;
  }
  area += area_between(share, from, 1.0);
  return {ks, area};
}

std::vector<double> central_coverage(const OrderedRegression& c, std::span<const double> levels) {
  if (c.degenerate > 0 || c.pit.empty()) return {};
  const ItemWeights weights{c.weight, {}};
  const double total = detail::total_weight(c.pit_item, weights);
  if (!(total > 0)) return {};
  std::vector<double> out;
  for (const double level : levels) {
    // |z| <= q and |Phi(z) - 1/2| <= level / 2 are the same up to rounding; the first is the definition.
    const auto first = std::lower_bound(c.pit.begin(), c.pit.end(), 0.5 - 0.5 * level);
    const auto last = std::upper_bound(first, c.pit.end(), 0.5 + 0.5 * level);
    const auto items = std::span(c.pit_item).subspan(first - c.pit.begin(), last - first);
    out.push_back(detail::total_weight(items, weights) / total);
  }
  return out;
}

}  // namespace plumb
