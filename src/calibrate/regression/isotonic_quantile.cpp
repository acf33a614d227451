// Quantile recalibration (Kuleshov 2018): R maps a predicted probability to the frequency with which targets
// fell below that quantile. On sorted Phi(z) the frequencies rise already, so the isotonic fit is the
// empirical distribution of z = (y - mean) / sigma, and the calibrated quantile q is mean + sigma * (quantile
// q of z): with targets above the mean z is positive and the interval moves up.
#include <algorithm>
#include <cmath>

#include "calibrate/regression/entries.hpp"
#include "calibrate/regression/rows.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb::detail {
namespace {

Step fit_isotonic_quantile(const RegressionItems& items, const RegressionFitOptions& o) {
  constexpr double kKnots = 1000;
  const Entries e = collect_entries(items, o, Spread::total);
  const std::size_t n = e.error.size();
  if (n < 2) throw InputError("isotonic-quantile needs at least two predictions");
  std::vector<double> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = e.error[i] / std::sqrt(e.variance[i]);
  const SortedColumn sorted = sort_column(z, o.threads);
  // Level of each order statistic: (weight up to and with it) / (total + mean weight);
  // equal weights: k / (n + 1).
  ExactSum total;
  if (e.weight.empty()) total.add(n);
  for (const double w : e.weight) total.add(w);
  const double padded_total = total.value() * (1 + 1.0 / n);
  std::vector<double> level, quantile;
  ExactSum below, mean, square;
  double last_kept = -1;
  const double step = 1.0 / kKnots;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    for (; end < n && sorted.values[end] == sorted.values[begin]; ++end) {
      const double w = e.weight.empty() ? 1.0 : e.weight[sorted.order[end]];
      below.add(w);
      mean.add(w * sorted.values[end]);
      square.add(w * sorted.values[end] * sorted.values[end]);
    }
    const double at = below.value() / padded_total;
    if (level.empty() || end == n || at >= last_kept + step) {  // both ends and about a thousand between
      level.push_back(at);
      quantile.push_back(sorted.values[begin]);
      last_kept = at;
    }
    begin = end;
  }
  const double m = mean.value() / total.value();
  Step out{"isotonic-quantile"};
  out.add_parameter("level", level);
  out.add_parameter("z", quantile);
  out.add_parameter("z_mean", m);
  out.add_parameter("z_variance", std::max(square.value() / total.value() - m * m, 0.0));
  note_counts(items, out.fit);
  if (level.size() < 2) out.fit.warnings.push_back("all z-scores are equal: there is one quantile");
  return out;
}

class QuantileMap : public VarianceMap {
 public:
  QuantileMap(std::vector<double> level, std::vector<double> z, double variance)
      : level_(std::move(level)), z_(std::move(z)), variance_(variance) {}
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = variance_ * b.variance[k];
  }
  void offsets(const RegressionBlock& b, double level, std::span<double> low,
               std::span<double> high) const override {
    check_interval_level(level);
    const double from = quantile(0.5 - 0.5 * level), to = quantile(0.5 + 0.5 * level);
    for (std::size_t k = 0; k < low.size(); ++k) {
      const double sigma = std::sqrt(b.variance[k]);
      low[k] = from * sigma;
      high[k] = to * sigma;
    }
  }

 private:
  /// Linear between the knots; the outermost z beyond them.
  [[nodiscard]] double quantile(double q) const {
    const auto at = std::lower_bound(level_.begin(), level_.end(), q) - level_.begin();
    if (at == 0) return z_.front();
    if (at == std::ssize(level_)) return z_.back();
    const double share = (q - level_[at - 1]) / (level_[at] - level_[at - 1]);
    return z_[at - 1] + share * (z_[at] - z_[at - 1]);
  }
  std::vector<double> level_, z_;
  double variance_;
};

VarianceMapPtr map_isotonic_quantile(const Step& step, int /*outputs*/) {
  std::vector<double> level = levels_of(step), z = copied(parameter(step, "z", {std::ssize(level)}));
  return std::make_unique<QuantileMap>(std::move(level), std::move(z), scalar_parameter(step, "z_variance"));
}

}  // namespace

constinit const RegressionCalibratorRow kIsotonicQuantile{
    "isotonic-quantile",
    kOnTotal,
    {},
    fit_isotonic_quantile,
    map_isotonic_quantile,
    "quantiles of the z-scores (Kuleshov); corrects a bias"};

}  // namespace plumb::detail
