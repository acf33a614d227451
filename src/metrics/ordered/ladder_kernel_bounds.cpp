#include <algorithm>
#include <cmath>

#include "plumb/metrics/ordered/ladder_bounds.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr double kNoWeight = -37;      // logarithm of a kernel weight: nothing beside the largest
constexpr double kLowestLogit = -745;  // of a double above 0
constexpr double kMostGrowth = 700;    // its exponential is finite
constexpr std::int64_t kTargets = 64;  // at a time

/// Rungs between 0 and 1 as columns.
struct Sources {
  std::vector<double> p, log_p, log_q, logit, width, reach, hits, misses;
  explicit Sources(std::span<const LadderRung> rungs) {
    for (const LadderRung& r : rungs) {
      if (!(r.p > 0 && r.p < 1)) continue;
      p.push_back(r.p);
      log_p.push_back(log_portable(r.p));
      log_q.push_back(log_portable(1 - r.p));
      logit.push_back(log_p.back() - log_q.back());
      width.push_back(r.high - r.low);
      // How far log-odds lie from those of the mean: the rungs at the ends have all that is left.
      reach.push_back(r.low == 0    ? logit.back() - kLowestLogit
                      : r.high == 1 ? -kLowestLogit - logit.back()
                                    : 1.0 / Ladder::kSteps);
      hits.push_back(r.hits);
      misses.push_back(r.votes - r.hits);
    }
  }
  [[nodiscard]] std::size_t size() const { return p.size(); }
};

/// How far the gap of a hit and of a miss of one rung can be off.
struct GapBounds {
  double hit = 1, miss = 1;
};

/// Of one thread.
struct Scratch {
  std::vector<double> weight, grown;
};

/// Those that a target at p sees. The kernel falls on both sides of p.
std::pair<std::size_t, std::size_t> window_of(std::size_t sources, std::size_t i, const auto& log_weight) {
  const auto first = [](std::size_t low, std::size_t high, auto holds) {
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  return {first(0, i, [&](std::size_t j) { return log_weight(j) > kNoWeight; }),
          first(i + 1, sources, [&](std::size_t j) { return !(log_weight(j) > kNoWeight); })};
}

GapBounds gap_bounds(const Sources& s, std::size_t i, double h, Scratch& scratch) {
  const double p = s.p[i], q = 1 - p, own_width = s.width[i], own_logit = s.logit[i], per_h = 1 / h;
  const double top = p * s.log_p[i] + q * s.log_q[i];
  const auto log_weight = [&](std::size_t j) { return (p * s.log_p[j] + q * s.log_q[j] - top) * per_h; };
  const auto [begin, end] = window_of(s.size(), i, log_weight);
  const std::size_t n = end - begin;
  scratch.weight.resize(n);
  scratch.grown.resize(n);
  double* const weight = scratch.weight.data();
  double* const grown = scratch.grown.data();
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t at = begin + j;
    weight[j] = log_weight(at);
    // d log k = (p_i - p_j) d logit_j / h + (logit_j - logit_i) d p_i / h
    const double off = (s.reach[at] * (std::fabs(p - s.p[at]) + own_width + s.width[at]) +
                        own_width * (std::fabs(s.logit[at] - own_logit) + s.reach[at])) *
                       per_h;
    grown[j] = off < kMostGrowth ? off : kMostGrowth;
  }
  exp_block(scratch.weight, scratch.weight);
  exp_block(scratch.grown, scratch.grown);
  double all = 0, hits = 0, least = 0, moved_hits = 0, moved_misses = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double k = weight[j], times = grown[j], h_j = s.hits[begin + j], m_j = s.misses[begin + j];
    // No weight is above 1.
    const double moved = std::min(k * (times - 1), std::max(k, 1 - k));
    all += k * (h_j + m_j);
    hits += k * h_j;
    least += k / times * (h_j + m_j);
    moved_hits += moved * h_j;
    moved_misses += moved * m_j;
  }
  // Without the vote itself, of weight 1.
  const auto bound = [&](double own) {
    if (!(least > 1) || !(all > 1)) return 1.0;
    const double mean = std::clamp((hits - own) / (all - 1), 0.0, 1.0);
    return std::min(1.0, (moved_hits * (1 - mean) + moved_misses * mean) / (least - 1) + s.width[i]);
  };
  return {bound(1), bound(0)};
}

}  // namespace

KeyBounds kernel_bounds(std::span<const LadderRung> rungs, double h, int threads) {
  const Sources sources(rungs);
  std::vector<GapBounds> gaps(sources.size());
  parallel_blocks(static_cast<std::int64_t>(sources.size()), kTargets, threads,
                  [&](int, std::int64_t begin, std::int64_t end) {
                    Scratch scratch;
                    for (std::int64_t i = begin; i < end; ++i) gaps[i] = gap_bounds(sources, i, h, scratch);
                  });
  ExactSum sum, squares;
  double votes = 0;
  const auto add = [&](double n, double gap) {
    votes += n;
    sum.add(n * gap);
    squares.add(n * (gap * gap));
  };
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    add(sources.hits[i], gaps[i].hit);
    add(sources.misses[i], gaps[i].miss);
  }
  // At 0 and 1 the other votes there decide; a single one takes those nearest to it.
  for (const LadderRung& r : rungs)
    if (r.p == 0 || r.p == 1) add(r.votes, r.votes > 1 ? 0 : 1);
  if (!(votes > 0)) return {};
  return {{"ece_kde", sum.value() / votes}, {"ece_kde_l2", std::sqrt(squares.value() / votes)}};
}

}  // namespace plumb
