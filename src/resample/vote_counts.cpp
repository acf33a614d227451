#include "plumb/resample/vote_counts.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "resample/many_votes.hpp"

namespace plumb {
namespace {

/// Beta-binomial chances of 0, 1, ... rare outcomes out of n (a <= 1/2 the chance of one): with s = (1 - d)/d
/// P(c + 1) / P(c) = (n - c)/(c + 1) (s a + c) / (s (1 - a) + n - c - 1).
struct Urn {
  double a, n, d;
  [[nodiscard]] double none_term(double j) const { return ((1 - d) * (1 - a) + j * d) / ((1 - d) + j * d); }
  [[nodiscard]] double ratio(double c) const {
    return (n - c) / (c + 1) * ((1 - d) * a + c * d) / ((1 - d) * (1 - a) + (n - c - 1) * d);
  }
};

constexpr double kTiny = 1e-200;
constexpr double kNegligible = -70;  // e^-70: no draw of 2^-53 meets it

VoteStart start_of(const Urn& urn) {
  double chance = 1 - urn.a, log_chance = 0;
  for (double j = 1; j < urn.n; ++j) {
    chance *= urn.none_term(j);
    if (chance > kTiny) continue;
    log_chance += log_portable(chance);
    chance = 1;
  }
  if (log_chance == 0) return {chance, 0};
  // So many votes that the chance of none is not a number: begin where chances are.
  log_chance += log_portable(chance);
  double c = 0;
  for (; log_chance < kNegligible && c + 1 < urn.n; ++c) log_chance += log_portable(urn.ratio(c));
  return {exp_portable(log_chance), static_cast<std::uint32_t>(c)};
}

VoteMarks marks_of(const Urn& urn, double most) {
  constexpr double kLeastStep = 64;
  VoteMarks out;
  out.start = start_of(urn);
  out.step = static_cast<std::uint32_t>(std::max(kLeastStep, std::ceil(urn.n / most)));
  double chance = out.start.chance, reached = chance;
  std::uint32_t since = 0;
  for (double c = out.start.count; c < urn.n && chance > kTiny; ++since) {
    if (since % out.step == 0) out.marks.push_back({chance, reached});
    chance *= urn.ratio(c++);
    reached += chance;
  }
  return out;
}

}  // namespace

std::shared_ptr<const VoteMarks> VoteMarksCache::marks(double a, double n, double d) {
  constexpr std::size_t kManyItems =
      4096;  // with fewer marks each, to bound the memory; results are the same
  constexpr double kFine = 512, kCoarse = 64;
  double most = kFine;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = kept_.find({a, n, d}); at != kept_.end()) return at->second;
    if (kept_.size() > kManyItems) most = kCoarse;
  }
  auto made = std::make_shared<const VoteMarks>(marks_of({a, n, d}, most));
  const std::lock_guard lock(mutex_);
  return kept_.emplace(std::array{a, n, d}, std::move(made)).first->second;
}

void VoteCounts::plan(const ForecastsView& f, std::span<const double> correlation, VoteMarksCache* cache) {
  correlation_.assign(correlation.begin(), correlation.end());
  start_.clear();
  marked_.clear();
  if (f.trials.empty()) return;
  VoteMarksCache own;
  start_.resize(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Urn urn{std::min(f.p[i], 1 - f.p[i]), f.trials[i], this->correlation(i)};
    if (urn.n < 2) continue;
    if (urn.n <= detail::kOneByOne) {
      start_[i] = start_of(urn);
      continue;
    }
    marked_.push_back({i, (cache != nullptr ? *cache : own).marks(urn.a, urn.n, urn.d)});
    start_[i] = marked_.back().marks->start;
  }
}

double VoteCounts::several(double p, double n, std::size_t i, double u) const {
  const bool rare = p <= 0.5;
  const Urn urn{rare ? p : 1 - p, n, correlation(i)};
  double c = start_[i].count, chance = start_[i].chance, reached = chance;
  // Few hits where u is large, few misses where it is small.
  const double v = rare ? 1 - u : u;
  if (n > detail::kOneByOne) {
    // The last mark that is not far enough; from there on the sum is the same as from the start.
    const auto own = std::lower_bound(marked_.begin(), marked_.end(), i,
                                      [](const Marked& m, std::size_t item) { return m.item < item; });
    const std::vector<VoteMarks::Mark>& marks = own->marks->marks;
    const auto beyond = std::partition_point(marks.begin(), marks.end(), [&](const VoteMarks::Mark& m) {
      return rare ? v > m.reached : v >= m.reached;
    });
    if (beyond != marks.begin()) {
      c += static_cast<double>(beyond - marks.begin() - 1) * own->marks->step;
      chance = beyond[-1].chance;
      reached = beyond[-1].reached;
    }
  }
  while (c < n && (rare ? v > reached : v >= reached)) {
    chance *= urn.ratio(c++);
    reached += chance;
  }
  return rare ? c : n - c;
}

void VoteCounts::tails(const ForecastsView& f, std::size_t i, std::vector<double>& out) const {
  const auto n = static_cast<std::size_t>(f.trials_of(i));
  out.assign(n, f.p[i]);
  if (n < 2) return;
  const bool rare = f.p[i] <= 0.5;
  const Urn urn{rare ? f.p[i] : 1 - f.p[i], f.trials[i], correlation(i)};
  double chance = start_[i].chance, reached = 0;  // P(rare outcomes <= c)
  for (std::size_t c = 0; c < n; ++c) {
    if (c >= start_[i].count) {
      reached += chance;
      chance *= urn.ratio(static_cast<double>(c));
    }
    const double below = std::clamp(reached, 0.0, 1.0);
    if (rare) {
      out[c] = 1 - below;  // hits >= c + 1
    } else {
      out[n - c - 1] = below;  // misses <= c: hits >= n - c
    }
  }
}

}  // namespace plumb
