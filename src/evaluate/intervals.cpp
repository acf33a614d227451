#include "evaluate/intervals.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluate/debiased.hpp"
#include "evaluate/unseen.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

constexpr double kFewEvents = 80;          // votes for the rarer outcome, in effective units
constexpr std::int64_t kManyDraws = 1000;  // of the noise of independent bins: tails of 2.5% are smooth

void set_bounds(const Bounds& b, const char* kind, MetricResult& m) {
  m.low = b.low;
  m.high = b.high;
  m.interval = kind;
}

double used_bins(const ReliabilityTable& t) {
  return static_cast<double>(
      std::count_if(t.bins.begin(), t.bins.end(), [](const Bin& c) { return c.items > 0; }));
}

/// But for rounding: draws that never differ do not show how uncertain a value is.
bool same_bounds(const MetricResult& m) {
  return m.low && *m.high - *m.low <= 1e-9 * std::max(1.0, std::abs(*m.low));
}

void drop_bounds(MetricResult& m) {
  m.low = m.high = std::nullopt;
  m.interval.clear();
  m.interval_why = "all replicates have the same value, which does not show how uncertain it is";
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

std::vector<double> less(std::vector<double> values, double by) {
  for (double& x : values) x -= by;
  return values;
}

}  // namespace

bool interval_needs_null(const MetricRow& row) {
  return row.interval == Interval::inversion || row.interval == Interval::debiased;
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
      stretch_(size.grouped ? group_stretch(size.effective, options.level) : 1),
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

/// One vote per unit: noise of the null, whose variance is known. Otherwise votes or groups depend on each
/// other, and the bootstrap estimates how much. Items are independent, and so are bins that share none.
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
  const Bin total = event_total();
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
    if (key == "ece_kde_classwise" && !binary_) {
      m.interval_why = "with more than two classes it covered in only 87 to 93% of simulated sets";
      return;
    }
    const Inverted b = invert_folded(*m.value, null->second, level_, event_ ? clear_spread(*event_) : 0);
    // Forecasts of 0 and 1 have no noise under the null.
    const double least = b.high > b.low ? 0 : rare_bound((1 + level_) / 2);
    set_bounds({b.low, std::min(std::max(b.high, least), 1.0)}, "inversion", m);
    return;
  }
  // With few events the noise of a bin is too skewed for these intervals: they covered 84 to 88% of
  // rare events.
  if ((key == "ece_l2" || key == "brier_reliability") && rarer() < kFewEvents) {
    if (event_)
      m.interval_why =
          fmt::format("the effective sample size of the rarer outcome is below {:g}", kFewEvents);
    return;
  }
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
    m.value = std::min(b.median, *ece(observed_.sums.event).value);  // never above the observed value
    m.why.clear();
  }
  set_bounds({scale(b.low), scale(b.high)}, "inversion", m);
  if (kind == PlugIn::absolute) {
    const Unlikely by_class = key == "ece_classwise" ? Unlikely(classes) : unlikely_;
    m.high = std::min(std::max(*m.high, rare_bound(by_class, (1 + level_) / 2)), 1 - by_class.expected);
  }
  m.low = std::min(*m.low, *m.high);  // every outcome is wrong already: no bound exceeds this
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
    const double error = stretch_ * s;
    if (s > 0 && binomial > 0) n = std::min(binomial / (error * error), votes);
  } else {
    n = static_cast<double>(size_.units);
  }
  set_bounds(wilson_bounds(share, n, level_), "wilson", m);
}

/// What the debiased square of this key is made from by taking off the sampling bias.
double Inference::plug_in_square(std::string_view key) const {
  if (key == "ece_l2_debiased") {
    const double root = *ece_l2(observed_.sums.event).value;
    return root * root;
  }
  Scores losses;
  finish_label_histogram(observed_.sums.histogram, losses);
  return *losses.at("cl_plugin").value;
}

void Inference::add_debiased(const MetricRow& row, std::span<const double> replicates,
                             MetricResult& m) const {
  const bool root = row.key != "cl";
  const auto square = [&](double x) { return root ? std::copysign(x * x, x) : x; };
  const auto spread = [&](std::span<const double> values) {
    std::vector<double> out;
    for (const double x : values) out.push_back(square(x));
    return out;
  };
  const auto null = null_values_.find(row.key);
  const double value = square(*m.value), all = standard_deviation(spread(replicates));
  Bounds b;
  if (null != null_values_.end()) {
    const std::vector<double> draws = spread(null->second);
    const double pairs = standard_deviation(draws);
    b = invert_debiased(value, square_growth(value, plug_in_square(row.key), all * all, pairs * pairs), draws,
                        level_);
  } else {  // products of two items count three times in this spread: too wide rather than too narrow
    const double reach = normal_quantile((1 + level_) / 2) * all;
    b = {value - reach, value + reach};
  }
  // Forecasts of 0 and 1 have no noise under the null, outcomes that are all the same have none at all.
  const double classes = row.key == "ece_l2_debiased" ? 1 : 2;  // a gap of two classes counts in both
  const double rare = std::max(rare_bound((1 + level_) / 2), 0.0);
  b.high = std::max({b.high, value, classes * rare * rare});
  if (!(rarer() > 0) && value > 0) {
    const double gap =
        std::max(std::sqrt(value / classes) - unseen_share(size_.effective, (1 + level_) / 2), 0.0);
    b.low = std::min(b.low, classes * gap * gap);
  }
  b.low = std::min(b.low, value);
  const auto scale = [&](double x) {
    return std::clamp(root ? std::copysign(std::sqrt(std::abs(x)), x) : x, row.low, row.high);
  };
  set_bounds({scale(b.low), scale(b.high)}, null != null_values_.end() ? "inversion" : "normal", m);
}

/// A bin of n items varies around its own mean with n - 1 of them: replicates, drawn from such bins, have too
/// little of both the bias and the spread.
void Inference::add_normal(const MetricRow& row, std::span<const double> replicates, MetricResult& m) const {
  const bool by_class = row.key == "brier_resolution" && !binary_;
  double items = 0, bins = 0;
  for (const ReliabilityTable& t :
       by_class ? std::span(observed_.sums.by_class) : std::span(&observed_.sums.event, 1)) {
    items += static_cast<double>(t.total().items);
    bins += used_bins(t);
  }
  const double lost = items / std::max(items - bins, items / 2);
  const double middle = *m.value - lost * (mean(replicates) - *m.value);
  const double reach = stretch_ * normal_quantile((1 + level_) / 2) * lost * standard_deviation(replicates);
  const auto within = [&](double x) { return std::clamp(x, row.low, row.high); };
  set_bounds({within(middle - reach), within(middle + reach)}, "normal", m);
}

void Inference::add_auroc(std::span<const double> replicates, MetricResult& m) const {
  const double a = *m.value, s = standard_deviation(replicates);
  const double events = rarer();
  if (a > 0 && a < 1 && s > 0) {
    // The rarer outcome brings most of the variance, and m of it are estimated from m - 1.
    const double more = events > 2 ? events / (events - 1) : 2;
    set_bounds(logit_bounds(a, s * std::max(std::sqrt(more), stretch_), level_), "logit", m);
  } else {
    set_bounds(wilson_bounds(a, std::max(events, 1.0), level_), "wilson", m);
  }
}

/// With few events the spread of a loss is itself uncertain, and small where the loss is: percentiles of rare
/// events covered 93%.
double Inference::percentile_stretch() const {
  if (size_.grouped || rarer() >= kFewEvents) return stretch_;
  return student_factor(normal_quantile((1 + level_) / 2), loss_degrees());
}

void Inference::stretch(const MetricRow& row, double ratio, MetricResult& m) const {
  const Bounds b = stretched({*m.low, *m.high}, *m.value, ratio, row.low, row.high);
  m.low = b.low;
  m.high = b.high;
}

/// If an outcome never occurred, resampling cannot produce it: so many could have occurred by chance.
void Inference::widen_ratio(MetricResult& m) const {
  const Bin total = observed_.sums.event.total();
  if (rarer() > 0 || !(total.wp.value() > 0)) return;
  const double expected = total.wp.value() / total.w.value();
  const double unseen = unseen_share(size_.effective, (1 + level_) / 2) / expected;
  if (total.wy.is_zero()) {
    m.high = std::max(*m.high, unseen);
  } else {
    m.low = std::min(*m.low, *m.value - unseen);
  }
}

/// The same for a mean loss.
void Inference::widen_loss(const MetricRow& row, MetricResult& m) const {
  if (rarer() > 0 && !same_bounds(m)) return;
  const std::optional<double> other = other_loss(row.key, *m.value, binary_);
  if (!other) return;
  const double moved = *m.value + unseen_share(size_.effective, (1 + level_) / 2) * (*other - *m.value);
  m.low = std::min(*m.low, moved);
  m.high = std::max(*m.high, moved);
}

MetricResult Inference::corrected() const {
  MetricResult m;
  add_inversion("ece_corrected", m);
  return m;
}

void Inference::add_bounds(const MetricRow& row, MetricResult& m) const {
  if (row.interval == Interval::inversion) {
    if (m.value || row.key == "ece_corrected") add_inversion(row.key, m);
    return;
  }
  const auto drawn = drawn_.find(row.key);
  if (!m.value || drawn == drawn_.end()) return;
  const std::vector<double>& values = drawn->second;
  switch (row.interval) {
    case Interval::wilson:
      add_share(row.key, values, m);
      break;
    case Interval::logit:
      add_auroc(values, m);
      break;
    case Interval::debiased:
      add_debiased(row, values, m);
      break;
    case Interval::exact:
      if (observed_.event_ratio) {
        set_bounds(*observed_.event_ratio, "exact", m);
      } else {
        add_interval(Interval::percentile, values, level_, m);
        if (const double ratio = percentile_stretch(); m.low && ratio > 1) stretch(row, ratio, m);
        widen_ratio(m);
      }
      break;
    case Interval::normal:
      add_normal(row, values, m);
      break;
    default:
      add_interval(row.interval, values, level_, m);
      if (const double ratio = percentile_stretch(); m.low && ratio > 1) stretch(row, ratio, m);
      if (row.key == "nll" || row.key == "brier") widen_loss(row, m);
  }
}

/// What null draws of a metric are draws of: of the slope and the intercept, the first step of the fit.
double Inference::null_counterpart(const MetricRow& row, double value) const {
  if (row.key == "calibration_slope") return observed_.line_step.slope.value.value_or(value);
  if (row.key == "calibration_intercept") return observed_.line_step.intercept.value.value_or(value);
  return value;
}

/// From the distribution of a test of single votes, where it holds.
std::optional<double> Inference::closed_form_p(const MetricRow& row) const {
  if (row.key == "hosmer_lemeshow") return observed_.hosmer_lemeshow_p;
  if (row.key == "calibration_slope") return observed_.line_p.slope;
  if (row.key == "calibration_intercept") return observed_.line_p.intercept;
  return std::nullopt;
}

MetricResult Inference::result(const MetricRow& row) const {
  MetricResult m = result_of(observed_.scores.at(std::string(row.key)));
  const auto null = null_values_.find(row.key);
  if (m.value && row.null && null != null_values_.end()) {
    m.null_mean = mean(null->second);
    const double ideal = row.better == Better::one ? 1 : 0, value = null_counterpart(row, *m.value);
    m.p_value = row.low == -kUnbounded ? two_sided_p(value - ideal, less(null->second, ideal))
                                       : p_value(value, null->second);
    if (const std::optional<double> p = closed_form_p(row)) m.p_value = p;
  }
  add_bounds(row, m);
  if (same_bounds(m)) drop_bounds(m);
  if (m.value && !m.low && m.interval_why.empty() && !boot_.empty()) {
    m.interval_why = why_no_interval(row);
    if (m.interval_why.empty()) m.interval_why = "no replicate has a value";
  }
  return m;
}

}  // namespace plumb::detail
