#include "evaluate/inversion.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/quantile.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {
namespace {

constexpr double kHalfPi = 1.5707963267948966;

double residual(const Bin& c) {
  ExactSum r = c.wy;
  r.subtract(c.wp);
  return r.value();
}

/// The observed half, and where each of its bins stands in the draws.
BinNoise observed_bins(std::span<const ReliabilityTable> tables, std::vector<std::size_t>& place) {
  BinNoise out;
  std::size_t at = 0;
  for (const ReliabilityTable& t : tables) {
    const double total = t.total().w.value() * static_cast<double>(tables.size());
    for (const Bin& c : t.bins) {
      if (!c.w.is_zero()) {
        out.weight.push_back(c.w.value() / total);
        out.mean_p.push_back(c.mean_p());
        out.gap.push_back(residual(c) / c.w.value());
        place.push_back(at);
      }
      ++at;
    }
  }
  return out;
}

/// The same size in every bin, in the direction of its gap.
std::vector<double> flat_shape(std::span<const double> gap) {
  std::vector<double> out;
  for (const double g : gap) out.push_back(g < 0 ? -1.0 : 1.0);
  return out;
}

/// In proportion to the gaps less their noise, of mean size 1; flat where no gap stands out.
std::vector<double> clear_shape(const BinNoise& bins) {
  std::vector<double> out;
  double mean = 0;
  for (std::int64_t b = 0; b < bins.count(); ++b) {
    double squares = 0;
    for (std::int64_t d = 0; d < bins.draws(); ++d)
      squares += bins.noise[d * bins.count() + b] * bins.noise[d * bins.count() + b];
    const double variance = squares / static_cast<double>(bins.draws()), g = bins.gap[b];
    out.push_back(g * g > variance ? g * (1 - variance / (g * g)) : 0);
    mean += bins.weight[b] * std::abs(out.back());
  }
  if (!(mean > 0)) return flat_shape(bins.gap);
  for (double& x : out) x /= mean;
  return out;
}

double entropy_term(double c) { return c > 0 ? c * log_portable(c) : 0; }

/// What a gap adds to T in one bin.
class Term {
 public:
  Term(const BinNoise& bins, PlugIn kind, double clip) : bins_(bins), kind_(kind) {
    if (kind != PlugIn::divergence) return;
    for (const double p : bins.mean_p) {
      const double q = clip > 0 ? std::clamp(p, clip, 1 - clip) : p;
      const bool open = q > 0 && q < 1;  // else no other outcome came, or the plug-in would not be defined
      log_.push_back(open ? log_portable(q) : 0);
      log_rest_.push_back(open ? log_portable(1 - q) : 0);
    }
  }
  [[nodiscard]] double operator()(std::int64_t b, double gap) const {
    if (kind_ == PlugIn::absolute) return std::abs(gap);
    if (kind_ == PlugIn::square) return gap * gap;
    if (log_[b] == 0) return 0;
    const double c = std::clamp(bins_.mean_p[b] + gap, 0.0, 1.0);
    return std::max(entropy_term(c) + entropy_term(1 - c) - c * log_[b] - (1 - c) * log_rest_[b], 0.0);
  }

 private:
  const BinNoise& bins_;
  PlugIn kind_;
  std::vector<double> log_, log_rest_;
};

/// T of given gaps.
template <class Gap>
double plug_in(const BinNoise& bins, const Term& term, Gap gap) {
  double sum = 0;
  for (std::int64_t b = 0; b < bins.count(); ++b) sum += bins.weight[b] * term(b, gap(b));
  return sum;
}

/// T over the draws when the true gaps are t times `shape`.
void shifted(const BinNoise& bins, const Term& term, std::span<const double> shape, double t,
             std::vector<double>& out) {
  out.resize(bins.draws());
  const double* noise = bins.noise.data();
  for (double& value : out) {
    value = plug_in(bins, term, [&](std::int64_t b) { return noise[b] + t * shape[b]; });
    noise += bins.count();
  }
}

/// Where a rising curve over an even grid from 0 first reaches y, by straight lines; its end if never.
double crossing(const std::vector<double>& curve, double step, double y) {
  if (curve.front() >= y) return 0;
  for (std::size_t i = 1; i < curve.size(); ++i)
    if (curve[i] >= y) return step * (static_cast<double>(i) - (curve[i] - y) / (curve[i] - curve[i - 1]));
  return step * static_cast<double>(curve.size() - 1);
}

Inverted invert_along(const BinNoise& bins, const std::vector<double>& shape, PlugIn kind, double level,
                      double clip) {
  constexpr int kSteps = 24;
  const Term term(bins, kind, clip);
  const double observed = plug_in(bins, term, [&](std::int64_t b) { return bins.gap[b]; });
  std::vector<double> drawn;
  const auto quantiles = [&](double t) {
    shifted(bins, term, shape, t, drawn);
    std::sort(drawn.begin(), drawn.end());
    const Bounds b = percentile_bounds(drawn, level);
    return std::array{b.high, quantile_sorted(drawn, 0.5), b.low};
  };
  double end = 1.0 / 64;
  while (end < 1 && quantiles(end)[2] < observed) end *= 2;
  std::array<std::vector<double>, 3> curve;
  for (int i = 0; i <= kSteps; ++i) {
    const auto q = quantiles(end * i / kSteps);
    for (int k = 0; k < 3; ++k) curve[k].push_back(i == 0 ? q[k] : std::max(q[k], curve[k].back()));
  }
  const auto scale = [&](double t) {
    return t > 0 ? plug_in(bins, term, [&](std::int64_t b) { return t * shape[b]; }) : 0.0;
  };
  const double step = end / kSteps;
  // A value that even a calibrated model rarely reaches is luck and does not prove an error of 0.
  shifted(bins, term, shape, 0, drawn);
  const double lucky = quantile(drawn, lucky_share(level));
  return {scale(crossing(curve[0], step, observed)), scale(crossing(curve[1], step, observed)),
          scale(crossing(curve[2], step, std::max(observed, lucky)))};
}

double cls_bound_along(const BinNoise& bins, std::span<const double> along, double level, int steps,
                       double least = 0) {
  const Term term(bins, PlugIn::absolute, 0);
  const double observed = std::max(plug_in(bins, term, [&](std::int64_t b) { return along[b]; }), least);
  // T is a sum of as many terms as there are bins: what differs by rounding is a tie.
  const double edge = observed * (1 + 1e-12);
  const std::vector<double> shape = flat_shape(along);
  // One more than the draws with T(t) <= edge. Terms are not negative, so that a sum above the edge stays
  // there; a count above `most` decides.
  const std::int64_t draws = bins.draws(), n = bins.count();
  const auto count = [&](double t, double most) {
    double out = 1;
    const double* noise = bins.noise.data();
    for (std::int64_t d = 0; d < draws && out <= most; ++d, noise += n) {
      double sum = 0;
      for (std::int64_t b = 0; b < n && sum <= edge; ++b)
        sum += bins.weight[b] * std::abs(noise[b] + t * shape[b]);
      if (sum <= edge) ++out;
    }
    return out;
  };
  const double most = count(0, static_cast<double>(draws) + 1) * (1 - level) * (1 + 1e-9);
  double low = 0, high = 1;
  if (count(high, most) > most) return 1;
  for (int step = 0; step < steps; ++step) {
    const double middle = (low + high) / 2;
    (count(middle, most) <= most ? high : low) = middle;
  }
  return high;
}

}  // namespace

BinSums bin_sums(std::span<const ReliabilityTable> tables) {
  BinSums out;
  for (const ReliabilityTable& t : tables)
    for (const Bin& c : t.bins) {
      out.weight.push_back(c.w.value());
      out.residual.push_back(residual(c));
    }
  return out;
}

BinNoise null_noise(std::span<const ReliabilityTable> observed, const std::vector<const BinSums*>& null) {
  std::vector<std::size_t> place;
  BinNoise out = observed_bins(observed, place);
  for (const BinSums* d : null)
    for (const std::size_t at : place)
      out.noise.push_back(d->weight[at] > 0 ? d->residual[at] / d->weight[at] : 0);
  // Where a gap is clear of its noise, outcomes vary as their frequency says, which for an over-confident
  // model is more than the forecasts say.
  const std::int64_t bins = out.count(), draws = std::ssize(null);
  for (std::int64_t b = 0; b < bins; ++b) {
    double variance = 0;
    for (std::int64_t d = 0; d < draws; ++d)
      variance += out.noise[d * bins + b] * out.noise[d * bins + b] / draws;
    const double p = out.mean_p[b], gap = out.gap[b];
    const double clear = gap * gap > variance ? gap * (1 - variance / (gap * gap)) : 0;
    const double c = std::clamp(p + clear, 0.0, 1.0), forecast = p * (1 - p), seen = c * (1 - c);
    if (!(forecast > 0 && seen > forecast)) continue;
    for (std::int64_t d = 0; d < draws; ++d) out.noise[d * bins + b] *= std::sqrt(seen / forecast);
  }
  return out;
}

BinNoise multiplier_noise(std::span<const ReliabilityTable> observed,
                          const std::vector<const BinSums*>& boot) {
  std::vector<std::size_t> place;
  BinNoise out = observed_bins(observed, place);
  const BinSums here = bin_sums(observed);
  out.noise.resize(place.size() * boot.size());
  for (std::size_t b = 0; b < place.size(); ++b) {
    const std::size_t at = place[b];
    const double w = here.weight[at], gap = out.gap[b];
    double squares = 0;
    for (const BinSums* d : boot) {
      const double moved = (d->residual[at] - here.residual[at]) / w;
      squares += moved * moved;
    }
    const double variance = squares / static_cast<double>(boot.size());
    // A gap of one standard deviation is mostly noise, and subtracting it would remove noise.
    const double chance = 4 * variance;
    const double clear = gap * gap > chance ? gap * (1 - chance / (gap * gap)) : 0;
    for (std::size_t d = 0; d < boot.size(); ++d)
      out.noise[d * place.size() + b] =
          (boot[d]->residual[at] - here.residual[at] - clear * (boot[d]->weight[at] - w)) / w;
  }
  return out;
}

BinNoise normal_draws(const BinNoise& bins, std::int64_t draws) {
  BinNoise out = bins;
  const std::int64_t n = bins.count(), have = bins.draws();
  const double scale = 1 / std::sqrt(static_cast<double>(have));
  out.noise.assign(n * draws, 0.0);
  for (std::int64_t d = 0; d < draws; ++d) {
    double* const to = out.noise.data() + d * n;
    const double* from = bins.noise.data();
    std::uint64_t signs = 0;
    for (std::int64_t k = 0; k < have; ++k, from += n, signs >>= 1) {
      if (k % 64 == 0) signs = random_bits(0, Purpose::noise, narrow<std::uint32_t>(d), k / 64);
      const double w = (signs & 1) != 0 ? scale : -scale;
      for (std::int64_t b = 0; b < n; ++b) to[b] += w * from[b];
    }
  }
  return out;
}

BinNoise with_more_draws(const BinNoise& bins, std::int64_t draws) {
  BinNoise out = bins;
  const std::int64_t n = bins.count(), have = bins.draws();
  if (have < 2) return out;
  for (std::int64_t round = 1; have * round < draws; ++round)
    for (std::int64_t d = 0; d < have; ++d)
      for (std::int64_t b = 0; b < n; ++b)
        out.noise.push_back(bins.noise[(d + round * (7 * b + 3)) % have * n + b]);
  return out;
}

Inverted invert(const BinNoise& bins, PlugIn kind, double level, double clip) {
  const Inverted flat = invert_along(bins, flat_shape(bins.gap), kind, level, clip);
  // Gaps of the same mean size that differ from bin to bin make T larger than flat ones do.
  const Inverted uneven = invert_along(bins, clear_shape(bins), kind, level, clip);
  return {std::min(flat.low, uneven.low), flat.median,
          kind == PlugIn::square ? std::max(flat.high, uneven.high) : flat.high};
}

double clear_spread(const BinNoise& bins) {
  std::vector<double> moved(bins.draws());
  const double* noise = bins.noise.data();
  for (double& sum : moved) {
    for (std::int64_t b = 0; b < bins.count(); ++b)
      sum += bins.weight[b] * (bins.gap[b] < 0 ? -noise[b] : noise[b]);
    noise += bins.count();
  }
  return standard_deviation(moved);
}

Inverted invert_folded(double observed, std::span<const double> null, double level, double clear) {
  const double middle = mean(null), spread = standard_deviation(null);
  if (!(middle > 0) || !(spread > 0)) return {observed, observed, observed};
  const double s = middle * std::sqrt(kHalfPi), m = (kHalfPi - 1) * middle * middle / (spread * spread);
  const double z = normal_quantile((1 + level) / 2);
  const double least = 1 - 1 / kHalfPi;  // the variance of |N(0, 1)|
  const double extra = std::max(clear * clear - s * s / m, 0.0) / (1 - least);
  // The t at which mean + sigma standard deviations of T reach a value.
  const auto reach = [&](double sigma, double value) {
    const auto curve = [&](double t) {
      const double u = t / s;
      const double folded =
          s * std::sqrt(1 / kHalfPi) * exp_portable(-u * u / 2) + t * (1 - 2 * normal_cdf(-u));
      const double one = std::max(t * t + s * s - folded * folded, 0.0);  // of one term
      return folded + sigma * std::sqrt(one / m + extra * std::max(one / (s * s) - least, 0.0));
    };
    if (curve(0) >= value) return 0.0;
    double low = 0, high = 1;
    while (high < 4 && curve(high) < value) high *= 2;
    for (int step = 0; step < 40; ++step) {
      const double t = (low + high) / 2;
      (curve(t) < value ? low : high) = t;
    }
    return high;
  };
  // Draws that are skewed to the right stay further above 0 than a normal distribution does.
  const double share = lucky_share(level);
  const double lucky =
      std::max(quantile({null.begin(), null.end()}, share), middle + normal_quantile(share) * spread);
  return {reach(z, observed), reach(0, observed), reach(-z, std::max(observed, lucky))};
}

double cls_bound(const BinNoise& bins, double level, double least) {
  return cls_bound_along(bins, bins.gap, level, 24, least);
}

double lucky_value(const BinNoise& bins) {
  std::vector<double> drawn;
  shifted(bins, Term(bins, PlugIn::absolute, 0), flat_shape(bins.gap), 0, drawn);
  return quantile(std::move(drawn), kLucky);
}

double null_cls_bound(const BinNoise& bins, double level) {
  const std::int64_t n = bins.count(), taken = std::min<std::int64_t>(bins.draws(), 50);
  std::vector<double> bounds;
  for (std::int64_t d = 0; d < taken; ++d)
    bounds.push_back(cls_bound_along(bins, std::span(bins.noise).subspan(d * n, n), level, 14));
  return quantile(std::move(bounds), 0.5);
}

double poisson_upper(double count, double level) {
  const double k = count + 1, z = normal_quantile(level);
  const double root = 1 - 1 / (9 * k) + z / (3 * std::sqrt(k));
  return k * root * root * root;
}

}  // namespace plumb::detail
