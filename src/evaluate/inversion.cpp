#include "evaluate/inversion.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/quantile.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

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

double direction(double gap) { return gap < 0 ? -1.0 : 1.0; }

double kl_term(double c, double p) { return c > 0 ? c * (log_portable(c) - log_portable(p)) : 0; }

double divergence(double p, double gap, double clip) {
  const double c = std::clamp(p + gap, 0.0, 1.0);
  const double q = clip > 0 ? std::clamp(p, clip, 1 - clip) : p;
  if (q <= 0 || q >= 1) return 0;  // the plug-in is defined: no other outcome came, in no draw either
  return std::max(kl_term(c, q) + kl_term(1 - c, 1 - q), 0.0);
}

/// T of given gaps.
template <class Gap>
double plug_in(const CellNoise& cells, PlugIn kind, double clip, Gap gap) {
  double sum = 0;
  for (std::int64_t b = 0; b < cells.cells(); ++b) {
    const double g = gap(b);
    sum += cells.weight[b] * (kind == PlugIn::absolute ? std::abs(g)
                              : kind == PlugIn::square ? g * g
                                                       : divergence(cells.mean_p[b], g, clip));
  }
  return sum;
}

/// T over the draws when every cell's true gap is t in the direction of `along`, ascending.
void shifted(const CellNoise& cells, PlugIn kind, double clip, std::span<const double> along, double t,
             std::vector<double>& out) {
  out.resize(cells.draws());
  const double* noise = cells.noise.data();
  for (double& value : out) {
    value = plug_in(cells, kind, clip, [&](std::int64_t b) { return noise[b] + t * direction(along[b]); });
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

double count_up_to(const std::vector<double>& values, double y) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), [y](double x) { return x <= y; }));
}

double cls_bound_along(const CellNoise& cells, std::span<const double> along, double level, int steps) {
  const double observed = plug_in(cells, PlugIn::absolute, 0, [&](std::int64_t b) { return along[b]; });
  // T is a sum of as many terms as there are cells: what differs by rounding is a tie.
  const double edge = observed * (1 + 1e-12);
  std::vector<double> drawn;
  const auto share = [&](double t) {
    shifted(cells, PlugIn::absolute, 0, along, t, drawn);
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
    const double clear = gap * gap > variance ? gap * (1 - variance / (gap * gap)) : 0;
    for (std::size_t d = 0; d < boot.size(); ++d)
      out.noise[d * place.size() + b] =
          (boot[d]->residual[at] - here.residual[at] - clear * (boot[d]->weight[at] - w)) / w;
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
  constexpr int kSteps = 64;
  const double observed = plug_in(cells, kind, clip, [&](std::int64_t b) { return cells.gap[b]; });
  std::vector<double> drawn;
  const auto quantiles = [&](double t) {
    shifted(cells, kind, clip, cells.gap, t, drawn);
    std::sort(drawn.begin(), drawn.end());
    return std::array{quantile_sorted(drawn, (1 + level) / 2), quantile_sorted(drawn, 0.5),
                      quantile_sorted(drawn, (1 - level) / 2)};
  };
  double end = 1.0 / 64;
  while (end < 1 && quantiles(end)[2] < observed) end *= 2;
  std::array<std::vector<double>, 3> curve;
  for (int i = 0; i <= kSteps; ++i) {
    const auto q = quantiles(end * i / kSteps);
    for (int k = 0; k < 3; ++k) curve[k].push_back(i == 0 ? q[k] : std::max(q[k], curve[k].back()));
  }
  const auto scale = [&](double t) {
    return plug_in(cells, kind, clip, [&](std::int64_t b) { return t * direction(cells.gap[b]); });
  };
  const double step = end / kSteps;
  return {scale(crossing(curve[0], step, observed)), scale(crossing(curve[1], step, observed)),
          scale(crossing(curve[2], step, observed))};
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
