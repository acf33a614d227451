// Whether a state that was read can be one of ours: a file may be well-formed, with the right checksum, and
// still hold numbers that no data have.
#include <algorithm>
#include <cmath>

#include "evaluate/kernel.hpp"
#include "evaluate/replicate_scores.hpp"
#include "evaluate/state_parts.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb::detail {
namespace {

template <class... Counts>
bool countable(const Counts&... counts) {
  return (... && (counts <= kMostStateVotes));
}

/// Whether sums of parts are no larger than their weights allow, and these small enough for products of two.
bool possible(const StreamSums& x) {
  constexpr double kRounding = 1 + 1e-9, kMostLoss = 1e4;  // of a vote: -log of the smallest double is 745
  constexpr double kMostWeight = 0x1p60;
  const auto within = [&](const ExactSum& sum, const ExactSum& weight, double times) {
    return std::abs(sum.value()) <= times * weight.value() * kRounding;
  };
  const auto weight = [](const ExactSum& sum) { return sum.value() >= 0 && sum.value() <= kMostWeight; };
  const auto bin = [&](const Bin& b) {
    const double w = b.w.value();
    return countable(b.items, b.votes) && weight(b.w) && within(b.wp, b.w, 1) && within(b.wy, b.w, 2) &&
           b.ww.value() >= 0 && b.ww.value() <= w * w * kRounding && within(b.wwyy, b.ww, 4);
  };
  const auto share = [&](const ShareBin& b) {
    const double w = b.w.value();
    return countable(b.items, b.votes) && weight(b.w) && within(b.wp, b.w, 1) && within(b.wmu, b.w, 1) &&
           within(b.wsq, b.w, 2) && within(b.wmm, b.w, 1) && within(b.wg, b.w, 1) && b.ww.value() >= 0 &&
           b.ww.value() <= w * w * kRounding && within(b.wwmm, b.ww, 1);
  };
  const auto all = [](const auto& list, const auto& holds) {
    return std::all_of(list.begin(), list.end(), holds);
  };
  const auto shares = [&](const ShareTables& t) {
    return countable(t.left_out) && all(t.single, share) && all(t.several, share);
  };
  const ProperScores& p = x.scores;
  const Agreement& a = x.agreement;
  return all(x.event.bins, bin) &&
         all(x.by_class, [&](const ReliabilityTable& t) { return all(t.bins, bin); }) &&
         shares(x.histogram) && shares(x.disagreement) &&
         countable(p.items, p.unvoted, p.votes, p.zero, p.clipped, p.kl_bad, x.event_log.votes,
                   x.event_log.zero, x.event_log.clipped, a.items, a.count) &&
         weight(p.item_weight) && weight(p.vote_weight) && weight(p.truth_weight) &&
         within(p.correct, p.item_weight, 1) && within(p.agree, p.vote_weight, 1) &&
         within(p.nll, p.vote_weight, kMostLoss) && within(p.brier, p.vote_weight, 4) &&
         within(p.mse_p, p.truth_weight, 1) && within(p.kl_p, p.truth_weight, kMostLoss) &&
         weight(x.event_log.weight) && within(x.event_log.loss, x.event_log.weight, kMostLoss) &&
         weight(a.weight) && weight(a.votes) && all(a.cls, [&](const AgreementClass& c) {
           return within(c.wmu, a.weight, 1) && within(c.wg, a.weight, 1) && within(c.wy, a.votes, 1) &&
                  within(c.wo, a.votes, 1);
         });
}

/// Sums of a replicate with the products that are kept, and no others.
bool replicate_fits(const EvaluateState& s, const StreamSums& x, ProductSet products) {
  const BinEdges edges{s.bins, true, {}};
  const auto k = static_cast<std::size_t>(s.classes);
  const auto table = [&](const ReliabilityTable& t) {
    return t.edges == edges && t.bins.size() == static_cast<std::size_t>(s.bins);
  };
  const auto shares = [](const ShareTables& t, const std::vector<BinEdges>& wanted) {
    const auto full = [&](const std::vector<ShareBin>& c) { return c.empty() || c.size() == t.size(); };
    return t.edges == wanted && full(t.single) && full(t.several);
  };
  for (const ReliabilityTable& t : x.by_class)
    if (!table(t)) return false;
  const auto edges_of = [&](Product product, const std::vector<BinEdges>& all) {
    return products.has(product) ? all : std::vector<BinEdges>{};
  };
  return table(x.event) && x.by_class.size() == (products.has(Product::class_tables) ? k : 0) &&
         shares(x.histogram, edges_of(Product::histogram, classwise_edges(s.classes, edges))) &&
         shares(x.disagreement, edges_of(Product::disagreement, disagreement_edges(s.classes, edges))) &&
         x.agreement.cls.size() == (products.has(Product::agreement) ? k : 0);
}

bool replicates_fit(const EvaluateState& s, const StateReplicates& r) {
  const auto n = static_cast<std::size_t>(std::max(r.count, 0));
  if (r.count < 1 || r.count > 1'000'000 || r.unit < 0 || r.unit > static_cast<int>(UnitName::row))
    return false;
  if (r.boot.size() != n || r.null.size() != (r.has_null ? n : 0) || (r.signs && !r.has_null)) return false;
  const ProductSet products = replicate_products(s.classes);
  for (const StreamSums& x : r.boot)
    if (!replicate_fits(s, x, products) || !possible(x)) return false;
  for (const StreamSums& x : r.null)
    if (!replicate_fits(s, x, null_products(r.signs, products)) || !possible(x)) return false;
  for (const auto& [unit, votes] : r.units.by_unit)
    if (!(votes.value() > 0)) return false;
  const ColumnDraws& c = r.column;
  const std::size_t cells = c.p.size() * n;
  const bool with_null = c.kept && r.has_null && !r.signs;
  if (c.p.size() > ColumnDraws::kMostDistinct || c.votes.size() != cells || c.hits.size() != cells ||
      c.null_hits.size() != (with_null ? cells : 0) || (!c.kept && cells > 0))
    return false;
  for (std::size_t i = 0; i < cells; ++i)
    if (c.hits[i] > c.votes[i]) return false;
  for (std::size_t i = 0; i < c.p.size(); ++i)
    if (!(c.p[i] >= 0 && c.p[i] <= 1) || (i > 0 && !(c.p[i - 1] < c.p[i]))) return false;
  if (!c.kept) return true;
  // The forecasts of the ladder, each with room for its redrawn hits.
  if (!s.ladder || !s.ladder->exact()) return false;
  const LadderParts parts = s.ladder->parts();
  if (parts.p != c.p) return false;
  for (std::size_t i = 0; with_null && i < cells; ++i)
    if (c.null_hits[i] > parts.votes[i / n]) return false;
  return true;
}

}  // namespace

bool consistent(const EvaluateState& s) {
  const auto fits = [&](const StreamSums& x) {
    const auto table = [&](const ReliabilityTable& t) {
      return t.edges == BinEdges{s.bins, true, {}} && t.bins.size() == static_cast<std::size_t>(s.bins);
    };
    if (!table(x.event) || x.by_class.size() != static_cast<std::size_t>(s.classes)) return false;
    for (const ReliabilityTable& t : x.by_class)
      if (!table(t)) return false;
    const auto shares = [](const ShareTables& t, const std::vector<BinEdges>& edges) {
      const auto full = [&](const std::vector<ShareBin>& c) { return c.empty() || c.size() == t.size(); };
      return t.edges == edges && full(t.single) && full(t.several);
    };
    const BinEdges edges{s.bins, true, {}};
    return shares(x.histogram, classwise_edges(s.classes, edges)) &&
           shares(x.disagreement, disagreement_edges(s.classes, edges)) &&
           x.agreement.cls.size() == static_cast<std::size_t>(s.classes);
  };
  const auto kernel = [](double bandwidth, const BetaSums& k) {
    if (bandwidth == 0) return k == BetaSums();
    if (!(bandwidth >= kSmallestBandwidth && bandwidth <= kLargestBandwidth)) return false;
    const BetaBoxes boxes = detail::kernel_boxes(bandwidth);
    const std::size_t moments = BetaSums(boxes).moments.w.size();
    return k.boxes == boxes && k.moments.w.size() == moments && k.moments.wy.size() == moments;
  };
  return kernel(s.bandwidth, s.kernel) && s.classes >= 2 && s.bins >= 1 && s.clip >= 0 && s.clip < 0.5 &&
         s.ties >= 0 && s.ties <= static_cast<std::int32_t>(Ties::random) &&
         (s.class_names.empty() || s.class_names.size() == static_cast<std::size_t>(s.classes)) &&
         countable(s.items, s.tied) && fits(s.votes) && fits(s.consensus) && possible(s.votes) &&
         possible(s.consensus) && countable(s.votes.event.total().votes) &&
         (!s.ladder || s.ladder->votes() == s.votes.event.total().votes) &&
         (!s.replicates || replicates_fit(s, *s.replicates)) &&
         (!s.ids || (s.ids->size() == s.items && std::is_sorted(s.ids->begin(), s.ids->end())));
}

}  // namespace plumb::detail
