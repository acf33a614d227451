#include "evaluate/differences.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/quantile.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb::detail {
namespace {

constexpr double kFewOutcomes = 5;    // votes for the rarer outcome, below which nothing is compared
constexpr double kFewForSpread = 80;  // below which the spread of a mean is itself uncertain (inference.md)

/// One side of a difference: the slice, or all other items.
struct Side {
  double value = 0, error = 0;             // error: the standard deviation of its draws
  double rarer = 0;                        // votes for the rarer outcome, in effective units
  double units = 0;                        // of equal weight
  bool grouped = false, binomial = false;  // binomial: every unit is one vote of weight one
};

double rarer_of(const SliceSums& s, double units) {
  return s.votes > 0 ? std::min(s.hits, s.votes - s.hits) / s.votes * units : 0;
}

/// Bounds at z standard errors, each metric's own kind (docs/inference.md).
Bounds bounds_of(std::string_view key, const Side& s, double z) {
  const double level = 2 * normal_cdf(z) - 1;
  const double groups = s.grouped ? group_stretch(s.units, level) : 1;
  if (key == "accuracy" || key == "agreement") {
    double n = s.units;
    if (!s.binomial && s.error > 0 && s.value > 0 && s.value < 1)
      n = s.value * (1 - s.value) / (groups * groups * s.error * s.error);
    return wilson_bounds(s.value, n, level);
  }
  // With few events the spread is itself uncertain.
  const double few =
      !s.grouped && s.rarer < kFewForSpread ? student_factor(z, std::max(s.rarer / 2, 5.0)) : 1;
  if (key == "auroc" || key == "auprc" || key == "aurc") {
    if (!(s.value > 0 && s.value < 1 && s.error > 0))
      return wilson_bounds(s.value, std::max(s.rarer, 1.0), level);
    const double more = s.rarer > 2 ? std::sqrt(s.rarer / (s.rarer - 1)) : 2;
    return logit_bounds(s.value, s.error * std::max(more * few, groups), level);
  }
  const double reach = z * groups * few * s.error;
  if (key == "oe_ratio") {
    const double factor = std::exp(std::min(reach / s.value, 700.0));
    return {s.value / factor, s.value * factor};
  }
  return {s.value - reach, s.value + reach};
}

/// Of a slice and one metric, over the draws.
struct Deviation {
  bool used = false;
  Side slice, rest;
  double correlation = 0;
  std::vector<double> difference;  // by draw; NaN where one of the two is undefined
  double error = 0, centre = 0;
};

double deviation(const std::vector<double>& draws) {
  std::vector<double> finite;
  for (const double x : draws)
    if (std::isfinite(x)) finite.push_back(x);
  return 2 * finite.size() < draws.size() ? 0 : standard_deviation(finite);
}

double correlation_of(const std::vector<double>& a, const std::vector<double>& b, double sa, double sb) {
  if (!(sa > 0 && sb > 0)) return 0;
  std::vector<double> x, y, product;
  for (std::size_t r = 0; r < a.size(); ++r)
    if (std::isfinite(a[r]) && std::isfinite(b[r])) {
      x.push_back(a[r]);
      y.push_back(b[r]);
    }
  const double mx = mean(x), my = mean(y);
  for (std::size_t r = 0; r < x.size(); ++r) product.push_back((x[r] - mx) * (y[r] - my));
  return std::clamp(mean(product) / (sa * sb), -1.0, 1.0);
}

Deviation spread_of(DrawnSides sides, const SliceSums& all, const SliceSums& slice, const AuditedSlice& s,
                    const SampleSize& whole) {
  Deviation out;
  const SliceSums rest = rest_of(all, slice);
  const double rest_units = whole.grouped ? whole.effective : whole.effective * rest.votes / all.votes;
  const bool binomial = whole.single() && !whole.weighted;
  out.slice = {sides.value, 0, rarer_of(slice, s.size.effective), s.size.effective, whole.grouped, binomial};
  out.rest = {sides.rest, 0, rarer_of(rest, rest_units), rest_units, whole.grouped, binomial};
  // With groups the votes, not the groups, bring the rarer outcome.
  const double few = whole.grouped ? std::min(slice.hits, slice.votes - slice.hits) : out.slice.rarer;
  if (!std::isfinite(out.slice.value) || !std::isfinite(out.rest.value) || few < kFewOutcomes) return out;
  for (std::size_t r = 0; r < sides.inside.size(); ++r)
    out.difference.push_back(sides.inside[r] - sides.outside[r]);
  out.slice.error = deviation(sides.inside);
  out.rest.error = deviation(sides.outside);
  out.error = deviation(out.difference);
  if (!(out.error > 0)) return out;
  out.used = true;
  if (whole.grouped)
    out.correlation = correlation_of(sides.inside, sides.outside, out.slice.error, out.rest.error);
  std::vector<double> finite;
  for (const double x : out.difference)
    if (std::isfinite(x)) finite.push_back(x);
  out.centre = mean(finite);
  return out;
}

/// The quantile of the largest standardised difference of a draw: within so many standard errors all slices
/// of the metric hold at once, however they overlap.
double simultaneous_z(const std::vector<Deviation>& spreads, std::size_t draws, double level) {
  std::vector<double> largest(draws, 0.0);
  for (const Deviation& s : spreads) {
    if (!s.used) continue;
    for (std::size_t r = 0; r < draws; ++r)
      if (std::isfinite(s.difference[r]))
        largest[r] = std::max(largest[r], std::abs(s.difference[r] - s.centre) / s.error);
  }
  if (draws == 0) return normal_quantile((1 + level) / 2);
  std::sort(largest.begin(), largest.end());
  const double rank = level * static_cast<double>(draws + 1);
  const auto at =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(rank)) - 1, 0, std::ssize(largest) - 1);
  return std::max(largest[at], normal_quantile((1 + level) / 2));
}

RestDifference difference_of(std::string_view key, const Deviation& s, double value, double rest, double z) {
  RestDifference d;
  if (std::isfinite(value)) d.value = value;
  if (std::isfinite(rest)) d.rest = rest;
  if (d.value && d.rest) d.difference = value - rest;
  if (!s.used) return d;
  // From two intervals to that of a difference (Zou and Donner 2008): squared distances of the bounds add.
  const Bounds a = bounds_of(key, s.slice, z), b = bounds_of(key, s.rest, z);
  const auto distance = [&](double x, double y) {
    return std::sqrt(std::max(x * x + y * y - 2 * s.correlation * x * y, 0.0));
  };
  d.low = *d.difference - distance(value - a.low, b.high - rest);
  d.high = *d.difference + distance(a.high - value, rest - b.low);
  return d;
}

}  // namespace

bool has_drawn_difference(const MetricRow& row) {
  if (std::find(kRestKeys.begin(), kRestKeys.end(), row.key) != kRestKeys.end()) return false;
  return row.cost != Cost::quadratic &&
         (row.interval == Interval::percentile || row.interval == Interval::debiased);
}

std::vector<RestDifference> differences_from_draws(std::string_view key, const std::vector<DrawnSides>& sides,
                                                   const RestSums& sums,
                                                   const std::vector<AuditedSlice>& slices,
                                                   const SampleSize& whole, double level) {
  std::vector<Deviation> spreads;
  std::size_t draws = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const AuditedSlice& s = slices[i];
    draws = std::max(draws, sides[i].inside.size());
    spreads.push_back(s.compared && !sides[i].inside.empty()
                          ? spread_of(sides[i], sums.all, sums.slices[s.way][s.code], s, whole)
                          : Deviation{});
  }
  const double z = simultaneous_z(spreads, draws, level);
  std::vector<RestDifference> out;
  for (std::size_t i = 0; i < slices.size(); ++i)
    out.push_back(difference_of(key, spreads[i], sides[i].value, sides[i].rest, z));
  return out;
}

std::vector<RestDifference> differences_from_rest(std::size_t key, const RestSums& observed,
                                                  const std::vector<RestSums>& draws,
                                                  const std::vector<AuditedSlice>& slices,
                                                  const SampleSize& whole, double level) {
  std::vector<DrawnSides> sides;
  for (const AuditedSlice& s : slices) {
    const SliceSums& sums = observed.slices[s.way][s.code];
    DrawnSides& one = sides.emplace_back();
    one.value = rest_values(sums)[key];
    one.rest = rest_values(rest_of(observed.all, sums))[key];
    if (!s.compared) continue;
    for (const RestSums& d : draws) {
      const SliceSums& drawn = d.slices[s.way][s.code];
      one.inside.push_back(rest_values(drawn)[key]);
      one.outside.push_back(rest_values(rest_of(d.all, drawn))[key]);
    }
  }
  return differences_from_draws(kRestKeys[key], sides, observed, slices, whole, level);
}

}  // namespace plumb::detail
