#include "plumb/metrics/ordered/calibration_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "metrics/ordered/groups.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {

namespace {

// One entry per distinct p, ascending: whatever the order of the rows, the sums below run over the same
// numbers.
struct Column {
  std::vector<double> x;     // logit p
  std::vector<double> mass;  // of votes
  std::vector<double> hits;
  double total = 0;
};

template <class A>
Column column_of(const ForecastsView& f, double clip) {
  Column c;
  std::vector<double> q;
  for (ordered::Groups<A> g(f); g.next();) {
    const double p = std::clamp(g.p, clip, 1.0 - clip);
    c.x.push_back(p);
    q.push_back(1.0 - p);
    c.mass.push_back(A::value(g.mass));
    c.hits.push_back(A::hits_value(g.hits));
  }
  log_block(c.x, c.x);
  log_block(q, q);
  for (std::size_t i = 0; i < q.size(); ++i) c.x[i] -= q[i];
  return c;
}

// Sums of up to five numbers an entry: plain within a block, exact over the blocks.
constexpr std::size_t kBlock = 256;
template <std::size_t K, class Term>
std::array<double, K> sum_blocks(std::size_t n, Term term) {
  std::array<ExactSum, K> total{};
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::array<double, K> block = term(begin, std::min(n, begin + kBlock));
    for (std::size_t k = 0; k < K; ++k) total[k].add(block[k]);
  }
  std::array<double, K> out{};
  for (std::size_t k = 0; k < K; ++k) out[k] = total[k].value();
  return out;
}

// Gradient of the log-likelihood of logit P(y) = a + b x in (a, b), and minus its second derivatives.
struct Slope {
  double a, b, aa, ab, bb;
};
Slope derivatives(const Column& c, double a, double b) {
  const auto s = sum_blocks<5>(c.x.size(), [&](std::size_t begin, std::size_t end) {
    std::array<double, kBlock> y;
    for (std::size_t i = begin; i < end; ++i) y[i - begin] = a + b * c.x[i];
    logistic_block(std::span(y.data(), end - begin), std::span(y.data(), end - begin));
    std::array<double, 5> t{};
    for (std::size_t i = begin; i < end; ++i) {
      const double fit = y[i - begin];
      const double residual = c.hits[i] - c.mass[i] * fit;
      const double curvature = c.mass[i] * fit * (1.0 - fit);
      t[0] += residual;
      t[1] += residual * c.x[i];
      t[2] += curvature;
      t[3] += curvature * c.x[i];
      t[4] += curvature * c.x[i] * c.x[i];
    }
    return t;
  });
  return {s[0], s[1], s[2], s[3], s[4]};
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
  Slope s = derivatives(c, at.a, at.b);
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
      s = derivatives(c, at.a + d.a, at.b + d.b);
      if (s.a * d.a + s.b * d.b >= -0.5 * gain) break;
      if (halvings == 60) return std::nullopt;
      d = {d.a / 2, d.b / 2};
    }
    at = {at.a + d.a, at.b + d.b};
  }
  return std::nullopt;
}

// Why there is no finite slope, if so (Albert and Anderson 1984): hits and misses must overlap.
const char* why_no_slope(const Column& c) {
  double hits[2] = {0, 0}, misses[2] = {0, 0};  // least and greatest x
  bool any_hit = false, any_miss = false;
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    if (c.hits[i] > 0) {
      if (!any_hit) hits[0] = c.x[i];
      hits[1] = c.x[i];
      any_hit = true;
    }
    if (c.hits[i] < c.mass[i]) {
      if (!any_miss) misses[0] = c.x[i];
      misses[1] = c.x[i];
      any_miss = true;
    }
  }
  if (!any_hit) return ordered::kNoHits;
  if (!any_miss) return ordered::kNoMisses;
  if (c.x.front() == c.x.back()) return "all forecasts are equal: a slope needs two different ones";
  if (hits[0] >= misses[1] || misses[0] >= hits[1]) {
    return "the forecasts separate hits from misses: the slope that fits best is infinite";
  }
  return nullptr;
}

Estimate fit_slope(const Column& c) {
  if (const char* why = why_no_slope(c)) return Estimate::undefined(why);
  const auto moment = [&](auto value) {
    return sum_blocks<1>(c.x.size(),
                         [&](std::size_t begin, std::size_t end) {
                           std::array<double, 1> t{};
                           for (std::size_t i = begin; i < end; ++i) t[0] += c.mass[i] * value(c.x[i]);
                           return t;
                         })[0] /
           c.total;
  };
  const double mean = moment([](double x) { return x; });
  const double sd = std::sqrt(moment([&](double x) { return (x - mean) * (x - mean); }));
  Column standard = c;
  for (double& x : standard.x) x = (x - mean) / sd;
  const auto line = maximise(standard, {mean, sd}, true);
  if (!line) return Estimate::undefined("the logistic fit did not converge");
  return line->b / sd;
}

Estimate fit_intercept(const Column& c) {
  const char* why = why_no_slope(c);
  if (why == ordered::kNoHits || why == ordered::kNoMisses) return Estimate::undefined(why);
  const auto line = maximise(c, {0, 1}, false);
  if (!line) return Estimate::undefined("the logistic fit did not converge");
  return line->a;
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
  if (!A::positive(total)) return both(Estimate::undefined(std::string(kNoVotes)));
  if (extreme > 0 && !(clip > 0)) {
    return both(
        Estimate::undefined(counted(extreme, "forecast") +
                            " of 0 or 1 have no finite log-odds; --clip keeps them away from 0 and 1"));
  }
  Column c = column_of<A>(f, clip);
  c.total = A::value(total);
  return {fit_slope(c), fit_intercept(c)};
}

}  // namespace

CalibrationLine calibration_line(const ForecastsView& ascending, double clip) {
  return ordered::with_counts(ascending, [&]<class A>(A) { return calibration_line_of<A>(ascending, clip); });
}

}  // namespace plumb
