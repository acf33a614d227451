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

}  // namespace

void VoteCounts::plan(const ForecastsView& f, std::span<const double> correlation) {
  correlation_.assign(correlation.begin(), correlation.end());
  start_.clear();
  if (f.trials.empty()) return;
  start_.resize(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Urn urn{std::min(f.p[i], 1 - f.p[i]), f.trials[i], this->correlation(i)};
    if (urn.n < 2) continue;
    double chance = 1 - urn.a, log_chance = 0;
    for (double j = 1; j < urn.n; ++j) {
      chance *= urn.none_term(j);
      if (chance > kTiny) continue;
      log_chance += log_portable(chance);
      chance = 1;
    }
    start_[i] = {chance, 0};
    if (log_chance == 0) continue;
    // So many votes that the chance of none is not a number: begin where chances are.
    log_chance += log_portable(chance);
    double c = 0;
    for (; log_chance < kNegligible && c + 1 < urn.n; ++c) log_chance += log_portable(urn.ratio(c));
    start_[i] = {exp_portable(log_chance), static_cast<std::uint32_t>(c)};
  }
  mark_many(f);
}

void VoteCounts::mark_many(const ForecastsView& f) {
  constexpr double kLeast = 64, kMost = 1 << 22;  // counts between two marks; marks of all items
  double counts = 0;
  for (std::size_t i = 0; i < f.size(); ++i)
    if (f.trials[i] > detail::kOneByOne) counts += f.trials[i];
  marks_.clear();
  marked_.clear();
  step_ = static_cast<std::uint32_t>(std::max(kLeast, std::ceil(counts / kMost)));
  for (std::size_t i = 0; i < f.size() && counts > 0; ++i) {
    const double n = f.trials[i];
    if (n <= detail::kOneByOne) continue;
    const Urn urn{std::min(f.p[i], 1 - f.p[i]), n, correlation(i)};
    marked_.push_back({static_cast<std::uint32_t>(i), marks_.size(), 0});
    double chance = start_[i].chance, reached = chance;
    std::uint32_t since = 0;
    for (double c = start_[i].count; c < n; ++since) {
      if (since % step_ == 0) marks_.push_back({chance, reached});
      chance *= urn.ratio(c++);
      reached += chance;
    }
    marked_.back().size = marks_.size() - marked_.back().first;
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
                                      [](const Marks& m, std::size_t item) { return m.item < item; });
    const std::span<const Mark> marks = std::span(marks_).subspan(own->first, own->size);
    const auto beyond = std::partition_point(marks.begin(), marks.end(), [&](const Mark& m) {
      return rare ? v > m.reached : v >= m.reached;
    });
    if (beyond != marks.begin()) {
      c += static_cast<double>(beyond - marks.begin() - 1) * step_;
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
