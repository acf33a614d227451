// Quantile recalibration (Kuleshov 2018): R maps a predicted probability to the frequency with which targets
// fell below that quantile. On sorted Phi(z) the frequencies rise already, so the isotonic fit is the
// empirical distribution of z = (y - mean) / sigma, and the calibrated quantile q is mean + sigma * (quantile
// q of z): with targets above the mean z is positive and the interval moves up.
#include <algorithm>
#include <cmath>

#include "calibrate/regression/entries.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb {

Step fit_isotonic_quantile(const RegressionItems& items, const RegressionFitOptions& o) {
  constexpr std::size_t kKnots = 1000;
  const detail::Entries e = detail::collect_entries(items, o, detail::Spread::total);
  const std::size_t n = e.error.size();
  if (n < 2) throw InputError("isotonic-quantile needs at least two predictions");
  std::vector<double> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = e.error[i] / std::sqrt(e.variance[i]);
  const SortedColumn sorted = sort_column(z, o.threads);
  // Level of each order statistic: (weight up to and with it) / (total + mean weight); equal weights: k / (n
  // + 1).
  ExactSum total;
  if (e.weight.empty()) total.add(static_cast<double>(n));
  for (const double w : e.weight) total.add(w);
  const double whole = total.value() * (1 + 1 / static_cast<double>(n));
  std::vector<double> level, quantile;
  ExactSum below, mean, square;
  double last_kept = -1;
  const double step = 1.0 / static_cast<double>(kKnots);
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    for (; end < n && sorted.values[end] == sorted.values[begin]; ++end) {
      const double w = e.weight.empty() ? 1.0 : e.weight[sorted.order[end]];
      below.add(w);
      mean.add(w * sorted.values[end]);
      square.add(w * sorted.values[end] * sorted.values[end]);
    }
    const double at = below.value() / whole;
    if (level.empty() || end == n || at >= last_kept + step) {  // both ends and about a thousand between
      level.push_back(at);
      quantile.push_back(sorted.values[begin]);
      last_kept = at;
    }
    begin = end;
  }
  const double m = mean.value() / total.value();
  Step out;
  out.method = "isotonic-quantile";
  out.put("level", level);
  out.put("z", quantile);
  out.put("z_mean", m);
  out.put("z_variance", std::max(square.value() / total.value() - m * m, 0.0));
  detail::note_counts(items, out.fit);
  if (level.size() < 2) out.fit.warnings.push_back("all z-scores are equal: there is one quantile");
  return out;
}

}  // namespace plumb
