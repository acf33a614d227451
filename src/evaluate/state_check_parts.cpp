#include "evaluate/state_check_parts.hpp"

#include <algorithm>

namespace plumb::detail {
namespace {

constexpr std::uint64_t kMostTimes = 64;  // no unit is drawn so often: the numbers are Poisson(1)

bool order_fits(const EvaluateState& s, const OrderSums& o) {
  const auto full = [&](const std::vector<ShareBin>& bins) {
    return (bins.empty() || bins.size() == o.tables.size()) &&
           std::all_of(bins.begin(), bins.end(), possible_share);
  };
  const BinEdges even{s.bins, true, {}};
  return o.order >= 1 && !o.key.empty() && !o.tables.edges.empty() &&
         std::all_of(o.tables.edges.begin(), o.tables.edges.end(),
                     [&](const BinEdges& e) { return e == even; }) &&
         countable(o.tables.left_out) && full(o.tables.single) && full(o.tables.several);
}

bool ordered_fits(const EvaluateState& s, const OrderedSums& o) {
  const double most = s.classes;  // distances are sums over fewer thresholds, none above 1
  const auto table = [&](const ReliabilityTable& t) {
    return t.edges == BinEdges{s.bins, true, {}} && t.bins.size() == static_cast<std::size_t>(s.bins) &&
           std::all_of(t.bins.begin(), t.bins.end(), possible_bin);
  };
  return s.classes > 2 && o.items <= s.items && countable(o.votes) && possible_weight(o.vote_weight) &&
         possible_weight(o.item_weight) && possible_weight(o.pair_weight) &&
         within(o.rps, o.vote_weight, most) && within(o.emd, o.item_weight, most) &&
         within(o.plugin, o.item_weight, most) && within(o.squared, o.pair_weight, most) &&
         o.thresholds.size() + 1 == static_cast<std::size_t>(s.classes) &&
         std::all_of(o.thresholds.begin(), o.thresholds.end(), table);
}

/// By forecast of the column, the ladder's votes; empty if the column does not stand on the ladder.
std::vector<std::uint64_t> votes_of(const ColumnDraws& c, const LadderParts& parts) {
  if (c.exact) return parts.exact && parts.p == c.p ? parts.votes : std::vector<std::uint64_t>{};
  std::vector<std::uint64_t> out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.rung.size(); ++i) {
    const std::uint32_t step = step_of(parts.rung[i]);
    if (i == 0 || step != step_of(parts.rung[i - 1])) {
      if (at == c.step.size() || c.step[at++] != step) return {};
      out.push_back(0);
    }
    out.back() += parts.rung_votes[i];
  }
  return out;
}

}  // namespace

bool possible_bin(const Bin& b) {
  const double w = b.w.value();
  return countable(b.items, b.votes) && possible_weight(b.w) && within(b.wp, b.w, 1) &&
         within(b.wy, b.w, 2) && b.ww.value() >= 0 && b.ww.value() <= w * w * (1 + 1e-9) &&
         within(b.wwyy, b.ww, 4);
}

bool possible_share(const ShareBin& b) {
  const double w = b.w.value();
  return countable(b.items, b.votes) && possible_weight(b.w) && within(b.wp, b.w, 1) &&
         within(b.wmu, b.w, 1) && within(b.wsq, b.w, 2) && within(b.wmm, b.w, 1) && within(b.wg, b.w, 1) &&
         b.ww.value() >= 0 && b.ww.value() <= w * w * (1 + 1e-9) && within(b.wwmm, b.ww, 1);
}

bool column_fits(const EvaluateState& s, const StateReplicates& r) {
  const ColumnDraws& c = r.column;
  const auto n = static_cast<std::size_t>(r.count);
  const std::size_t cells = c.size() * n;
  const bool with_null = c.kept && r.has_null && !r.signs;
  if ((c.exact ? !c.step.empty() : !c.p.empty()) || c.votes.size() != cells || c.hits.size() != cells ||
      c.null_hits.size() != (with_null ? cells : 0))
    return false;
  if (!c.kept) return cells == 0;
  if (!s.ladder || c.p.size() > ColumnDraws::kMostDistinct) return false;
  const LadderParts parts = s.ladder->parts();
  if (!c.exact && parts.exact && parts.p.size() <= ColumnDraws::kMostDistinct) return false;
  const std::vector<std::uint64_t> votes = votes_of(c, parts);
  if (votes.size() != c.size()) return false;
  for (std::size_t i = 0; i < cells; ++i)
    if (c.hits[i] > c.votes[i] || !countable(c.votes[i]) || c.votes[i] / kMostTimes > votes[i / n] ||
        (with_null && c.null_hits[i] > votes[i / n]))
      return false;
  for (std::size_t b = 0; b < n; ++b) {
    std::uint64_t all = 0;  // of parts that are countable each: no overflow
    for (std::size_t at = b; at < cells; at += n) all += c.votes[at];
    if (!countable(all)) return false;
  }
  return true;
}

bool votes_fit(const EvaluateState& s) {
  return std::all_of(s.orders.begin(), s.orders.end(),
                     [&](const OrderSums& o) { return order_fits(s, o); }) &&
         (!s.ordered || ordered_fits(s, *s.ordered));
}

}  // namespace plumb::detail
