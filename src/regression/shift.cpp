#include "plumb/regression/shift.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/quantile.hpp"
#include "plumb/numeric/sort.hpp"
#include "regression/terms.hpp"

namespace plumb {

std::vector<double> item_variances(const RegressionItems& items, double clip, int threads) {
  RegressionItems spread = items;
  spread.targets = Rows();  // not needed, and perhaps not there
  std::vector<double> out(items.size());
  parallel_blocks(items.size(), block_rows(items), threads, [&](int, std::int64_t begin, std::int64_t end) {
    thread_local RegressionBlock block;
    thread_local std::vector<double> means;
    read_regression(spread, begin, end, block);
    (void)detail::raise_variances(block, clip);
    std::ranges::copy(detail::by_item(block, block.variance, means), out.begin() + begin);
  });
  return out;
}

Shift compare_uncertainty(std::span<const double> variance, std::span<const double> reference, int bins,
                          int threads) {
  if (variance.empty() || reference.empty())
    throw InputError("⟦reference⟧: both sets need at least one item");
  Shift out;
  const std::vector<double> a = sort_column(variance, threads).values,
                            b = sort_column(reference, threads).values;
  out.items = std::ssize(a);
  out.reference_items = std::ssize(b);
  out.median = quantile_sorted(a, 0.5);
  out.reference_median = quantile_sorted(b, 0.5);
  // Twice the number of pairs in which the item here is above, a tie counting one: an integer.
  uint128 twice = 0;
  std::size_t below = 0, up_to = 0;
  for (const double x : a) {
    while (below < b.size() && b[below] < x) ++below;
    up_to = std::max(up_to, below);
    while (up_to < b.size() && b[up_to] <= x) ++up_to;
    twice += below + up_to;
  }
  out.auroc = static_cast<double>(twice) / (2.0 * a.size() * b.size());

  // Equal bins of log variance over both sets; variances of 0 count in the lowest bin.
  const auto smallest = [](const std::vector<double>& v) {
    const auto at = std::upper_bound(v.begin(), v.end(), 0.0);
    return at == v.end() ? 0.0 : *at;
  };
  double low = smallest(a);
  if (const double other = smallest(b); low == 0 || (other > 0 && other < low)) low = other;
  const double high = std::max(a.back(), b.back());
  out.histogram.columns = {"low", "high", "share", "reference_share"};
  const bool spread = low > 0 && high > low;
  const double from = spread ? log_portable(low) : 0, step = spread ? (log_portable(high) - from) / bins : 0;
  double edge = 0;
  for (int k = 0; k < (spread ? bins : 1); ++k) {
    const bool last = !spread || k + 1 == bins;
    const double next = last ? high : exp_portable(from + step * (k + 1));
    const auto share = [&](const std::vector<double>& v) {
      const auto end = last ? v.end() : std::lower_bound(v.begin(), v.end(), next);
      const auto begin = k == 0 ? v.begin() : std::lower_bound(v.begin(), v.end(), edge);
      return 1.0 * (end - begin) / v.size();
    };
    out.histogram.rows.push_back({k == 0 ? low : edge, next, share(a), share(b)});
    edge = next;
  }
  return out;
}

void add_shift(const Shift& s, Result& result) {
  result.sections.emplace_back("shift", Tree::Members{{"auroc", s.auroc},
                                                      {"median_variance", s.median},
                                                      {"reference_median_variance", s.reference_median},
                                                      {"items", Value(s.items)},
                                                      {"reference_items", Value(s.reference_items)}});
  result.tables.emplace_back("shift_histogram", s.histogram);
}

}  // namespace plumb
