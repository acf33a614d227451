#include "plumb/metrics/ordered/calibration_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "metrics/ordered/line_kernels.hpp"
#include "metrics/shared/groups.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {

namespace {

constexpr std::size_t kTermsAtOnce = 256;

// Counts are kept as float32 where each of them is one: 16 bytes per distinct p instead of 24.
class Counts {
 public:
  void resize(std::size_t n, bool all_narrow, int threads) {
    all_narrow_ = all_narrow;
    all_narrow ? resize_large(narrow_, n, threads) : resize_large(wide_, n, threads);
  }
  void set(std::size_t i, double x) {
    if (all_narrow_) {
      narrow_[i] = static_cast<float>(x);
    } else {
      wide_[i] = x;
    }
  }
  double operator[](std::size_t i) const { return all_narrow_ ? narrow_[i] : wide_[i]; }
  void copy(std::size_t begin, std::size_t count, double* out) const {
    if (all_narrow_) {
      std::copy_n(narrow_.data() + begin, count, out);
    } else {
      std::copy_n(wide_.data() + begin, count, out);
    }
  }

 private:
  std::vector<float> narrow_;
  std::vector<double> wide_;
  bool all_narrow_ = true;
};

// One entry per distinct p, ascending:
// whatever the order of the rows, the sums below run over the same numbers.
struct Column {
  std::vector<double> x;  // logit p; once standardised: (logit p - mean) / sd
  Counts mass;            // of votes
  Counts hits;
  double total = 0, mean = 0, sd = 1;
};

template <class Body>
void each_block(std::size_t n, int threads, Body body) {
  constexpr std::int64_t kBlock = 64 * kTermsAtOnce;
  parallel_blocks(static_cast<std::int64_t>(n), kBlock, threads,
                  [&](int, std::int64_t begin, std::int64_t end) { body(begin, end); });
}

// What is known of a stretch of the column before it is read.
template <class A>
struct Outline {
  std::size_t distinct = 0;
  std::int64_t extreme = 0;  // votes on forecasts of 0 or 1
  bool narrow = true;        // all counts are float32
  typename A::Mass total{};
  Outline() = default;
  explicit Outline(const ForecastsView& f) {
    const auto is_narrow = [](double x) { return static_cast<float>(x) == x; };
    for (detail::Groups<A> g(f); g.next();) {
      ++distinct;
      narrow = narrow && is_narrow(A::value(g.mass)) && is_narrow(A::hits_value(g.hits));
      A::add(total, g.mass);
    }
    for (const double end : {0.0, 1.0}) {
      const auto [first, last] = std::equal_range(f.p.begin(), f.p.end(), end);
      for (std::size_t i = first - f.p.begin(); i < static_cast<std::size_t>(last - f.p.begin()); ++i) {
        typename A::Mass m{};
        A::add_mass(m, f, i);
        if (A::positive(m)) extreme += std::llround(f.trials_of(i));
      }
    }
  }
};

template <class A>
Column column_of(const ForecastsView& f, std::span<const std::size_t> ends,
                 std::span<const Outline<A>> outlines, double clip, int threads) {
  Column c;
  std::vector<std::size_t> first{0};
  bool narrow = true;
  for (const Outline<A>& o : outlines)
    first.push_back(first.back() + o.distinct), narrow = narrow && o.narrow;
  resize_large(c.x, first.back(), threads);
  c.mass.resize(first.back(), narrow, threads);
  c.hits.resize(first.back(), narrow, threads);
  detail::each_stretch(f, ends, threads, [&](std::int64_t s, const ForecastsView& part) {
    std::size_t i = first[s];
    for (detail::Groups<A> g(part); g.next(); ++i) {
      c.x[i] = std::clamp(g.p, clip, 1.0 - clip);  // 1 - clip may round to 1: q is clipped by itself
      c.mass.set(i, A::value(g.mass));
      c.hits.set(i, A::hits_value(g.hits));
    }
  });
  each_block(c.x.size(), threads, [&](std::int64_t block, std::int64_t block_end) {
    std::array<double, kTermsAtOnce> q;
    for (std::int64_t begin = block; begin < block_end; begin += kTermsAtOnce) {
      const auto x = std::span(c.x).subspan(begin, std::min<std::int64_t>(block_end - begin, kTermsAtOnce));
      const auto log_q = std::span(q).first(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) q[i] = std::clamp(1.0 - x[i], clip, 1.0 - clip);
      log_block(log_q, log_q);
      log_block(x, x);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= q[i];
    }
  });
  return c;
}

// Sums of K numbers per entry: in four lanes within a block, exact over the blocks, so that it does not
// matter which thread adds which. `block(begin, count)` sums one.
template <std::size_t K, class Sums>
std::array<double, K> sum_blocks(std::size_t n, int threads, Sums block) {
  constexpr std::int64_t kTermsOfTask = 128 * kTermsAtOnce;
  using Total = std::array<ExactSum, K>;
  const Total total = parallel_reduce_blocks(
      static_cast<std::int64_t>(n), kTermsOfTask, threads, Total{},
      [&](Total& sum, std::int64_t first, std::int64_t last) {
        for (std::size_t begin = first; begin < static_cast<std::size_t>(last); begin += kTermsAtOnce) {
          const auto s = block(begin, std::min<std::size_t>(last - begin, kTermsAtOnce));
          for (std::size_t k = 0; k < K; ++k) sum[k].add(s[k]);
        }
      },
      [](Total& into, const Total& from) {
        for (std::size_t k = 0; k < K; ++k) into[k].merge(from[k]);
      });
  std::array<double, K> out{};
  for (std::size_t k = 0; k < K; ++k) out[k] = total[k].value();
  return out;
}

// One scale for all data: the gradient tolerance and the longest step mean the same whatever the spread of p.
void standardise(Column& c, int threads) {
  constexpr std::size_t kLanes = 4;
  const auto moment = [&](auto value) {
    const auto block = [&](std::size_t begin, std::size_t m) {
      std::array<double, kTermsAtOnce> term;
      c.mass.copy(begin, m, term.data());
      for (std::size_t i = 0; i < m; ++i) term[i] *= value(c.x[begin + i]);
      std::array<double, kLanes> lane{};
      std::size_t i = 0;
      for (; i + kLanes <= m; i += kLanes)
        for (std::size_t l = 0; l < kLanes; ++l) lane[l] += term[i + l];
      for (; i < m; ++i) lane[0] += term[i];
      return std::array{(lane[0] + lane[1]) + (lane[2] + lane[3])};
    };
    return sum_blocks<1>(c.x.size(), threads, block)[0] / c.total;
  };
  c.mean = moment([](double x) { return x; });
  c.sd = c.x.front() == c.x.back() ? 0
                                   : std::sqrt(moment([&](double x) { return (x - c.mean) * (x - c.mean); }));
  each_block(c.x.size(), threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) c.x[i] = c.sd > 0 ? (c.x[i] - c.mean) / c.sd : 0;
  });
}

// Gradient of the log-likelihood of logit P(y) = a + b x in (a, b), and minus its second derivatives.
struct Slope {
  double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};
Slope derivatives(const Column& c, double a, double b, bool with_slope, int threads) {
  const auto s = sum_blocks<5>(c.x.size(), threads, [&](std::size_t begin, std::size_t m) {
    std::array<double, kTermsAtOnce> y, mass, hits;
    for (std::size_t i = 0; i < m; ++i) y[i] = a + b * c.x[begin + i];
    logistic_block(std::span(y).first(m), std::span(y).first(m));
    c.mass.copy(begin, m, mass.data());
    c.hits.copy(begin, m, hits.data());
    return detail::line_sums(c.x.data() + begin, y.data(), mass.data(), hits.data(), m, with_slope);
  });
  return {.a = s[0], .b = s[2], .aa = s[1], .ab = s[3], .bb = s[4]};
}

struct Line {
  double a, b;
};
constexpr double kTolerance = 1e-10;  // gradient per vote, in standard units of x
constexpr int kIterations = 200;
constexpr double kLongestStep = 64;

// Newton from (a, b) on a concave function; a step is halved while the slope at its end is too negative. The
// last step is not checked: it is below the resolution of the gradient.
std::optional<Line> maximise(const Column& c, Line at, bool with_slope, int threads) {
  Slope s = derivatives(c, at.a, at.b, with_slope, threads);
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
      s = derivatives(c, at.a + d.a, at.b + d.b, with_slope, threads);
      if (s.a * d.a + s.b * d.b >= -0.5 * gain) break;
      if (halvings == 60) return std::nullopt;
      d = {d.a / 2, d.b / 2};
    }
    at = {at.a + d.a, at.b + d.b};
  }
  return std::nullopt;
}

// Log-likelihood of one line less that of another.
double log_likelihood_gain(const Column& c, Line of, Line from, int threads) {
  const auto sum = sum_blocks<1>(c.x.size(), threads, [&](std::size_t begin, std::size_t m) {
    // Of a line: the logs of both fitted means.
    const auto logs = [&](Line line, std::span<double> yes, std::span<double> no) {
      constexpr double kLeast = 1e-300;
      for (std::size_t i = 0; i < m; ++i) {
        yes[i] = line.a + line.b * c.x[begin + i];
        no[i] = -yes[i];
      }
      for (const std::span<double> s : {yes, no}) {
        logistic_block(s, s);
        for (double& y : s) y = std::max(y, kLeast);
        log_block(s, s);
      }
    };
    std::array<double, kTermsAtOnce> yes, no, yes_before, no_before;
    const auto part = [m](std::array<double, kTermsAtOnce>& a) { return std::span(a).first(m); };
    logs(of, part(yes), part(no));
    logs(from, part(yes_before), part(no_before));
    double gain = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const double hits = c.hits[begin + i];
      gain += hits * (yes[i] - yes_before[i]) + (c.mass[begin + i] - hits) * (no[i] - no_before[i]);
    }
    return std::array{gain};
  });
  return sum[0];
}

double chi_square_p(double gain) {
  return std::max(chi_square_tail(std::max(2 * gain, 0.0), 1), std::numeric_limits<double>::min());
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
  void cover(const Extents& o) {
    for (const auto& [mine, others] : {std::pair(&hits, &o.hits), std::pair(&misses, &o.misses)})
      if (!others->empty()) mine->cover(others->least), mine->cover(others->greatest);
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

Extents extents_of(const Column& c, int threads) {
  constexpr std::int64_t kBlock = 1 << 16;
  return parallel_reduce_blocks(
      std::ssize(c.x), kBlock, threads, Extents{},
      [&](Extents& e, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          if (c.hits[i] > 0) e.hits.cover(c.x[i]);
          if (c.hits[i] < c.mass[i]) e.misses.cover(c.x[i]);
        }
      },
      [](Extents& into, const Extents& from) { into.cover(from); });
}

CalibrationLine fit(Column c, int threads, LinePValues* tests) {
  constexpr const char* kNotConverged = "the logistic fit did not converge";
  const Extents extents = extents_of(c, threads);
  if (const char* why = extents.why_no_fit()) return {Estimate::undefined(why), Estimate::undefined(why)};
  standardise(c, threads);
  CalibrationLine line;
  const auto shifted = maximise(c, {c.mean, c.sd}, false, threads);
  line.intercept = shifted ? Estimate(shifted->a - c.mean) : Estimate::undefined(kNotConverged);
  if (tests != nullptr && shifted)
    tests->intercept = chi_square_p(log_likelihood_gain(c, *shifted, {c.mean, c.sd}, threads));
  if (const char* why = extents.why_no_slope()) {
    line.slope = Estimate::undefined(why);
    return line;
  }
  const auto fitted = maximise(c, shifted.value_or(Line{c.mean, c.sd}), true, threads);
  line.slope = fitted ? Estimate(fitted->b / c.sd) : Estimate::undefined(kNotConverged);
  if (tests != nullptr && shifted && fitted)
    tests->slope = chi_square_p(log_likelihood_gain(c, *fitted, *shifted, threads));
  return line;
}

template <class A>
CalibrationLine calibration_line_of(const ForecastsView& f, double clip, int threads, LinePValues* tests) {
  const std::vector<std::size_t> ends = detail::stretch_ends(f);
  std::vector<Outline<A>> outlines(ends.size());
  detail::each_stretch(f, ends, threads,
                       [&](std::int64_t s, const ForecastsView& part) { outlines[s] = Outline<A>(part); });
  typename A::Mass total{};
  std::int64_t extreme = 0;
  for (const Outline<A>& o : outlines) {
    A::add(total, o.total);
    extreme += o.extreme;
  }
  const auto both = [](const Estimate& e) { return CalibrationLine{e, e}; };
  if (!A::positive(total)) return both(no_votes());
  if (extreme > 0 && !(clip > 0))
    return both(Estimate::undefined(
        counted(extreme, "vote") +
        " on forecasts of 0 or 1, which have no finite log-odds; ⟦clip⟧ keeps them away from 0 and 1"));
  Column c = column_of<A>(f, ends, std::span<const Outline<A>>(outlines), clip, threads);
  c.total = A::value(total);
  return fit(std::move(c), threads, tests);
}

}  // namespace

CalibrationLine calibration_line(const ForecastsView& ascending, double clip, int threads) {
  return detail::with_counts(
      ascending, [&]<class A>(A) { return calibration_line_of<A>(ascending, clip, threads, nullptr); });
}

LinePValues calibration_line_p(const ForecastsView& ascending, double clip, int threads) {
  LinePValues out;
  detail::with_counts(ascending,
                      [&]<class A>(A) { return calibration_line_of<A>(ascending, clip, threads, &out); });
  return out;
}

}  // namespace plumb
