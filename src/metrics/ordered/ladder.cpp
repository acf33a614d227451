#include "plumb/metrics/ordered/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb {
namespace {

constexpr int kGrid = 2 * Ladder::kReach * Ladder::kSteps;
constexpr std::uint64_t kMostVotes = std::uint64_t{1} << 30;  // of one forecast: integer sums of squares hold

std::size_t rung_of(double p, double log_p, double log_q) {
  if (p == 0) return 0;
  if (p == 1) return kGrid + 1;
  const double at = std::floor((log_p - log_q + Ladder::kReach) * Ladder::kSteps);
  return 1 + static_cast<std::size_t>(std::clamp(at, 0.0, kGrid - 1.0));
}

void append(Forecasts& out, double p, std::uint64_t votes, std::uint64_t hits) {
  while (votes > 0) {
    const std::uint64_t n = std::min(votes, kMostVotes), h = std::min(hits, n);
    out.p.push_back(p);
    out.trials.push_back(static_cast<double>(n));
    out.hits.push_back(static_cast<double>(h));
    votes -= n;
    hits -= h;
  }
}

}  // namespace

Ladder::Ladder(std::size_t most_distinct) : most_distinct_(most_distinct), rung_(kGrid + 2) {}

void Ladder::add_exact(double p, std::uint64_t votes, std::uint64_t hits) {
  Count& c = distinct_[p + 0.0];  // -0 is 0
  c.votes += votes;
  c.hits += hits;
  if (distinct_.size() <= most_distinct_) return;
  exact_ = false;
  distinct_ = {};
}

void Ladder::add(const ForecastsView& f) {
  if (!f.weight.empty() || !f.times.empty() || !f.whole_counts)
    throw std::invalid_argument("a ladder counts whole votes of weight one");
  const std::size_t n = f.size();
  log_p_.resize(n);
  log_q_.resize(n);
  for (std::size_t i = 0; i < n; ++i) log_q_[i] = 1 - f.p[i];
  log_block(f.p, log_p_);
  log_block(log_q_, log_q_);
  for (std::size_t i = 0; i < n; ++i) {
    const auto votes = static_cast<std::uint64_t>(f.trials_of(i)),
               hits = static_cast<std::uint64_t>(f.hits[i]);
    if (votes == 0) continue;
    Rung& r = rung_[rung_of(f.p[i], log_p_[i], log_q_[i])];
    r.votes += votes;
    r.hits += hits;
    r.p += uint128{static_cast<std::uint64_t>(to_fixed(f.p[i]))} * votes;
    if (exact_) add_exact(f.p[i], votes, hits);
  }
}

void Ladder::merge(const Ladder& other) {
  for (std::size_t i = 0; i < rung_.size(); ++i) {
    rung_[i].votes += other.rung_[i].votes;
    rung_[i].hits += other.rung_[i].hits;
    rung_[i].p += other.rung_[i].p;
  }
  if (!other.exact_) {
    exact_ = false;
    distinct_ = {};
  }
  for (auto at = other.distinct_.begin(); exact_ && at != other.distinct_.end(); ++at)
    add_exact(at->first, at->second.votes, at->second.hits);
}

Forecasts Ladder::column() const {
  Forecasts out;
  if (exact_) {
    std::vector<std::pair<double, Count>> all(distinct_.begin(), distinct_.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [p, c] : all) append(out, p, c.votes, c.hits);
    return out;
  }
  for (const Rung& r : rung_)
    if (r.votes > 0)
      append(out, static_cast<double>(r.p) / static_cast<double>(r.votes) / kFixedOne, r.votes, r.hits);
  return out;
}

LadderBounds Ladder::bounds() const {
  LadderBounds out;
  if (exact_) return out;
  double votes = 0, hits = 0, shared = 0, turn = 0;
  for (std::size_t i = 0; i < rung_.size(); ++i) {
    const Rung& r = rung_[i];
    const double n = static_cast<double>(r.votes), h = static_cast<double>(r.hits);
    votes += n;
    hits += h;
    if (i == 0 || i == rung_.size() - 1 || r.votes == 0) continue;  // p of 0 and 1 are exact
    const double low = i == 1 ? 0 : logistic(static_cast<double>(i - 1) / kSteps - kReach);
    const double high = i == kGrid ? 1 : logistic(static_cast<double>(i) / kSteps - kReach);
    out.p = std::max(out.p, high - low);
    shared += h * (n - h);
    turn = std::max({turn, h * (1 - low), (n - h) * high});
  }
  const double pairs = hits * (votes - hits);
  if (pairs > 0) out.auroc = shared / pairs / 2;
  if (votes > 0) out.ks = turn / votes;
  return out;
}

}  // namespace plumb
