#include "plumb/metrics/ordered/ladder_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/metrics/kernel/mmce.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

constexpr double kPi = 3.14159265358979323846;

double misses_of(const LadderRung& r) { return r.votes - r.hits; }
double width_of(const LadderRung& r) { return r.high - r.low; }
/// The largest sum of residuals of one sign: no partial sum of the rung is further from 0.
double turn_of(const LadderRung& r) { return std::max(r.hits * (1 - r.low), misses_of(r) * r.high); }
/// Sum of squares of the outcomes about their mean.
double outcome_squares(const LadderRung& r) { return r.votes > 0 ? r.hits * misses_of(r) / r.votes : 0; }

/// |F^2| of the running sum and of the rest above it, from R and with F at most `turn`.
double square_moved(double before, double after, double turn) {
  return turn * (2 * std::max(std::fabs(before), std::fabs(after)) + turn);
}

struct Totals {
  double votes = 0, hits = 0, residual = 0;
};

Totals totals_of(std::span<const LadderRung> rungs) {
  Totals t;
  for (const LadderRung& r : rungs) {
    t.votes += r.votes;
    t.hits += r.hits;
    t.residual += r.hits - r.votes * r.p;
  }
  return t;
}

/// Of hits ranked first, from the greatest p down.
double auprc_bound(std::span<const LadderRung> rungs, double all_hits) {
  double votes = 0, hits = 0, moved = 0;
  for (std::size_t i = rungs.size(); i-- > 0;) {
    const LadderRung& r = rungs[i];
    if (r.hits > 0 && width_of(r) > 0) {
      const double misses = misses_of(r);
      const double read = (hits + r.hits) / (votes + r.votes);
      const double low = (hits + 1) / (votes + misses + 1);  // misses first: the first hit is worst off
      const double high = (hits + r.hits) / (votes + r.hits);
      moved += r.hits * std::max(high - read, read - low);
    }
    votes += r.votes;
    hits += r.hits;
  }
  return moved / all_hits;
}

/// Rungs of one confidence.
struct Level {
  double low = 0, high = 0, votes = 0, right = 0, turn = 0;
  double swap_right = 0, swap_wrong = 0;  ///< votes that may be right where they are read as wrong, and back
  bool exact = true;
};

/// Above this confidence 1 - p has fewer digits than the grid has rungs: all of it is one level.
constexpr double kNearOne = 1 - 3e-14;

void join(const LadderRung& r, bool mirrored, Level& to) {
  const bool other = mirrored && r.p < 0.5;  // the event is that class 0 is right
  const double low = other ? 1 - r.high : r.low, high = other ? 1 - r.low : r.high;
  to.low = to.votes > 0 ? std::min(to.low, low) : low;
  to.high = to.votes > 0 ? std::max(to.high, high) : high;
  to.votes += r.votes;
  to.right += other ? misses_of(r) : r.hits;
  to.turn += turn_of(r);
  to.exact = to.exact && width_of(r) == 0;
  if (!mirrored || r.low > 0.5 || r.high <= 0.5) return;
  to.swap_right += misses_of(r);
  to.swap_wrong += r.hits;
}

/// From the least confident up. Rungs of the grid are mirror images of each other, so that rung i from 0.5 up
/// and rung i from 0.5 down are one level.
std::vector<Level> levels_of(std::span<const LadderRung> rungs, bool mirrored) {
  std::vector<Level> out;
  std::size_t below = static_cast<std::size_t>(
      std::partition_point(rungs.begin(), rungs.end(), [](const LadderRung& r) { return r.p < 0.5; }) -
      rungs.begin());
  if (!mirrored) below = 0;
  std::size_t above = below;
  const auto confidence = [&](const LadderRung& r) { return std::max(r.low, 1 - r.high); };
  while (below > 0 || above < rungs.size()) {
    Level level;
    const double up = above < rungs.size() ? rungs[above].low : 2,
                 down = below > 0 ? 1 - rungs[below - 1].high : 2;
    const double least = std::min(up, down);
    // A hair apart: the ends of mirrored rungs are rounded differently.
    const double same = least > kNearOne ? 2 : least + 1e-13;
    while (above < rungs.size() && (mirrored ? confidence(rungs[above]) : rungs[above].low) <= same) {
      join(rungs[above++], mirrored, level);
      if (!mirrored && least <= kNearOne) break;
    }
    while (below > 0 && confidence(rungs[below - 1]) <= same) join(rungs[--below], mirrored, level);
    out.push_back(level);
  }
  return out;
}

}  // namespace

KeyBounds order_bounds(std::span<const LadderRung> rungs, int bins) {
  const Totals all = totals_of(rungs);
  if (!(all.votes > 0)) return {};
  double before = 0, residual = 0;
  double widest = 0, shared = 0, turn = 0, moved = 0, variation = 0, two_bins = 0, outcome = 0, brier = 0,
         z_top = 0, z_var = 0, z_var_off = 0;
  double z_sum = 0;
  for (const LadderRung& r : rungs) {
    const double n = r.votes, d = width_of(r), misses = misses_of(r), v = outcome_squares(r);
    const double bin = std::floor(bins * before / all.votes), own = r.hits - n * r.p;
    before += n;
    z_sum += own * (1 - 2 * r.p);
    z_var += n * r.p * (1 - r.p) * ((1 - 2 * r.p) * (1 - 2 * r.p));
    if (d > 0) {
      const double t = turn_of(r);
      widest = std::max(widest, d);
      shared += r.hits * misses;
      turn = std::max(turn, t);
      // Where a bin of equal mass ends within a rung, some of its votes belong to the next bin.
      if (bins * before / all.votes > bin + 1) moved += r.hits * (1 - r.low) + misses * r.high;
      variation += d * (t * t);
      two_bins += d * (square_moved(residual, residual + own, t) +
                       square_moved(all.residual - residual, all.residual - residual - own, t));
      outcome = std::max(outcome, v);
      brier += n * (d * d) / 4 + 2 * d * v;
      z_top += 2 * d * v + n * (d * d) / 2;
      z_var_off +=
          1.25 * n * (d * d);  // |(p (1-p) (1-2p)^2)''| <= 10, and (p - mean)^2 <= d^2 / 4 on average
    }
    residual += own;
  }
  KeyBounds out{{"p", widest}};
  if (const double pairs = all.hits * (all.votes - all.hits); pairs > 0) {
    out.emplace_back("auroc", shared / pairs / 2);
    out.emplace_back("auprc", auprc_bound(rungs, all.hits));
  }
  out.emplace_back("ks", turn / all.votes);
  out.emplace_back("kuiper", 2 * turn / all.votes);
  out.emplace_back("atb", two_bins / (all.votes * all.votes));
  out.emplace_back("ece_mass", 2 * moved / all.votes);
  out.emplace_back("mmce", std::sqrt(2 / kMmceWidth * variation) / all.votes);
  out.emplace_back("unc", 0.0);
  out.emplace_back("dsc", 2 * outcome / all.votes);
  out.emplace_back("mcb", (2 * outcome + brier) / all.votes);
  if (z_var > z_var_off) {
    const double least = std::sqrt(z_var - z_var_off);
    out.emplace_back("spiegelhalter_z",
                     z_top / least + std::fabs(z_sum) * (1 / least - 1 / std::sqrt(z_var)));
  }
  out.emplace_back("calibration_intercept", 1.0 / Ladder::kSteps);
  return out;
}

KeyBounds confidence_bounds(std::span<const LadderRung> rungs, bool mirrored) {
  const std::vector<Level> levels = levels_of(rungs, mirrored);
  const Totals all = totals_of(rungs);
  if (!(all.votes > 0)) return {};
  double votes = 0, wrong = 0, risk = 0, generalised = 0, variation = 0, swapped = 0, swaps = 0;
  for (std::size_t i = levels.size(); i-- > 0;) {
    const Level& l = levels[i];
    const double misses = l.votes - l.right;
    if (!l.exact) {
      const double right = l.right + l.swap_right, most = misses + l.swap_wrong;
      const double least = misses - l.swap_right;
      // The risk at the end of any group within the level.
      const double low = right > 0 ? wrong / (votes + right) : (wrong + 1) / (votes + 1);
      const double high = most > 0 ? (wrong + most) / (votes + most) : wrong / (votes + 1);
      risk += l.votes * (high - low);
      generalised += most * most / 2 + right * most - least * least / 2;
      variation += (l.high - l.low) * (l.turn * l.turn);
      swapped += std::max(l.swap_right, l.swap_wrong);
      swaps += l.swap_right + l.swap_wrong;
    }
    votes += l.votes;
    wrong += misses;
  }
  // The best order depends on the number of misses alone: d/dr (r + (1 - r) log(1 - r)) = -log(1 - r).
  const double most_wrong = std::min(1.0, (wrong + swapped) / all.votes);
  const double ideal =
      swapped > 0 && most_wrong < 1 ? -swapped / all.votes * log_portable(1 - most_wrong) : 0;
  KeyBounds out{{"aurc", risk / all.votes}};
  if (most_wrong < 1 || swapped == 0) out.emplace_back("eaurc", risk / all.votes + ideal);
  out.emplace_back("augrc", generalised / (all.votes * all.votes));
  out.emplace_back("mmce_top", std::sqrt(2 / kMmceWidth * variation) / all.votes + swaps / all.votes);
  return out;
}

KeyBounds smooth_bounds(std::span<const LadderRung> rungs, double sigma) {
  double variation = 0;
  for (const LadderRung& r : rungs) variation += width_of(r) * turn_of(r);
  const Totals all = totals_of(rungs);
  if (!(all.votes > 0) || !(sigma > 0)) return {};
  // |smece_at(s) - that of the votes| <= moved / s.
  const double moved = std::sqrt(2 / kPi) * variation / all.votes;
  const double root = sigma * sigma - 4 * moved;
  const double below = root > 0 ? sigma - (sigma + std::sqrt(root)) / 2 : sigma;
  return {{"smece", std::max(below, moved / sigma)}};
}

}  // namespace plumb
