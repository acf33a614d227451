#include "calibrate/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/derivatives.hpp"
#include "calibrate/symmetric.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kMembers = 3;
constexpr std::int64_t kMixtureBlock = 2048;
constexpr int kMixtureIterations = 200;
constexpr int kMixtureHalvings = 50;
using Weights = std::array<double, kMembers>;

struct MixtureSums : Derivatives<double, kMembers> {
  bool finite = true;  // false: a vote on probability 0, or so near to it that exact sums have no room
};
constexpr double kLargestTerm = 0x1p150;

MixtureSums evaluate_mixture(std::span<const MixtureEntry> entries, const Weights& w, int threads) {
  struct State : ExactDerivatives<kMembers> {
    bool finite = true;
  };
  const State all = parallel_reduce_blocks(
      entries.size(), kMixtureBlock, threads, State{},
      [&](State& s, std::int64_t begin, std::int64_t end) {
        for (const MixtureEntry& e : entries.subspan(begin, end - begin)) {
          const double p = w[0] * e.q[0] + w[1] * e.q[1] + w[2] * e.q[2];
          const double largest = std::max({e.q[0], e.q[1], e.q[2]}) / p;
          if (!(p > 0) || !(e.share * largest * largest < kLargestTerm)) {
            s.finite = false;
            return;
          }
          s.value.add(-e.share * log_portable(p));
          for (std::int64_t j = 0; j < kMembers; ++j) {
            const double r = e.q[j] / p;
            s.first[j].add(-e.share * r);
            for (std::int64_t l = 0; l <= j; ++l) s.second[j * kMembers + l].add(e.share * r * (e.q[l] / p));
          }
        }
      },
      [](State& into, const State& from) {
        merge<kMembers>(into, from);
        into.finite = into.finite && from.finite;
      });
  return {rounded<kMembers>(all), all.finite};
}

// sum_j w_j g_j = -1 wherever w is, so at the optimum g_j = -1 for members in use and g_j >= -1 for
// the others.
double excess(const MixtureSums& s, std::int64_t j, bool used) {
  const double e = s.first[j] + 1;
  return used ? std::fabs(e) : std::max(0.0, -e);
}

// Newton's direction on the face: the largest weight gives what the others take.
Weights face_direction(const MixtureSums& s, const Weights& w, const std::array<bool, kMembers>& used) {
  std::int64_t pivot = 0;
  for (std::int64_t j = 1; j < kMembers; ++j)
    if (w[j] > w[pivot]) pivot = j;
  const auto h = [&](std::int64_t a, std::int64_t b) {
    return s.second[std::max(a, b) * kMembers + std::min(a, b)];
  };
  std::vector<std::int64_t> moving;
  for (std::int64_t j = 0; j < kMembers; ++j)
    if (used[j] && j != pivot) moving.push_back(j);
  const std::int64_t m = moving.size();
  std::vector<double> a(m * m), d(m);
  double most = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j <= i; ++j)
      a[i * m + j] = h(moving[i], moving[j]) - h(moving[i], pivot) - h(moving[j], pivot) + h(pivot, pivot);
    d[i] = s.first[pivot] - s.first[moving[i]];
    most = std::max(most, a[i * m + i]);
  }
  factor(a, m, most > 0 ? 1e-14 * most : 1.0);
  solve(a, m, d);
  Weights step{};
  for (std::int64_t i = 0; i < m; ++i) {
    step[moving[i]] = d[i];
    step[pivot] -= d[i];
  }
  return step;
}

}  // namespace

MixtureFit fit_mixture(std::span<const MixtureEntry> entries, std::array<double, 3> start, int threads) {
  MixtureFit fit;
  Weights& w = fit.w;
  w = start;
  std::array<bool, kMembers> used{};
  for (std::int64_t j = 0; j < kMembers; ++j) used[j] = w[j] > 0;
  MixtureSums now = evaluate_mixture(entries, w, threads);
  Minimum& best = fit.minimum;
  while (best.iterations < kMixtureIterations) {
    double on = 0, off = 0;
    std::int64_t back = kMembers;
    for (std::int64_t j = 0; j < kMembers; ++j) {
      const double e = excess(now, j, used[j]);
      if (!used[j] && e > off) back = j;
      (used[j] ? on : off) = std::max(used[j] ? on : off, e);
    }
    best.gradient_norm = std::max(on, off);
    if (best.gradient_norm <= kGradientAim) break;
    if (on <= std::max(kGradientAim, 0.1 * off)) used[back] = true;
    ++best.iterations;
    const Weights step = face_direction(now, w, used);
    double slope = 0, longest = 1;
    std::int64_t stops = kMembers;  // the member whose weight reaches 0 first
    for (std::int64_t j = 0; j < kMembers; ++j) {
      slope += now.first[j] * step[j];
      if (!used[j] || step[j] >= 0 || -w[j] / step[j] > longest) continue;
      longest = -w[j] / step[j];
      stops = j;
    }
    const double rounding = 1e-15 * std::max(1.0, now.value);
    bool found = false;
    Weights trial{};
    MixtureSums then;
    double length = longest;
    for (int halving = 0; halving < kMixtureHalvings && !found; ++halving, length /= 2) {
      for (std::int64_t j = 0; j < kMembers; ++j) trial[j] = std::max(0.0, w[j] + length * step[j]);
      if (length == longest && stops < kMembers) trial[stops] = 0;
      then = evaluate_mixture(entries, trial, threads);
      found = then.finite && then.value <= now.value + 1e-4 * length * slope + rounding;
    }
    if (!found) break;
    const bool gained = now.value - then.value > rounding;
    const bool dropped = stops < kMembers && trial[stops] == 0;
    double next = 0;
    if (dropped) used[stops] = false;
    for (std::int64_t j = 0; j < kMembers; ++j) next = std::max(next, excess(then, j, used[j]));
    if (!gained && !dropped && next >= best.gradient_norm) break;
    w = trial;
    now = then;
    best.gradient_norm = next;
  }
  best.value = now.value;
  best.converged = best.gradient_norm <= kGradientTolerance;
  return fit;
}

}  // namespace plumb::detail
