#include "evaluate/intervals.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::detail {
namespace {

constexpr std::int64_t kManyDraws = 1000;  // of the noise of independent cells: tails of 2.5% are smooth

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
      event_(noise({&observed.sums.event, 1}, &Drawn::event)) {
  const double all = observed.sums.event.total().w.value();
  for (const Cell& c : observed.sums.event.cell) {
    if (c.w.is_zero()) continue;
    const bool low = c.mean_p() < 0.5;
    rare_ += (low ? c.wy.value() : c.w.value() - c.wy.value()) / all;
    expected_ += (low ? c.wp.value() : c.w.value() - c.wp.value()) / all;
  }
}

/// One vote a unit: noise of the null, whose variance is known. Else votes or groups depend on each other,
/// and the bootstrap knows best how much. Items are independent, and so are cells that share none.
std::optional<CellNoise> Inference::noise(std::span<const ReliabilityTable> tables,
                                          CellSums Drawn::*sums) const {
  const bool from_null = size_.single() && !null_.empty();
  std::vector<const CellSums*> draws;
  for (const Drawn& d : from_null ? null_ : boot_)
    if (!(d.*sums).weight.empty()) draws.push_back(&(d.*sums));
  if (draws.empty()) return std::nullopt;
  CellNoise out = from_null ? null_noise(tables, draws) : multiplier_noise(tables, draws);
  if (out.cells() == 0) return std::nullopt;
  return tables.size() == 1 && !size_.grouped ? with_more_draws(out, kManyDraws) : out;
}

double Inference::rare_bound(double level) const {
  const double n = size_.effective;
  return poisson_upper(rare_ * n, level) / n - expected_;
}

void Inference::add_inversion(std::string_view key, MetricResult& m) const {
  const std::span event(&observed_.sums.event, 1);
  const std::span classes(observed_.sums.by_class);
  std::optional<CellNoise> own;
  const std::optional<CellNoise>* cells = &event_;
  PlugIn kind = PlugIn::absolute;
  double tables = 1;
  if (key == "ece_mass") {
    own = noise({&observed_.mass, 1}, &Drawn::mass);
    cells = &own;
  } else if (key == "ece_classwise" || (key == "brier_reliability" && !binary_)) {
    own = noise(classes, &Drawn::classes);
    cells = &own;
  }
  if (key == "brier_reliability" || key == "ece_l2") kind = PlugIn::square;
  if (key == "brier_reliability" && !binary_) tables = static_cast<double>(classes.size());
  if (key == "log_calibration") kind = PlugIn::divergence;
  if (!*cells) return;
  const Inverted b = invert(**cells, kind, level_, clip_);
  const auto scale = [&](double x) { return key == "ece_l2" ? std::sqrt(x) : x * tables; };
  if (key == "ece_corrected") {
    m.value = b.median;
    m.why.clear();
  }
  set_bounds({scale(b.low), scale(b.high)}, "inversion", m);
  if (key == "ece" || key == "ece_corrected" || key == "ece_mass")
    m.high = std::max(*m.high, std::min(1.0, rare_bound((1 + level_) / 2)));
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

void Inference::add_auroc(std::span<const double> replicates, MetricResult& m) const {
  const double a = *m.value, s = standard_deviation(replicates);
  const Cell total = observed_.sums.event.total();
  const double hits = total.wy.value() / total.w.value();
  const double rarer = std::min(hits, 1 - hits) * size_.effective;
  if (a > 0 && a < 1 && s > 0) {
    // The rarer outcome brings most of the variance, and m of it are estimated from m - 1.
    const double more = rarer > 2 ? rarer / (rarer - 1) : 2;
    set_bounds(logit_bounds(a, s * std::sqrt(more), level_), "logit", m);
  } else {
    set_bounds(wilson_bounds(a, std::max(rarer, 1.0), level_), "wilson", m);
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
    m.p_value = p_value(*m.value, null->second);
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
      add_interval(row.interval, values, level_, m);
      if (row.interval == Interval::normal) {
        m.low = std::clamp(*m.low, row.low, row.high);
        m.high = std::clamp(*m.high, row.low, row.high);
      }
  }
  // Not distinguishable from calibrated: then 0 belongs to the interval.
  if (row.interval == Interval::basic && m.p_value && *m.p_value > 1 - level_) m.low = 0.0;
  return m;
}

}  // namespace plumb::detail
