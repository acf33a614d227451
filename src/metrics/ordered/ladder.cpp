#include "plumb/metrics/ordered/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

constexpr int kGrid = 2 * Ladder::kReach * Ladder::kSteps;
constexpr std::uint64_t kMostVotes = std::uint64_t{1} << 30;  // of one forecast: integer sums of squares hold

/// Votes and hits of so many items alike, added up without an overflow.
struct Counted {
  uint128 votes = 0, hits = 0;
  void add(std::uint64_t items, std::uint64_t votes_each, std::uint64_t hits_each) {
    votes += uint128{items} * votes_each;
    hits += uint128{items} * hits_each;
  }
  friend bool operator==(const Counted&, const Counted&) = default;
};

std::vector<std::pair<double, VoteCount>> ascending(const DistinctCounts& counts) {
  std::vector<std::pair<double, VoteCount>> out;
  counts.each([&](double p, const VoteCount& c) { out.emplace_back(p, c); });
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

}  // namespace

void append_votes(Forecasts& out, double p, std::uint64_t votes, std::uint64_t hits) {
  while (votes > 0) {
    const std::uint64_t n = std::min(votes, kMostVotes), h = std::min(hits, n);
    out.p.push_back(p);
    out.trials.push_back(static_cast<double>(n));
    out.hits.push_back(static_cast<double>(h));
    votes -= n;
    hits -= h;
  }
}

Ladder::Ladder(std::size_t most_distinct) : most_distinct_(most_distinct) {}

/// Half a megabyte, once there is a vote.
void Ladder::make_rungs() {
  if (rung_.empty()) rung_.resize(kGrid + 2);
}

void Ladder::add_exact(double p, std::uint64_t votes, std::uint64_t hits) {
  VoteCount& c = distinct_[p + 0.0];  // -0 is 0
  c.votes += votes;
  c.hits += hits;
  if (distinct_.size() > most_distinct_) to_grid();
}

void Ladder::to_grid() {
  exact_ = false;
  distinct_.clear();
}

std::span<const std::uint32_t> RungFinder::find(std::span<const double> p) {
  const std::size_t n = p.size();
  log_p_.resize(n);
  log_q_.resize(n);
  found_.resize(n);
  for (std::size_t i = 0; i < n; ++i) log_q_[i] = 1 - p[i];
  log_block(p, log_p_);
  log_block(log_q_, log_q_);
  constexpr double kTop = kGrid + 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double at = (log_p_[i] - log_q_[i] + Ladder::kReach) * Ladder::kSteps + 1;
    // Without branches, for the compiler's vectors; at p = 0 and 1 the logarithms are infinite.
    const double inside = std::min(std::max(at, 1.0), kTop - 1);
    const double rung = p[i] > 0 ? (p[i] < 1 ? inside : kTop) : 0;
    found_[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(rung));
  }
  return found_;
}

std::span<const std::uint32_t> Ladder::find_rungs(std::span<const double> p) {
  make_rungs();
  return finder_.find(p);
}

void Ladder::add_at(std::uint32_t rung, double p, std::uint64_t votes, std::uint64_t hits) {
  Rung& r = rung_[rung];
  r.votes += votes;
  r.hits += hits;
  r.p += uint128{static_cast<std::uint64_t>(to_fixed(p))} * votes;
  if (exact_) add_exact(p, votes, hits);
}

void Ladder::add(const ForecastsView& f) {
  if (!f.weight.empty() || !f.times.empty() || !f.whole_counts)
    throw std::invalid_argument("a ladder counts whole votes of weight one");
  const std::span<const std::uint32_t> found = find_rungs(f.p);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto votes = static_cast<std::uint64_t>(f.trials_of(i)),
               hits = static_cast<std::uint64_t>(f.hits[i]);
    if (votes == 0) continue;
    add_at(found[i], f.p[i], votes, hits);
    kinds_.add(f.p[i], narrow<std::uint32_t>(votes), narrow<std::uint32_t>(hits));
  }
}

void Ladder::add(std::span<const double> p, std::uint64_t votes, std::uint64_t hits) {
  if (votes == 0) return;
  const std::span<const std::uint32_t> found = find_rungs(p);
  for (std::size_t i = 0; i < p.size(); ++i) add_at(found[i], p[i], votes, hits);
  kinds_.add(p, narrow<std::uint32_t>(votes), narrow<std::uint32_t>(hits));
}

void Ladder::merge(const Ladder& other) {
  kinds_.merge(other.kinds_);
  if (!other.rung_.empty()) make_rungs();
  for (std::size_t i = 0; i < other.rung_.size(); ++i) {
    rung_[i].votes += other.rung_[i].votes;
    rung_[i].hits += other.rung_[i].hits;
    rung_[i].p += other.rung_[i].p;
  }
  if (!other.exact_) to_grid();
  if (!exact_) return;
  other.distinct_.each([&](double p, const VoteCount& c) {
    if (exact_) add_exact(p, c.votes, c.hits);
  });
}

void Ladder::add_as(const Ladder& misses, std::uint64_t votes, std::uint64_t hits) {
  if (votes == 0) return;
  kinds_.add_as(misses.kinds_, narrow<std::uint32_t>(votes), narrow<std::uint32_t>(hits));
  if (!misses.rung_.empty()) make_rungs();
  for (std::size_t i = 0; i < misses.rung_.size(); ++i) {
    const Rung& from = misses.rung_[i];
    if (from.votes == 0) continue;
    rung_[i].votes += from.votes * votes;
    rung_[i].hits += from.votes * hits;
    rung_[i].p += from.p * votes;
  }
  if (!misses.exact_) to_grid();
  if (!exact_) return;
  misses.distinct_.each([&](double p, const VoteCount& c) {
    if (exact_) add_exact(p, c.votes * votes, c.votes * hits);
  });
}

Ladder Ladder::in_lowest_terms() const {
  std::uint32_t unit = 0;
  const std::vector<ItemKind> kinds = kinds_.sorted();
  for (const ItemKind& kind : kinds) unit = std::gcd(unit, std::gcd(kind.votes, kind.hits));
  if (unit <= 1) return *this;
  LadderParts out = parts();
  for (ItemKind& kind : out.kinds) {
    kind.votes /= unit;
    kind.hits /= unit;
  }
  for (auto* counts : {&out.rung_votes, &out.rung_hits, &out.votes, &out.hits})
    for (std::uint64_t& n : *counts) n /= unit;
  for (std::size_t i = 0; i < out.rung.size(); ++i) {
    const uint128 p = (uint128{out.rung_p_high[i]} << 64 | out.rung_p_low[i]) / unit;
    out.rung_p_low[i] = static_cast<std::uint64_t>(p);
    out.rung_p_high[i] = static_cast<std::uint64_t>(p >> 64);
  }
  Ladder lowest = from_parts(out);
  lowest.most_distinct_ = most_distinct_;
  return lowest;
}

bool Ladder::single_votes() const {
  const std::vector<ItemKind> kinds = kinds_.sorted();
  return std::all_of(kinds.begin(), kinds.end(), [](const ItemKind& k) { return k.votes == 1; });
}

std::uint64_t Ladder::votes() const {
  std::uint64_t sum = 0;
  for (const Rung& r : rung_) sum += r.votes;
  return sum;
}

Forecasts Ladder::column() const {
  Forecasts out;
  if (exact_) {
    for (const auto& [p, c] : ascending(distinct_)) append_votes(out, p, c.votes, c.hits);
    return out;
  }
  return column_of(rungs());
}

Forecasts column_of(std::span<const LadderRung> rungs) {
  Forecasts out;
  for (const LadderRung& r : rungs)
    append_votes(out, r.p, static_cast<std::uint64_t>(r.votes), static_cast<std::uint64_t>(r.hits));
  return out;
}

/// Between which forecasts a rung of the grid lies.
std::pair<double, double> Ladder::ends(std::size_t rung) {
  const double low = rung == 1 ? 0 : logistic(static_cast<double>(rung - 1) / kSteps - kReach);
  const double high = rung == kGrid ? 1 : logistic(static_cast<double>(rung) / kSteps - kReach);
  return {low, high};
}

std::vector<LadderRung> Ladder::rungs() const {
  std::vector<LadderRung> out;
  for (std::size_t i = 0; i < rung_.size(); ++i) {
    const Rung& r = rung_[i];
    if (r.votes == 0) continue;
    const double n = static_cast<double>(r.votes), p = static_cast<double>(r.p) / n / kFixedOne;
    const bool at_end = i == 0 || i == rung_.size() - 1;  // p of 0 and 1 are exact
    const auto [low, high] = at_end ? std::pair(p, p) : ends(i);
    out.push_back({low, high, p, n, static_cast<double>(r.hits), narrow<std::uint32_t>(i)});
  }
  return out;
}

std::vector<LadderRung> Ladder::steps(int together) const {
  std::vector<LadderRung> out;
  std::vector<uint128> sum;
  const auto step = static_cast<std::size_t>(together);
  for (std::size_t i = 0; i < rung_.size(); ++i) {
    const Rung& r = rung_[i];
    if (r.votes == 0) continue;
    const bool at_end = i == 0 || i == rung_.size() - 1;
    const std::pair<double, double> end =
        at_end ? std::pair(i == 0 ? 0.0 : 1.0, i == 0 ? 0.0 : 1.0) : ends(i);
    const auto number = narrow<std::uint32_t>((i + step - 1) / step);
    if (out.empty() || out.back().index != number) {
      out.push_back({end.first, end.second, 0, 0, 0, number});
      sum.push_back(0);
    }
    LadderRung& to = out.back();
    to.high = end.second;
    to.votes += static_cast<double>(r.votes);
    to.hits += static_cast<double>(r.hits);
    sum.back() += r.p;
    to.p = static_cast<double>(sum.back()) / to.votes / kFixedOne;
  }
  return out;
}

LadderParts Ladder::parts() const {
  LadderParts out;
  out.exact = exact_;
  out.kinds = kinds_.sorted();
  for (std::size_t i = 0; i < rung_.size(); ++i) {
    const Rung& r = rung_[i];
    if (r.votes == 0) continue;
    out.rung.push_back(i);
    out.rung_votes.push_back(r.votes);
    out.rung_hits.push_back(r.hits);
    out.rung_p_low.push_back(static_cast<std::uint64_t>(r.p));
    out.rung_p_high.push_back(static_cast<std::uint64_t>(r.p >> 64));
  }
  for (const auto& [p, c] : ascending(distinct_)) {
    out.p.push_back(p);
    out.votes.push_back(c.votes);
    out.hits.push_back(c.hits);
  }
  return out;
}

Ladder Ladder::from_parts(const LadderParts& parts) {
  const auto require = [](bool holds) {
    if (!holds) throw std::invalid_argument("these are not the parts of a ladder");
  };
  const std::size_t rungs = parts.rung.size(), distinct = parts.p.size();
  for (const auto* column : {&parts.rung_votes, &parts.rung_hits, &parts.rung_p_low, &parts.rung_p_high})
    require(column->size() == rungs);
  require(parts.votes.size() == distinct && parts.hits.size() == distinct);
  require(distinct <= kMostDistinct && (parts.exact || distinct == 0));
  Ladder out;
  out.exact_ = parts.exact;
  // The same votes are counted by rung, by kind of item and, while it is exact, by forecast.
  Counted by_rung, by_kind, by_forecast;
  if (rungs > 0) out.make_rungs();
  for (std::size_t i = 0; i < rungs; ++i) {
    require(parts.rung[i] < out.rung_.size() && (i == 0 || parts.rung[i - 1] < parts.rung[i]) &&
            parts.rung_hits[i] <= parts.rung_votes[i]);
    Rung& r = out.rung_[parts.rung[i]];
    r.votes = parts.rung_votes[i];
    r.hits = parts.rung_hits[i];
    r.p = uint128{parts.rung_p_high[i]} << 64 | parts.rung_p_low[i];
    require(r.p <= static_cast<uint128>(kFixedOne) * r.votes);
    by_rung.add(1, r.votes, r.hits);
  }
  for (const ItemKind& kind : parts.kinds) {
    out.kinds_.add(kind);
    by_kind.add(kind.items, kind.votes, kind.hits);
  }
  for (std::size_t i = 0; i < distinct; ++i) {
    require(parts.p[i] >= 0 && parts.p[i] <= 1 && (i == 0 || parts.p[i - 1] < parts.p[i]) &&
            parts.hits[i] <= parts.votes[i]);
    if (parts.votes[i] > 0) out.distinct_[parts.p[i] + 0.0] = {parts.votes[i], parts.hits[i]};
    by_forecast.add(1, parts.votes[i], parts.hits[i]);
  }
  require(by_rung == by_kind && (!parts.exact || by_forecast == by_rung));
  return out;
}

}  // namespace plumb
