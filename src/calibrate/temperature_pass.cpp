#include "calibrate/temperature.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/kernels.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kNumbers = 4096;  // of a block: its buffers of doubles stay in the first-level cache

struct State : TemperatureSums {
  std::int64_t clipped = 0;
  ScoreBlock scores;
  Ballots ballots;
  std::vector<double> difference, power, moments;
};

// What the pseudo-votes of items need at every beta: their mean d under the prior, sum_k t_k d_k; two
// classes: the share t of the less likely one. Empty spans: no prior.
struct Pseudo {
  Prior prior;
  std::span<const double> of;

  // Votes with their pseudo-votes: `mass` and what they voted for.
  void join(std::int64_t i, double& mass, double& voted) const {
    if (of.empty()) return;
    const double more = mass * prior.per_vote();
    voted += more * of[i];
    mass += more;
  }
};

// n log sum_k exp(beta d_k) - beta sum_k y_k d_k with d = u - max u, and its derivatives.
void add_rows(State& s, double beta, std::int64_t n, std::int64_t stride, const Pseudo& pseudo) {
  s.moments.resize(3 * n);
  exp_block(s.power, s.power);
  row_moments(s.power.data(), s.difference.data(), n, stride, s.moments.data());
  for (std::int64_t i = 0; i < n; ++i) {
    double mass = s.ballots.mass(i);
    if (mass == 0) continue;
    const double* d = s.difference.data() + i * stride;
    const double* m = s.moments.data() + 3 * i;
    double voted = 0;
    s.ballots.for_each(i, [&](std::uint32_t k, double share) { voted += share * d[k]; });
    pseudo.join(i, mass, voted);
    const double mean = m[1] / m[0];
    s.value.add(mass * log_portable(m[0]) - beta * voted);
    s.first.add(mass * mean - voted);
    s.second.add(mass * std::max(0.0, m[2] / m[0] - mean * mean));
  }
}

// The same for two classes: n log(1 + exp(beta u)) - beta y_1 u.
void add_odds(State& s, double beta, std::int64_t n, const Pseudo& pseudo) {
  s.power.resize(n);
  s.moments.resize(n);
  for (std::int64_t i = 0; i < n; ++i) s.power[i] = -beta * std::fabs(s.scores.u[i]);
  exp_block(s.power, s.power);
  for (std::int64_t i = 0; i < n; ++i) s.moments[i] = 1.0 + s.power[i];
  log_block(s.moments, s.moments);
  for (std::int64_t i = 0; i < n; ++i) {
    double mass = s.ballots.mass(i);
    if (mass == 0) continue;
    const double u = s.scores.u[i];
    const double e = s.power[i];
    double on = 0;   // votes for the class with the larger logit
    double off = 0;  // and for the other: each costs beta |u|
    const std::uint32_t top = u > 0 ? 1 : 0;
    s.ballots.for_each(i, [&](std::uint32_t k, double share) { (k == top ? on : off) += share; });
    pseudo.join(i, mass, off);
    const double size = std::fabs(u);
    const double tail = e / (1.0 + e);
    s.value.add(mass * s.moments[i] + beta * size * off);
    s.first.add(size * (off - mass * tail));
    s.second.add(mass * size * size * tail / (1.0 + e));
  }
}

// The same of a block's items at beta = 1, where the moments are those of the predictions.
void fill_pseudo(State& s, const Prior& prior, std::int64_t n, std::int64_t width, std::int64_t stride,
                 std::span<double> out) {
  if (width == 1) {
    s.power.resize(n);
    for (std::int64_t i = 0; i < n; ++i) s.power[i] = -std::fabs(s.scores.u[i]);
    exp_block(s.power, s.power);
    for (std::int64_t i = 0; i < n; ++i) out[i] = prior.share(s.power[i] / (1.0 + s.power[i]), 2);
    return;
  }
  s.moments.resize(3 * n);
  exp_block(s.power, s.power);
  row_moments(s.power.data(), s.difference.data(), n, stride, s.moments.data());
  for (std::int64_t i = 0; i < n; ++i) {
    const double* d = s.difference.data() + i * stride;
    double sum = 0;
    for (std::int64_t k = 0; k < width; ++k) sum += d[k];
    const double mean = s.moments[3 * i + 1] / s.moments[3 * i];
    out[i] = (prior.n * mean + sum / width) / (prior.n + 1);
  }
}

}  // namespace

void TemperatureSums::merge(const TemperatureSums& other) {
  value.merge(other.value);
  first.merge(other.first);
  second.merge(other.second);
}

TemperatureDerivatives TemperatureSums::per_vote(double mass) const {
  return {value.value() / mass, first.value() / mass, second.value() / mass};
}

TemperatureSums TemperaturePass::sums(double beta) {
  if (prior_.any() && pseudo_.empty()) {
    pseudo_.resize(items_.size());
    (void)run(1, true);
  }
  return run(beta, false);
}

TemperatureSums TemperaturePass::run(double beta, bool first) {
  const bool checked = passes_++ > 0;  // the first pass looks at every number
  const Predictions& p = items_.predictions;
  const std::int64_t width = p.width();
  const std::int64_t stride = padded(width);
  const bool raw = p.scale() == Scale::logit && p.samples() == 1 && width > 1;
  const std::int64_t block = std::max<std::int64_t>(1, kNumbers / stride);
  // A block of the loop is larger than a block of the arithmetic, so that its overhead does not count.
  constexpr std::int64_t kTogether = 16;
  const auto read = [&](State& s, std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin;
    if (width > 1) {
      s.difference.resize(n * stride);
      s.power.resize(n * stride);
    }
    if (raw && checked) {
      if (const float* f = p.sources().front().contiguous<float>(begin, end))
        return shift_rows(f, n, width, beta, s.difference.data(), s.power.data());
      if (const double* x = p.sources().front().contiguous<double>(begin, end))
        return shift_rows(x, n, width, beta, s.difference.data(), s.power.data());
    }
    read_scores(p, begin, end, s.scores);
    s.clipped += s.scores.clipped;
    if (width > 1) shift_rows(s.scores.u.data(), n, width, beta, s.difference.data(), s.power.data());
  };
  const State all = parallel_reduce_blocks(
      items_.size(), block * kTogether, threads_, State{},
      [&](State& s, std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; b += block) {
          const std::int64_t stop = std::min(end, b + block);
          read_ballots(items_, b, stop, s.ballots);
          read(s, b, stop);
          const std::span<double> own =
              std::span(pseudo_).subspan(pseudo_.empty() ? 0 : b, pseudo_.empty() ? 0 : stop - b);
          if (first) {
            fill_pseudo(s, prior_, stop - b, width, stride, own);
          } else if (width > 1) {
            add_rows(s, beta, stop - b, stride, {prior_, own});
          } else {
            add_odds(s, beta, stop - b, {prior_, own});
          }
        }
      },
      [](State& into, const State& from) {
        into.merge(from);
        into.clipped += from.clipped;
      });
  if (!checked) clipped_ = all.clipped;
  return all;
}

}  // namespace plumb::detail
