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

constexpr double kLucky = 0.03;  // a little above 0.025, where the bound of 95% would be 0
constexpr double kHalfPi = 1.5707963267948966;

double residual(const Cell& c) {
  ExactSum r = c.wy;
  r.subtract(c.wp);
  return r.value();
}

/// The observed half, and where each of its cells stands in the draws.
CellNoise observed_cells(std::span<const ReliabilityTable> tables, std::vector<std::size_t>& place) {
  CellNoise out;
  std::size_t at = 0;
  for (const ReliabilityTable& t : tables) {
    const double total = t.total().w.value() * static_cast<double>(tables.size());
    for (const Cell& c : t.cell) {
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

/// The same size in every cell, in the direction of its gap.
std::vector<double> flat_shape(std::span<const double> gap) {
  std::vector<double> out;
  for (const double g : gap) out.push_back(g < 0 ? -1.0 : 1.0);
  return out;
}

/// In proportion to the gaps less their noise, of mean size 1; flat where no gap stands out.
std::vector<double> clear_shape(const CellNoise& cells) {
  std::vector<double> out;
  double mean = 0;
  for (std::int64_t b = 0; b < cells.cells(); ++b) {
    double squares = 0;
    for (std::int64_t d = 0; d < cells.draws(); ++d)
      squares += cells.noise[d * cells.cells() + b] * cells.noise[d * cells.cells() + b];
    const double variance = squares / static_cast<double>(cells.draws()), g = cells.gap[b];
    out.push_back(g * g > variance ? g * (1 - variance / (g * g)) : 0);
    mean += cells.weight[b] * std::abs(out.back());
  }
  if (!(mean > 0)) return flat_shape(cells.gap);
  for (double& x : out) x /= mean;
  return out;
}

double entropy_term(double c) { return c > 0 ? c * log_portable(c) : 0; }

/// What a gap adds to T in one cell.
class Term {
 public:
  Term(const CellNoise& cells, PlugIn kind, double clip) : cells_(cells), kind_(kind) {
    if (kind != PlugIn::divergence) return;
    for (const double p : cells.mean_p) {
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
    const double c = std::clamp(cells_.mean_p[b] + gap, 0.0, 1.0);
    return std::max(entropy_term(c) + entropy_term(1 - c) - c * log_[b] - (1 - c) * log_rest_[b], 0.0);
  }

 private:
  const CellNoise& cells_;
  PlugIn kind_;
  std::vector<double> log_, log_rest_;
};

/// T of given gaps.
template <class Gap>
double plug_in(const CellNoise& cells, const Term& term, Gap gap) {
  double sum = 0;
  for (std::int64_t b = 0; b < cells.cells(); ++b) sum += cells.weight[b] * term(b, gap(b));
  return sum;
}

/// T over the draws when the true gaps are t times `shape`.
void shifted(const CellNoise& cells, const Term& term, std::span<const double> shape, double t,
             std::vector<double>& out) {
  out.resize(cells.draws());
  const double* noise = cells.noise.data();
  for (double& value : out) {
    value = plug_in(cells, term, [&](std::int64_t b) { return noise[b] + t * shape[b]; });
    noise += cells.cells();
  }
}

/// Where a rising curve over an even grid from 0 first reaches y, by straight lines; its end if never.
double crossing(const std::vector<double>& curve, double step, double y) {
  if (curve.front() >= y) return 0;
  for (std::size_t i = 1; i < curve.size(); ++i)
    if (curve[i] >= y) return step * (static_cast<double>(i) - (curve[i] - y) / (curve[i] - curve[i - 1]));
  return step * static_cast<double>(curve.size() - 1);
}

Inverted invert_along(const CellNoise& cells, const std::vector<double>& shape, PlugIn kind, double level,
                      double clip) {
  constexpr int kSteps = 24;
  const Term term(cells, kind, clip);
  const double observed = plug_in(cells, term, [&](std::int64_t b) { return cells.gap[b]; });
  std::vector<double> drawn;
  const auto quantiles = [&](double t) {
    shifted(cells, term, shape, t, drawn);
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
    return t > 0 ? plug_in(cells, term, [&](std::int64_t b) { return t * shape[b]; }) : 0.0;
  };
  const double step = end / kSteps;
  // A value that even a calibrated model rarely stays below is luck, and does not prove an error of 0.
  shifted(cells, term, shape, 0, drawn);
  const double lucky = quantile(drawn, kLucky);
  return {scale(crossing(curve[0], step, observed)), scale(crossing(curve[1], step, observed)),
          scale(crossing(curve[2], step, std::max(observed, lucky)))};
}

double count_up_to(const std::vector<double>& values, double y) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), [y](double x) { return x <= y; }));
}

double cls_bound_along(const CellNoise& cells, std::span<const double> along, double level, int steps) {
  const Term term(cells, PlugIn::absolute, 0);
  const double observed = plug_in(cells, term, [&](std::int64_t b) { return along[b]; });
  // T is a sum of as many terms as there are cells: what differs by rounding is a tie.
  const double edge = observed * (1 + 1e-12);
  const std::vector<double> shape = flat_shape(along);
  std::vector<double> drawn;
  const auto share = [&](double t) {
    shifted(cells, term, shape, t, drawn);
    return 1 + count_up_to(drawn, edge);
  };
  const double most = share(0) * (1 - level) * (1 + 1e-9);
  double low = 0, high = 1;
  if (share(high) > most) return 1;
  for (int step = 0; step < steps; ++step) {
    const double middle = (low + high) / 2;
    (share(middle) <= most ? high : low) = middle;
  }
  return high;
}

}  // namespace

CellSums cell_sums(std::span<const ReliabilityTable> tables) {
  CellSums out;
  for (const ReliabilityTable& t : tables)
    for (const Cell& c : t.cell) {
      out.weight.push_back(c.w.value());
      out.residual.push_back(residual(c));
    }
  return out;
}

CellNoise null_noise(std::span<const ReliabilityTable> observed, const std::vector<const CellSums*>& null) {
  std::vector<std::size_t> place;
  CellNoise out = observed_cells(observed, place);
  for (const CellSums* d : null)
    for (const std::size_t at : place)
      out.noise.push_back(d->weight[at] > 0 ? d->residual[at] / d->weight[at] : 0);
  // Where a gap is clear of its noise, outcomes vary as their frequency says, which for an over-confident
  // model is more than the forecasts say.
  const std::int64_t cells = out.cells(), draws = std::ssize(null);
  for (std::int64_t b = 0; b < cells; ++b) {
    double variance = 0;
    for (std::int64_t d = 0; d < draws; ++d)
      variance += out.noise[d * cells + b] * out.noise[d * cells + b] / draws;
    const double p = out.mean_p[b], gap = out.gap[b];
    const double clear = gap * gap > variance ? gap * (1 - variance / (gap * gap)) : 0;
    const double c = std::clamp(p + clear, 0.0, 1.0), forecast = p * (1 - p), seen = c * (1 - c);
    if (!(forecast > 0 && seen > forecast)) continue;
    for (std::int64_t d = 0; d < draws; ++d) out.noise[d * cells + b] *= std::sqrt(seen / forecast);
  }
  return out;
}

CellNoise multiplier_noise(std::span<const ReliabilityTable> observed,
                           const std::vector<const CellSums*>& boot) {
  std::vector<std::size_t> place;
  CellNoise out = observed_cells(observed, place);
  const CellSums here = cell_sums(observed);
  out.noise.resize(place.size() * boot.size());
  for (std::size_t b = 0; b < place.size(); ++b) {
    const std::size_t at = place[b];
    const double w = here.weight[at], gap = out.gap[b];
    double squares = 0;
    for (const CellSums* d : boot) {
      const double moved = (d->residual[at] - here.residual[at]) / w;
      squares += moved * moved;
    }
    const double variance = squares / static_cast<double>(boot.size());
    // A gap of one standard deviation is noise more often than not, and would take its own noise away.
    const double chance = 4 * variance;
    const double clear = gap * gap > chance ? gap * (1 - chance / (gap * gap)) : 0;
    for (std::size_t d = 0; d < boot.size(); ++d)
      out.noise[d * place.size() + b] =
          (boot[d]->residual[at] - here.residual[at] - clear * (boot[d]->weight[at] - w)) / w;
  }
  return out;
}

CellNoise normal_draws(const CellNoise& cells, std::int64_t draws) {
  CellNoise out = cells;
  const std::int64_t n = cells.cells(), have = cells.draws();
  const double scale = 1 / std::sqrt(static_cast<double>(have));
  out.noise.assign(n * draws, 0.0);
  for (std::int64_t d = 0; d < draws; ++d) {
    double* const to = out.noise.data() + d * n;
    const double* from = cells.noise.data();
    std::uint64_t signs = 0;
    for (std::int64_t k = 0; k < have; ++k, from += n, signs >>= 1) {
      if (k % 64 == 0) signs = random_bits(0, Purpose::kNoise, narrow<std::uint32_t>(d), k / 64);
      const double w = (signs & 1) != 0 ? scale : -scale;
      for (std::int64_t b = 0; b < n; ++b) to[b] += w * from[b];
    }
  }
  return out;
}

CellNoise with_more_draws(const CellNoise& cells, std::int64_t draws) {
  CellNoise out = cells;
  const std::int64_t n = cells.cells(), have = cells.draws();
  if (have < 2) return out;
  for (std::int64_t round = 1; have * round < draws; ++round)
    for (std::int64_t d = 0; d < have; ++d)
      for (std::int64_t b = 0; b < n; ++b)
        out.noise.push_back(cells.noise[(d + round * (7 * b + 3)) % have * n + b]);
  return out;
}

Inverted invert(const CellNoise& cells, PlugIn kind, double level, double clip) {
  const Inverted flat = invert_along(cells, flat_shape(cells.gap), kind, level, clip);
  // Gaps of the same mean size that differ from cell to cell make T larger than flat ones do.
  const Inverted uneven = invert_along(cells, clear_shape(cells), kind, level, clip);
  return {std::min(flat.low, uneven.low), flat.median, flat.high};
}

Inverted invert_folded(double observed, std::span<const double> null, double level) {
  const double middle = mean(null), spread = standard_deviation(null);
  if (!(middle > 0) || !(spread > 0)) return {observed, observed, observed};
  const double s = middle * std::sqrt(kHalfPi), m = (kHalfPi - 1) * middle * middle / (spread * spread);
  const double z = normal_quantile((1 + level) / 2);
  // The t at which mean + sigma standard deviations of T reach the observed value.
  const auto reach = [&](double sigma) {
    const auto curve = [&](double t) {
      const double u = t / s;
      const double folded =
          s * std::sqrt(1 / kHalfPi) * exp_portable(-u * u / 2) + t * (1 - 2 * normal_cdf(-u));
      return folded + sigma * std::sqrt(std::max(t * t + s * s - folded * folded, 0.0) / m);
    };
    if (curve(0) >= observed) return 0.0;
    double low = 0, high = 1;
    while (high < 4 && curve(high) < observed) high *= 2;
    for (int step = 0; step < 40; ++step) {
      const double t = (low + high) / 2;
      (curve(t) < observed ? low : high) = t;
    }
    return high;
  };
  return {reach(z), reach(0), reach(-z)};
}

double cls_bound(const CellNoise& cells, double level) {
  return cls_bound_along(cells, cells.gap, level, 24);
}

double null_cls_bound(const CellNoise& cells, double level) {
  const std::int64_t n = cells.cells(), taken = std::min<std::int64_t>(cells.draws(), 50);
  std::vector<double> bounds;
  for (std::int64_t d = 0; d < taken; ++d)
    bounds.push_back(cls_bound_along(cells, std::span(cells.noise).subspan(d * n, n), level, 14));
  return quantile(std::move(bounds), 0.5);
}

double poisson_upper(double count, double level) {
  const double k = count + 1, z = normal_quantile(level);
  const double root = 1 - 1 / (9 * k) + z / (3 * std::sqrt(k));
  return k * root * root * root;
}

}  // namespace plumb::detail
