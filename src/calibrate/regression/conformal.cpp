// Split conformal intervals: the ceil((n + 1) level)-th smallest score bounds the next one with
// probability >= level, whatever the distribution, as long as calibration and test items are exchangeable
// (Vovk 2005; Lei 2018).
#include <algorithm>
#include <cmath>

#include "calibrate/regression/entries.hpp"
#include "calibrate/regression/rows.hpp"

namespace plumb::detail {
namespace {

/// The order statistic of ascending scores; none when the level asks for more scores than there are.
std::optional<double> bound(const std::vector<double>& ascending, double level) {
  // The tolerance keeps 0.9 * 10 at 9: a level is a decimal number that binary cannot hold.
  const double rank = std::ceil(level * (std::ssize(ascending) + 1) - 1e-9);
  if (rank > ascending.size()) return std::nullopt;
  return ascending[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

Step fit_conformal(const RegressionItems& items, const RegressionFitOptions& o) {
  if (!items.weights.empty())
    throw InputError("conformal intervals need exchangeable items; leave out ⟦weights⟧");
  const ConformalScore rank_by = o.score.value_or(ConformalScore::normalized);
  const Entries e = collect_entries(items, o, Spread::total);
  std::vector<double> score(e.error.size());
  for (std::size_t i = 0; i < score.size(); ++i) {
    const double sigma = rank_by == ConformalScore::absolute ? 1.0 : std::sqrt(e.variance[i]);
    score[i] = (rank_by == ConformalScore::one_sided ? e.error[i] : std::abs(e.error[i])) / sigma;
  }
  std::sort(score.begin(), score.end());
  std::vector<double> negated(score.rbegin(), score.rend());
  for (double& x : negated) x = -x;
  std::vector<double> levels = o.levels;
  for (int k = 1; k < 100; ++k) levels.push_back(k / 100.0);
  for (const double usual : {0.995, 0.9973, 0.999}) levels.push_back(usual);
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  std::vector<double> kept, low, high;
  for (const double level : levels) {
    if (!(level > 0 && level < 1)) throw InputError("⟦levels⟧ must be between 0 and 1, not " + show(level));
    const bool ends = rank_by == ConformalScore::one_sided;
    const auto up = bound(score, ends ? 0.5 + 0.5 * level : level);
    const auto down = ends ? bound(negated, 0.5 + 0.5 * level) : up;
    if (!up || !down) continue;
    kept.push_back(level);
    high.push_back(*up);
    low.push_back(-*down);
  }
  if (kept.empty()) throw InputError("there are too few items for an interval of any level");
  Step step{"conformal"};
  step.add_parameter("normalized", rank_by == ConformalScore::absolute ? 0.0 : 1.0);
  step.add_parameter("level", kept);
  step.add_parameter("low", low);
  step.add_parameter("high", high);
  step.fit.options.emplace_back("score", std::string(kConformalScores[static_cast<int>(rank_by)]));
  note_counts(items, step.fit);
  if (items.outputs() > 1)
    step.fit.warnings.push_back(
        "outputs of one item are pooled; the coverage guarantee holds on average over outputs");
  if (!items.groups.empty())
    step.fit.warnings.push_back(
        "items of one group are not exchangeable with those of another; coverage of new groups may be lower");
  return step;
}

class ConformalMap : public VarianceMap {
 public:
  ConformalMap(bool normalized, std::vector<double> level, std::vector<double> low, std::vector<double> high)
      : normalized_(normalized), level_(std::move(level)), low_(std::move(low)), high_(std::move(high)) {}
  bool has_variance() const override { return false; }
  void variance(const RegressionBlock& /*block*/, std::span<double> /*out*/) const override {
    throw InputError("conformal calibration gives intervals, not variances; use ⟦intervals⟧");
  }
  void offsets(const RegressionBlock& b, double level, std::span<double> low,
               std::span<double> high) const override {
    constexpr double kSame = 1e-12;
    const auto at =
        std::find_if(level_.begin(), level_.end(), [&](double l) { return std::abs(l - level) < kSame; });
    if (at == level_.end())
      throw InputError("the model has no interval of level " + show(level) + " (it has " +
                       show(level_.front()) + " to " + show(level_.back()) + "); fit it with ⟦levels⟧ " +
                       show(level) + ", and on more items if the level is high");
    const auto k = at - level_.begin();
    for (std::size_t i = 0; i < low.size(); ++i) {
      const double sigma = normalized_ ? std::sqrt(b.variance[i]) : 1.0;
      low[i] = low_[k] * sigma;
      high[i] = high_[k] * sigma;
    }
  }

 private:
  bool normalized_;
  std::vector<double> level_, low_, high_;
};

VarianceMapPtr map_conformal(const Step& step, int /*outputs*/) {
  std::vector<double> level = levels_of(step), low = copied(parameter(step, "low", {std::ssize(level)})),
                      high = copied(parameter(step, "high", {std::ssize(level)}));
  return std::make_unique<ConformalMap>(scalar_parameter(step, "normalized") != 0, std::move(level),
                                        std::move(low), std::move(high));
}

}  // namespace

constinit const RegressionCalibratorRow kConformal{
    "conformal",   kOnTotal,      {"score", "levels"},
    fit_conformal, map_conformal, "split conformal intervals with finite-sample coverage",
    kIntervalsOnly};

}  // namespace plumb::detail
