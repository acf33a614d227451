#include "evaluate/intervals.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kManyDraws = 1000;  // of the noise of independent bins: tails of 2.5% are smooth

void set_bounds(const Bounds& b, const char* kind, MetricResult& m) {
  m.low = b.low;
  m.high = b.high;
  m.interval = kind;
}

}  // namespace

Replicates by_key(const std::vector<Drawn>& draws) {
  Replicates out;
  for (const Drawn& d : draws)
    for (const auto& [key, estimate] : d.scores)
      if (estimate) out[key].push_back(*estimate.value);
  return out;
}

namespace {

/// Of a score that lies on either side of 0.
double two_sided_p(double observed, std::vector<double> null) {
  for (double& x : null) x = std::fabs(x);
  return p_value(std::fabs(observed), null);
}

}  // namespace

/// Squares less their sampling bias, or signed roots of them.
static bool debiased_square(const MetricRow& row) { return row.interval == Interval::normal && row.by_item; }

bool interval_needs_null(const MetricRow& row) {
  return row.interval == Interval::inversion || debiased_square(row);
}

MetricResult result_of(const Estimate& estimate) {
  MetricResult m;
  m.value = estimate.value;
  m.why = estimate.why;
  if (estimate.items >= 0) m.items = estimate.items;
  return m;
}

Inference::Inference(const Observed& observed, const std::vector<Drawn>& boot, const std::vector<Drawn>& null,
                     const SampleSize& size, bool binary, const EvaluateOptions& options)
    : observed_(observed),
      boot_(boot),
      null_(null),
      size_(size),
      binary_(binary),
      level_(options.level),
      clip_(options.clip),
      drawn_(by_key(boot)),
      null_values_(by_key(null)),
      event_(noise({&observed.sums.event, 1}, &Drawn::event)),
      unlikely_({&observed.sums.event, 1}) {}

Unlikely::Unlikely(std::span<const ReliabilityTable> tables)
    : copies(tables.size() > 1 ? static_cast<double>(tables.size()) / 2 : 1) {
  for (const ReliabilityTable& t : tables) {
    const double all = t.total().w.value() * static_cast<double>(tables.size());
    for (const Bin& c : t.bins) {
      if (c.w.is_zero()) continue;
      const bool low = c.mean_p() < 0.5;
      came += (low ? c.wy.value() : c.w.value() - c.wy.value()) / all;
      expected += (low ? c.wp.value() : c.w.value() - c.wp.value()) / all;
    }
  }
}

/// One vote a unit: noise of the null, whose variance is known. Else votes or groups depend on each other,
/// and the bootstrap knows best how much. Items are independent, and so are bins that share none.
std::optional<BinNoise> Inference::noise(std::span<const ReliabilityTable> tables,
                                         BinSums Drawn::*sums) const {
  const bool from_null = size_.single() && !null_.empty();
  std::vector<const BinSums*> draws;
  for (const Drawn& d : from_null ? null_ : boot_)
    if (!(d.*sums).weight.empty()) draws.push_back(&(d.*sums));
  if (draws.empty()) return std::nullopt;
  BinNoise out = from_null ? null_noise(tables, draws) : multiplier_noise(tables, draws);
  if (out.count() == 0) return std::nullopt;
  const bool one = tables.size() == 1;
  if (!from_null) return normal_draws(out, one ? kManyDraws : out.draws());
  return one ? with_more_draws(out, kManyDraws) : out;
}

double Inference::rarer() const {
  const Bin total = observed_.sums.event.total();
  const double hits = total.wy.value() / total.w.value();
  return std::min(hits, 1 - hits) * size_.effective;
}

double Inference::rare_bound(const Unlikely& u, double level) const {
  // Where more are expected, the noise of the bins is known well enough; with votes or groups it always is,
  // but for forecasts of 0 and 1.
  const double enough = size_.single() ? 100 : 10, n = u.copies * size_.effective;
  if (u.copies * u.expected * static_cast<double>(observed_.sums.event.total().items) >= enough) return 0;
  return poisson_upper(u.came * n, level) / n - u.expected;
}

void Inference::add_inversion(std::string_view key, MetricResult& m) const {
  if (key == "ece_kde" || key == "ece_kde_classwise") {
    const auto null = null_values_.find(key);
    if (null == null_values_.end()) return;
    const Inverted b = invert_folded(*m.value, null->second, level_);
    set_bounds({b.low, std::min(b.high, 1.0)}, "inversion", m);
    return;
  }
  // Over few events the noise of a bin is too skewed for these: they covered 84 to 88% of rare events.
  constexpr double kFewEvents = 80;
  if ((key == "ece_l2" || key == "brier_reliability") && rarer() < kFewEvents) return;
  const std::span classes(observed_.sums.by_class);
  std::optional<BinNoise> own;
  const std::optional<BinNoise>* bins = &event_;
  PlugIn kind = PlugIn::absolute;
  double tables = 1;
  if (key == "ece_mass") {
    own = noise({&observed_.mass, 1}, &Drawn::mass);
    bins = &own;
  } else if (key == "ece_classwise" || (key == "brier_reliability" && !binary_)) {
    own = noise(classes, &Drawn::classes);
    bins = &own;
  }
  if (key == "brier_reliability" || key == "ece_l2") kind = PlugIn::square;
  if (key == "brier_reliability" && !binary_) tables = static_cast<double>(classes.size());
  if (key == "log_calibration") kind = PlugIn::divergence;
  if (!*bins) return;
  const Inverted b = invert(**bins, kind, level_, clip_);
  const auto scale = [&](double x) { return key == "ece_l2" ? std::sqrt(x) : x * tables; };
  if (key == "ece_corrected") {
    m.value = std::min(b.median, *ece(observed_.sums.event).value);  // never above what was seen
    m.why.clear();
  }
  set_bounds({scale(b.low), scale(b.high)}, "inversion", m);
  if (kind == PlugIn::absolute) {
    const Unlikely by_class = key == "ece_classwise" ? Unlikely(classes) : unlikely_;
    m.high = std::min(std::max(*m.high, rare_bound(by_class, (1 + level_) / 2)), 1 - by_class.expected);
  }
  m.low = std::min(*m.low, *m.high);  // all that can be wrong is: no bound exceeds it
  if (key == "ece_corrected") m.low = std::min(*m.low, *m.value);
}

/// A share of single units has its binomial variance; others are worth fewer units, by the bootstrap.
void Inference::add_share(std::string_view key, std::span<const double> replicates, MetricResult& m) const {
  const double share = *m.value, binomial = share * (1 - share);
  const bool by_item = key == "accuracy" && !size_.grouped;
  double n = size_.effective;
  if (size_.weighted || !(size_.single() || by_item)) {
    const double s = standard_deviation(replicates);
    const double votes = static_cast<double>(observed_.sums.event.total().votes);
    if (s > 0 && binomial > 0) n = std::min(binomial / (s * s), votes);
  } else {
    n = static_cast<double>(size_.units);
  }
  set_bounds(wilson_bounds(share, n, level_), "wilson", m);
}

/// The pairs of items behind a debiased square have 3 q of variance in a Poisson bootstrap where q is right:
/// that of a calibrated model, which null draws know. Roots are taken of the bounds.
void Inference::add_debiased(const MetricRow& row, std::span<const double> replicates,
                             MetricResult& m) const {
  const bool root = row.key != "cl" && row.key != "disagreement_cl" && row.key != "disagreement_classwise_cl";
  const auto squares = [&](std::span<const double> values) {
    std::vector<double> out(values.begin(), values.end());
    for (double& x : out) x = root ? std::copysign(x * x, x) : x;
    return out;
  };
  const auto null = null_values_.find(row.key);
  const double all = standard_deviation(squares(replicates));
  const double pairs = null != null_values_.end() ? standard_deviation(squares(null->second)) : 0;
  const double value = root ? std::copysign(*m.value * *m.value, *m.value) : *m.value;
  const double reach = normal_quantile((1 + level_) / 2) *
                       std::sqrt(std::max(all * all - 2 * pairs * pairs, std::min(pairs, all) * pairs));
  const auto scale = [&](double x) {
    return std::clamp(root ? std::copysign(std::sqrt(std::abs(x)), x) : x, row.low, row.high);
  };
  set_bounds({scale(value - reach), scale(value + reach)}, "normal", m);
}

void Inference::add_auroc(std::span<const double> replicates, MetricResult& m) const {
  const double a = *m.value, s = standard_deviation(replicates);
  const double events = rarer();
  if (a > 0 && a < 1 && s > 0) {
    // The rarer outcome brings most of the variance, and m of it are estimated from m - 1.
    const double more = events > 2 ? events / (events - 1) : 2;
    set_bounds(logit_bounds(a, s * std::sqrt(more), level_), "logit", m);
  } else {
    set_bounds(wilson_bounds(a, std::max(events, 1.0), level_), "wilson", m);
  }
}

/// Where an outcome never came, resampling cannot show it: so many of it could have come unseen.
void Inference::widen_ratio(MetricResult& m) const {
  const Bin total = observed_.sums.event.total();
  if (rarer() > 0 || !(total.wp.value() > 0)) return;
  const double n = size_.effective, expected = total.wp.value() / total.w.value();
  const double unseen = std::min(poisson_upper(0, (1 + level_) / 2) / n, 1.0) / expected;
  if (total.wy.is_zero()) {
    m.high = std::max(*m.high, unseen);
  } else {
    m.low = std::min(*m.low, *m.value - unseen);
  }
}

MetricResult Inference::corrected() const {
  MetricResult m;
  add_inversion("ece_corrected", m);
  return m;
}

MetricResult Inference::result(const MetricRow& row) const {
  MetricResult m = result_of(observed_.scores.at(std::string(row.key)));
  const auto null = null_values_.find(row.key);
  if (m.value && row.null && null != null_values_.end()) {
    m.null_mean = mean(null->second);
    m.p_value =
        row.low == -kUnbounded ? two_sided_p(*m.value, null->second) : p_value(*m.value, null->second);
  }
  if (row.interval == Interval::inversion) {
    if (m.value || row.key == "ece_corrected") add_inversion(row.key, m);
    return m;
  }
  const auto drawn = drawn_.find(row.key);
  if (!m.value || drawn == drawn_.end()) return m;
  const std::vector<double>& values = drawn->second;
  switch (row.interval) {
    case Interval::wilson:
      add_share(row.key, values, m);
      break;
    case Interval::logit:
      add_auroc(values, m);
      break;
    default:
      if (debiased_square(row)) {
        add_debiased(row, values, m);
        break;
      }
      add_interval(row.interval, values, level_, m);
      if (row.key == "oe_ratio") widen_ratio(m);
      if (row.interval == Interval::normal) {
        m.low = std::clamp(*m.low, row.low, row.high);
        m.high = std::clamp(*m.high, row.low, row.high);
      }
  }
  return m;
}

}  // namespace plumb::detail
