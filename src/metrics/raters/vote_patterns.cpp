#include "metrics/shared/vote_patterns.hpp"

#include <algorithm>
#include <bit>

#include "metrics/raters/pattern_kernels.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_columns.hpp"
#include "plumb/numeric/exact_cut.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb::detail {
namespace {

constexpr std::uint64_t kPatternOffset = std::bit_cast<std::uint64_t>(6755399441055744.0);
constexpr std::size_t kPatternStep = 4096;  // terms that stay in cache

/// The share of class k among the votes.
double share_of(const PatternVotes& votes, std::size_t k) {
  return static_cast<double>(votes.of_class(k)) / static_cast<double>(votes.n);
}

}  // namespace

void PatternSums::merge(const PatternSums& other) {
  for (std::size_t k = 0; k < bins.size(); ++k) {
    for (std::size_t b = 0; b < bins[k].size(); ++b) {
      PatternBin& to = bins[k][b];
      const PatternBin& from = other.bins[k][b];
      to.items += from.items;
      to.p += from.p;
      to.pp += from.pp;
      to.pmu += from.pmu;
    }
    zero[k] += other.zero[k];
    brier[k].merge(other.brier[k]);
    nll[k].merge(other.nll[k]);
  }
  items += other.items;
  predicted += other.predicted;
  p.merge(other.p);
  votes_brier.merge(other.votes_brier);
  votes_nll.merge(other.votes_nll);
}

PatternBuilder::PatternBuilder(const PatternVotes& votes, int bins, bool logs)
    : bins_(bins), logs_(logs), cells_(kPatternCopies * 2 * bins) {
  sums_.votes = votes;
  for (auto& column : sums_.bins) column.resize(bins);
}

void PatternBuilder::add(std::span<const double> p) {
  while (!p.empty()) {
    const std::span<const double> now = p.first(std::min(p.size(), kPatternStep));
    p = p.subspan(now.size());
    const std::size_t most = (now.size() + kPatternCopies - 1) / kPatternCopies;  // to the first table
    if (pending_ + most > kPatternTerms) flush();
    pending_ += most;
    add_pattern(now.data(), now.size(), bins_, share_of(sums_.votes, 0), share_of(sums_.votes, 1),
                cells_.data());
    add_terms_of(now);
  }
}

/// The same operations in the same order as score_terms().
void PatternBuilder::add_terms_of(std::span<const double> p) {
  const std::size_t n = p.size();
  const PatternVotes& votes = sums_.votes;
  sums_.items += n;
  std::int64_t predicted = 0, none = 0, all = 0;
  for (const double x : p) {
    predicted += x > 0.5;
    none += 1 - x == 0;
    all += x == 0;
  }
  sums_.predicted += predicted;
  sums_.zero[0] += none;
  sums_.zero[1] += all;
  add_bounded(sums_.p, p);
  terms_.assign(n, 0.0);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    if (votes.of_class(k) == 0) continue;
    std::vector<double>& square = squares_[k];
    square.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double missing = 1 - (k == 1 ? p[i] : 1 - p[i]);
      square[i] = missing * missing;
    }
    add_bounded(sums_.brier[k], square);
    const double count = votes.of_class(k);
    for (std::size_t i = 0; i < n; ++i) terms_[i] += count * square[i];
  }
  if (votes.n > 1) add_bounded(sums_.votes_brier, terms_, std::bit_width(votes.n - 1));
  if (!logs_) return;
  terms_.assign(n, 0.0);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    if (votes.of_class(k) == 0) continue;
    std::vector<double>& log = log_[k];
    log.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = k == 1 ? p[i] : 1 - p[i];
      log[i] = x == 0 ? 1 : x;  // votes on 0 are counted, not summed
    }
    log_block(log, log);
    add_terms(sums_.nll[k], n, [&](std::size_t i) { return -log[i]; });
    const double count = votes.of_class(k);
    for (std::size_t i = 0; i < n; ++i) terms_[i] -= count * log[i];
  }
  if (votes.n > 1) add_column(sums_.votes_nll, terms_);
}

void PatternBuilder::flush() {
  const auto bins = static_cast<std::size_t>(bins_);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    PatternCell& c = cells_[i];
    if (c.items == 0) continue;
    PatternBin& to = sums_.bins[i / bins % 2][i % bins];
    const std::uint64_t offset = c.items * kPatternOffset;
    to.items += c.items;
    to.p += c.p - offset;
    to.pp += c.pp - offset;
    to.pmu += c.pmu - offset;
    c = {};
  }
  pending_ = 0;
}

PatternSums PatternBuilder::finish() {
  flush();
  if (sums_.votes.n == 1) {
    sums_.votes_brier = sums_.brier[sums_.votes.hits];
    sums_.votes_nll = sums_.nll[sums_.votes.hits];
  }
  PatternSums out = std::move(sums_);
  *this = PatternBuilder(out.votes, bins_, logs_);
  return out;
}

void add_items(const PatternSums& from, std::size_t k, const PatternVotes& votes, ReliabilityTable& to) {
  const std::uint64_t n = votes.n, hits = votes.of_class(k);
  for (std::size_t b = 0; b < to.bins.size(); ++b) {
    const PatternBin& c = from.bins[k][b];
    if (c.items == 0) continue;
    Bin& bin = to.bins[b];
    bin.items += c.items;
    bin.votes += n * c.items;
    bin.w.add_scaled(int128{n} * c.items, 0);
    bin.wp.add_scaled(n * c.p, -kFractionBits);
    bin.wy.add_scaled(int128{hits} * c.items, 0);
    bin.ww.add_scaled(int128{n * n} * c.items, 0);
    bin.wwyy.add_scaled(int128{hits * hits} * c.items, 0);
  }
}

void add_items(const PatternSums& from, const PatternVotes& votes, ShareTables& to) {
  if (from.items == 0) return;
  std::vector<ShareBin>& bins = votes.n == 1 ? to.single : to.several;
  if (bins.empty()) bins.resize(to.size());
  for (std::size_t k = 0; k < from.bins.size(); ++k) {
    const double n = votes.n, y = votes.of_class(k);
    const double mu = y / n, g = n > 1 ? y * (y - 1) / (n * (n - 1)) : 0;
    for (std::size_t b = 0; b < from.bins[k].size(); ++b) {
      const PatternBin& c = from.bins[k][b];
      if (c.items == 0) continue;
      ShareBin& bin = bins[to.first(k) + b];
      const auto add = [&](ExactSum& sum, int128 v) { sum.add_scaled(v, -kFractionBits); };
      const auto times = [&](double x) { return int128{to_fixed(x)} * static_cast<int128>(c.items); };
      bin.items += c.items;
      bin.votes += votes.n * c.items;
      bin.w.add_scaled(c.items, 0);
      bin.ww.add_scaled(c.items, 0);
      add(bin.wp, c.p);
      // p mu is p itself where all votes are for the class, also those of a single rater.
      add(bin.wsq, c.pp - (y == 0 ? 0 : y == n ? 2 * c.p : 2 * c.pmu));
      add(bin.wmu, times(mu));
      add(bin.wmm, times(mu * mu));
      add(bin.wwmm, times(mu * mu));
      add(bin.wg, times(g));
    }
  }
}

void add_items(const PatternSums& from, const PatternVotes& votes, const TiesRule& ties, ProperScores& to) {
  const bool whole = votes.n == from.votes.n;
  std::vector<std::uint32_t> majority;
  for (const std::uint32_t k : {0u, 1u})
    if (2 * votes.of_class(k) >= votes.n) majority.push_back(k);
  const std::array<std::uint64_t, 2> by_top{from.items - from.predicted, from.predicted};
  const auto add_whole = [](ExactSum& sum, std::uint64_t v) { sum.add_scaled(v, 0); };
  to.items += from.items;
  to.votes += votes.n * from.items;
  add_whole(to.vote_weight, votes.n * from.items);
  bool decided = true;
  for (const std::uint32_t k : {0u, 1u}) {
    const double share = majority_share(majority, k, ties, 0);
    decided = decided && share >= 0;
    if (share > 0) to.correct.add_scaled(by_top[k], share == 1 ? 0 : -1);  // a tie of two shares halves
    add_whole(to.agree, votes.of_class(k) * by_top[k]);
    to.zero += votes.of_class(k) * from.zero[k];
  }
  if (decided) add_whole(to.item_weight, from.items);
  to.brier.merge(whole ? from.votes_brier : from.brier[votes.hits]);
  to.nll.merge(whole ? from.votes_nll : from.nll[votes.hits]);
}

}  // namespace plumb::detail
