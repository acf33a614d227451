#include "plumb/metrics/ordered/calibration_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "metrics/shared/groups.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {

namespace {

constexpr std::size_t kTermsAtOnce = 256;

// One entry per distinct p, ascending:
// whatever the order of the rows, the sums below run over the same numbers.
// Counts are kept as float32 where each of them is one: 16 bytes per distinct p instead of 24.
struct Counts {
  std::vector<float> narrow;
  std::vector<double> wide;
  bool all_narrow = true;
  void reserve(std::size_t n) { narrow.reserve(n); }
  void push_back(double x) {
    if (all_narrow && static_cast<float>(x) == x) return narrow.push_back(static_cast<float>(x));
    if (all_narrow) {
      all_narrow = false;
      wide.reserve(narrow.capacity());
      wide.assign(narrow.begin(), narrow.end());
      narrow = {};
    }
    wide.push_back(x);
  }
  double operator[](std::size_t i) const { return all_narrow ? narrow[i] : wide[i]; }
};

struct Column {
  std::vector<double> x;  // logit p; once standardised: (logit p - mean) / sd
  Counts mass;            // of votes
  Counts hits;
  double total = 0, mean = 0, sd = 1;
};

template <class A>
Column column_of(const ForecastsView& f, double clip) {
  Column c;
  std::size_t distinct = 0;
  for (detail::Groups<A> g(f); g.next();) ++distinct;
  c.x.reserve(distinct);
  c.mass.reserve(distinct);
  c.hits.reserve(distinct);
  for (detail::Groups<A> g(f); g.next();) {
    c.x.push_back(std::clamp(g.p, clip, 1.0 - clip));  // 1 - clip may round to 1: q is clipped by itself
    c.mass.push_back(A::value(g.mass));
    c.hits.push_back(A::hits_value(g.hits));
  }
  std::array<double, kTermsAtOnce> q;
  for (std::size_t begin = 0; begin < c.x.size(); begin += kTermsAtOnce) {
    const auto x = std::span(c.x).subspan(begin, std::min(c.x.size() - begin, kTermsAtOnce));
    const auto log_q = std::span(q).first(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) q[i] = std::clamp(1.0 - x[i], clip, 1.0 - clip);
    log_block(log_q, log_q);
    log_block(x, x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= q[i];
  }
  return c;
}

// Sums of K numbers an entry: in four lanes within a block, exact over the blocks.
constexpr std::size_t kLanes = 4;
template <std::size_t K, class Terms>
std::array<double, K> sum_blocks(std::size_t n, Terms terms) {
  std::array<ExactSum, K> total{};
  std::array<std::array<double, kTermsAtOnce>, K> term;
  for (std::size_t begin = 0; begin < n; begin += kTermsAtOnce) {
    const std::size_t m = std::min(n - begin, kTermsAtOnce);
    terms(begin, m, term);
    for (std::size_t k = 0; k < K; ++k) {
      std::array<double, kLanes> lane{};
      std::size_t i = 0;
      for (; i + kLanes <= m; i += kLanes)
        for (std::size_t l = 0; l < kLanes; ++l) lane[l] += term[k][i + l];
      for (; i < m; ++i) lane[0] += term[k][i];
      total[k].add((lane[0] + lane[1]) + (lane[2] + lane[3]));
    }
  }
  std::array<double, K> out{};
  for (std::size_t k = 0; k < K; ++k) out[k] = total[k].value();
  return out;
}

// One scale for all data: the gradient tolerance and the longest step mean the same whatever the spread of p.
void standardise(Column& c) {
  const auto moment = [&](auto value) {
    return sum_blocks<1>(c.x.size(),
                         [&](std::size_t begin, std::size_t m, auto& term) {
                           for (std::size_t i = 0; i < m; ++i)
                             term[0][i] = c.mass[begin + i] * value(c.x[begin + i]);
                         })[0] /
           c.total;
  };
  c.mean = moment([](double x) { return x; });
  c.sd = c.x.front() == c.x.back() ? 0
                                   : std::sqrt(moment([&](double x) { return (x - c.mean) * (x - c.mean); }));
  for (double& x : c.x) x = c.sd > 0 ? (x - c.mean) / c.sd : 0;
}

// Gradient of the log-likelihood of logit P(y) = a + b x in (a, b), and minus its second derivatives.
struct Slope {
  double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};
Slope derivatives(const Column& c, double a, double b, bool with_slope) {
  // Terms 0 and 1: residual and curvature.
  const auto fit = [&](std::size_t begin, std::size_t m, auto& term) {
    for (std::size_t i = 0; i < m; ++i) term[0][i] = a + b * c.x[begin + i];
    logistic_block(std::span(term[0].data(), m), std::span(term[0].data(), m));
    for (std::size_t i = 0; i < m; ++i) {
      const double y = term[0][i];
      term[0][i] = c.hits[begin + i] - c.mass[begin + i] * y;
      term[1][i] = c.mass[begin + i] * y * (1.0 - y);
    }
  };
  if (!with_slope) {
    const auto s = sum_blocks<2>(c.x.size(), fit);
    return {.a = s[0], .aa = s[1]};
  }
  const auto s = sum_blocks<5>(c.x.size(), [&](std::size_t begin, std::size_t m, auto& term) {
    fit(begin, m, term);
    for (std::size_t i = 0; i < m; ++i) {
      const double x = c.x[begin + i];
      term[2][i] = term[0][i] * x;
      term[3][i] = term[1][i] * x;
      term[4][i] = term[1][i] * x * x;
    }
  });
  return {.a = s[0], .b = s[2], .aa = s[1], .ab = s[3], .bb = s[4]};
}

struct Line {
  double a, b;
};
constexpr double kTolerance = 1e-10;  // gradient per vote, in standard units of x
constexpr int kIterations = 200;
constexpr double kLongestStep = 64;

// Newton from (a, b) on a concave function; a step is halved while the gain along it turns into a loss too
// steep. The last step is taken on trust: it is far below what the next gradient could see.
std::optional<Line> maximise(const Column& c, Line at, bool with_slope) {
  Slope s = derivatives(c, at.a, at.b, with_slope);
  for (int i = 0; i < kIterations; ++i) {
    const double det = s.aa * s.bb - s.ab * s.ab;
    Line d = with_slope ? Line{(s.bb * s.a - s.ab * s.b) / det, (s.aa * s.b - s.ab * s.a) / det}
                        : Line{s.a / s.aa, 0};
    if (!std::isfinite(d.a) || !std::isfinite(d.b)) return std::nullopt;
    const double gradient = with_slope ? std::max(std::fabs(s.a), std::fabs(s.b)) : std::fabs(s.a);
    if (gradient <= kTolerance * c.total) return Line{at.a + d.a, at.b + d.b};
    const double scale = std::max(std::fabs(d.a) / (kLongestStep + std::fabs(at.a)),
                                  std::fabs(d.b) / (kLongestStep + std::fabs(at.b)));
    if (scale > 1) d = {d.a / scale, d.b / scale};
    const double gain = s.a * d.a + s.b * d.b;
    for (int halvings = 0;; ++halvings) {
      s = derivatives(c, at.a + d.a, at.b + d.b, with_slope);
      if (s.a * d.a + s.b * d.b >= -0.5 * gain) break;
      if (halvings == 60) return std::nullopt;
      d = {d.a / 2, d.b / 2};
    }
    at = {at.a + d.a, at.b + d.b};
  }
  return std::nullopt;
}

struct Extent {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  void cover(double x) {
    least = std::min(least, x);
    greatest = std::max(greatest, x);
  }
  [[nodiscard]] bool empty() const { return least > greatest; }
};
struct Extents {
  Extent hits, misses;  // where they lie
  explicit Extents(const Column& c) {
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      if (c.hits[i] > 0) hits.cover(c.x[i]);
      if (c.hits[i] < c.mass[i]) misses.cover(c.x[i]);
    }
  }
  [[nodiscard]] const char* why_no_fit() const {
    return hits.empty() ? detail::kNoHits : misses.empty() ? detail::kNoMisses : nullptr;
  }
  // A finite slope needs hits and misses that overlap (Albert and Anderson 1984).
  [[nodiscard]] const char* why_no_slope() const {
    if (std::min(hits.least, misses.least) == std::max(hits.greatest, misses.greatest))
      return "all forecasts are equal: a slope needs two different ones";
    if (hits.least >= misses.greatest || misses.least >= hits.greatest)
      return "the forecasts separate hits from misses: the slope that fits best is infinite";
    return nullptr;
  }
};

CalibrationLine fit(Column c) {
  constexpr const char* kNotConverged = "the logistic fit did not converge";
  const Extents extents(c);
  if (const char* why = extents.why_no_fit()) return {Estimate::undefined(why), Estimate::undefined(why)};
  standardise(c);
  CalibrationLine line;
  const auto shifted = maximise(c, {c.mean, c.sd}, false);
  line.intercept = shifted ? Estimate(shifted->a - c.mean) : Estimate::undefined(kNotConverged);
  if (const char* why = extents.why_no_slope()) {
    line.slope = Estimate::undefined(why);
    return line;
  }
  const auto fitted = maximise(c, shifted.value_or(Line{c.mean, c.sd}), true);
  line.slope = fitted ? Estimate(fitted->b / c.sd) : Estimate::undefined(kNotConverged);
  return line;
}

template <class A>
CalibrationLine calibration_line_of(const ForecastsView& f, double clip) {
  typename A::Mass total{};
  std::int64_t extreme = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    typename A::Mass m{};
    A::add_mass(m, f, i);
    extreme += A::positive(m) && (f.p[i] <= 0 || f.p[i] >= 1);
    A::add(total, m);
  }
  const auto both = [](const Estimate& e) { return CalibrationLine{e, e}; };
  if (!A::positive(total)) return both(no_votes());
  if (extreme > 0 && !(clip > 0))
    return both(
        Estimate::undefined(counted(extreme, "forecast") +
                            " of 0 or 1 have no finite log-odds; ⟦clip⟧ keeps them away from 0 and 1"));
  Column c = column_of<A>(f, clip);
  c.total = A::value(total);
  return fit(std::move(c));
}

}  // namespace

CalibrationLine calibration_line(const ForecastsView& ascending, double clip) {
  return detail::with_counts(ascending, [&]<class A>(A) { return calibration_line_of<A>(ascending, clip); });
}

}  // namespace plumb
