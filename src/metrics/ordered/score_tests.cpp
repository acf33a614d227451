#include "plumb/metrics/ordered/score_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_block.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr const char* kNoDoubt = "every forecast is 0 or 1";

/// Votes over their weight: both statistics grow with the number of votes, and a common factor of all weights
/// is not a further vote. 1 without weights.
double votes_per_weight(const ForecastsView& f) {
  if (f.weight.empty()) return 1;
  ExactSum votes, weight;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (!(f.weight_of(i) > 0)) continue;
    votes.add(f.trials_of(i) * (f.times.empty() ? 1.0 : f.times[i]));
    weight.add(f.trials_of(i) * f.weight_of(i));
  }
  return weight.value() > 0 ? votes.value() / weight.value() : 1;
}

/// The slope's score beside the intercept's, and its variance: 0 where all p are equal.
struct SlopeScore {
  double score, variance;
  explicit SlopeScore(const LineScores& s)
      : score(s.u1 - s.v01 / s.v00 * s.u0), variance(s.v11 - s.v01 / s.v00 * s.v01) {
    constexpr double kRounding = 1e-12;
    if (!(variance > kRounding * s.v11)) score = variance = 0;
  }
};

Estimate z_from(double top, double variance) {
  if (!(variance > 0)) return Estimate::undefined("every forecast is 0, 1/2 or 1");
  return top / std::sqrt(variance);
}

Estimate scaled(Estimate e, double by) {
  if (e) *e.value *= by;
  return e;
}

constexpr std::size_t kRowsAtOnce = 256;
using Terms = std::array<double, kRowsAtOnce>;

/// log(p / (1 - p)) of a few rows, cut at kMostLogit.
void cut_logits(std::span<const double> p, std::span<double> out) {
  Terms rest;
  for (std::size_t i = 0; i < p.size(); ++i) rest[i] = 1 - p[i];
  const std::span<double> r = std::span(rest).first(p.size());
  log_block(p, out);
  log_block(r, r);
  for (std::size_t i = 0; i < p.size(); ++i) out[i] = std::clamp(out[i] - r[i], -kMostLogit, kMostLogit);
}

/// Terms of the rows of a block, each taken so many times.
struct Part {
  Terms term, times;
  bool once = true;  ///< all of them, and `times` is not read
};

Part operator*(Part part, const Terms& factor) {
  for (std::size_t i = 0; i < kRowsAtOnce; ++i) part.term[i] *= factor[i];
  return part;
}

/// Sums of one column; each term is rounded once, and then nothing is: n votes on one forecast are n
/// forecasts of one vote, bit for bit.
class TermSum {
 public:
  void add(const Part& part, std::size_t n) {
    if (part.once) return add_terms(part.term, n);
    Terms product, rest;
    for (std::size_t i = 0; i < n; ++i) {
      product[i] = part.term[i] * part.times[i];
      rest[i] = std::fma(part.term[i], part.times[i], -product[i]);
    }
    add_terms(product, n);
    add_terms(rest, n);
  }
  void merge(const TermSum& other) { sum_.merge(other.sum_); }
  [[nodiscard]] double value() const { return sum_.value(); }

 private:
  void add_terms(const Terms& a, std::size_t n) { add_block(sum_, std::span<const double>(a).first(n)); }
  ExactSum sum_;
};

/// Rows of a block: residuals and variance of one vote, both times its weight. With single votes, and where
/// hits are not whole numbers, `hit` is the residual of the row.
struct Block {
  std::size_t begin = 0, size = 0;
  Part hit{}, miss{}, v{};
  void add_residuals(TermSum& sum) const {
    add_each(sum, [](const Part& part) { return part; });
  }
  void add_residuals(TermSum& sum, const Terms& factor) const {
    add_each(sum, [&](const Part& part) { return part * factor; });
  }

 private:
  template <class Make>
  void add_each(TermSum& sum, Make make) const {
    sum.add(make(hit), size);
    if (!hit.once) sum.add(make(miss), size);
  }
};
/// Calls body for blocks of the rows from `begin` to `end`; false where none of them has a vote.
template <class Body>
bool each_block(const ForecastsView& f, std::size_t begin, std::size_t end, Body body) {
  bool some = false;
  Block b;
  const bool single = f.trials.empty() && f.weight.empty() && f.times.empty();
  b.v.once = single;
  b.hit.once = b.miss.once = single || !f.whole_counts;
  for (b.begin = begin; b.begin < end; b.begin += kRowsAtOnce) {
    b.size = std::min(kRowsAtOnce, end - b.begin);
    for (std::size_t i = 0; i < b.size; ++i) {
      const std::size_t r = b.begin + i;
      const double p = f.p[r], hits = f.hits[r];
      if (single) {
        b.hit.term[i] = hits - p;
        b.v.term[i] = p * (1 - p);
        continue;
      }
      const double n = f.trials_of(r), w = f.weight_of(r);
      some |= n != 0 && w != 0;
      b.hit.term[i] = f.whole_counts ? w * (1 - p) : w * (hits - n * p);
      b.miss.term[i] = -w * p;
      b.v.term[i] = w * p * (1 - p);
      b.hit.times[i] = hits;
      b.miss.times[i] = n - hits;
      b.v.times[i] = n;
    }
    some |= single;
    body(b);
  }
  return some;
}

/// What both statistics of a column have of p alone.
struct Variances {
  TermSum v00, v01, v11;
  void add(const Block& b, const Terms& logit) {
    const Part vl = b.v * logit;
    v00.add(b.v, b.size);
    v01.add(vl, b.size);
    v11.add(vl * logit, b.size);
  }
  void merge(const Variances& other) {
    v00.merge(other.v00);
    v01.merge(other.v01);
    v11.merge(other.v11);
  }
};

/// 1 - 2 p.
void slopes(const ForecastsView& f, const Block& b, Terms& x) {
  for (std::size_t i = 0; i < b.size; ++i) x[i] = 1 - 2 * f.p[b.begin + i];
}

}  // namespace

/// add(state, block) for all blocks, on several threads: the sums of a state are exact, and so is
/// their merge.
template <class State, class Add>
static State sum_rows(const ForecastsView& f, int threads, Add add) {
  constexpr std::int64_t kRowsOfTask = 1 << 16;
  return parallel_reduce_blocks(
      std::ssize(f), kRowsOfTask, threads, State{},
      [&](State& state, std::int64_t begin, std::int64_t end) {
        state.some |= each_block(f, begin, end, [&](const Block& b) { add(state, b); });
      },
      [](State& into, const State& from) { into.merge(from); });
}

LineScores line_scores(const ForecastsView& f, int threads) {
  struct Sums {
    TermSum u0, u1;
    Variances variances;
    bool some = false;
    void merge(const Sums& other) {
      u0.merge(other.u0);
      u1.merge(other.u1);
      variances.merge(other.variances);
      some |= other.some;
    }
  };
  const Sums s = sum_rows<Sums>(f, threads, [&](Sums& to, const Block& b) {
    Terms logit{};
    cut_logits(f.p.subspan(b.begin, b.size), std::span(logit).first(b.size));
    b.add_residuals(to.u0);
    b.add_residuals(to.u1, logit);
    to.variances.add(b, logit);
  });
  const Variances& v = s.variances;
  return {s.u0.value(),  s.u1.value(),        v.v00.value(), v.v01.value(),
          v.v11.value(), votes_per_weight(f), s.some};
}

Estimate cox_score(const LineScores& s) {
  if (!s.some) return Estimate::undefined(kNoVotes);
  if (!(s.v00 > 0)) return Estimate::undefined(kNoDoubt);
  const SlopeScore slope(s);
  const double joint = slope.variance > 0 ? slope.score * slope.score / slope.variance : 0;
  return (s.u0 * s.u0 / s.v00 + joint) * s.votes_per_weight;
}

Estimate cox_score(const ForecastsView& f) { return cox_score(line_scores(f)); }

CalibrationLine first_step(const LineScores& s) {
  if (!s.some) return {Estimate::undefined(kNoVotes), Estimate::undefined(kNoVotes)};
  if (!(s.v00 > 0)) return {Estimate::undefined(kNoDoubt), Estimate::undefined(kNoDoubt)};
  const SlopeScore slope(s);
  return {slope.variance > 0 ? 1 + slope.score / slope.variance : 1.0, s.u0 / s.v00};
}

Estimate spiegelhalter_z(const ForecastsView& f, int threads) {
  struct Sums {
    TermSum top, variance;
    bool some = false;
    void merge(const Sums& other) {
      top.merge(other.top);
      variance.merge(other.variance);
      some |= other.some;
    }
  };
  const Sums s = sum_rows<Sums>(f, threads, [&](Sums& to, const Block& b) {
    Terms x{};
    slopes(f, b, x);
    b.add_residuals(to.top, x);
    to.variance.add(b.v * x * x, b.size);
  });
  if (!s.some) return Estimate::undefined(kNoVotes);
  return scaled(z_from(s.top.value(), s.variance.value()), std::sqrt(votes_per_weight(f)));
}

ScoreTests::ScoreTests(const ForecastsView& f) : logit_(f.size()), votes_per_weight_(votes_per_weight(f)) {
  Variances variances;
  TermSum variance;
  Terms logit{}, x{};
  some_ = each_block(f, 0, f.size(), [&](const Block& b) {
    cut_logits(f.p.subspan(b.begin, b.size), std::span(logit).first(b.size));
    std::copy_n(logit.begin(), b.size, logit_.begin() + static_cast<std::ptrdiff_t>(b.begin));
    variances.add(b, logit);
    slopes(f, b, x);
    variance.add(b.v * x * x, b.size);
  });
  v00_ = variances.v00.value(), v01_ = variances.v01.value(), v11_ = variances.v11.value();
  variance_ = variance.value();
}

/// Adds factor(i) times the residual of each row; rows without mass have a residual of 0.
template <class Factor>
static void add_residuals(const ForecastsView& f, ExactSum& sum, Factor factor) {
  std::array<double, 512> term;
  for (std::size_t begin = 0; begin < f.size(); begin += term.size()) {
    const std::size_t n = std::min(term.size(), f.size() - begin);
    if (f.trials.empty() && f.weight.empty() && f.times.empty()) {
      for (std::size_t i = 0; i < n; ++i) term[i] = (f.hits[begin + i] - f.p[begin + i]) * factor(begin + i);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t r = begin + i;
        term[i] = f.weight_of(r) * (f.hits[r] - f.trials_of(r) * f.p[r]) * factor(r);
      }
    }
    add_block(sum, std::span<const double>(term).first(n));
  }
}

LineScores ScoreTests::line_scores(const ForecastsView& f) const {
  ExactSum u0, u1;
  if (some_) {
    add_residuals(f, u0, [](std::size_t) { return 1.0; });
    add_residuals(f, u1, [&](std::size_t i) { return logit_[i]; });
  }
  return {u0.value(), u1.value(), v00_, v01_, v11_, votes_per_weight_, some_};
}

Estimate ScoreTests::spiegelhalter_z(const ForecastsView& f) const {
  if (!some_) return Estimate::undefined(kNoVotes);
  ExactSum top;
  add_residuals(f, top, [&](std::size_t i) { return 1 - 2 * f.p[i]; });
  return scaled(z_from(top.value(), variance_), std::sqrt(votes_per_weight_));
}

}  // namespace plumb
