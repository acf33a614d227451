// Whether a state that was read can be one of ours: a file may be well-formed, with the right checksum, and
// still hold numbers that no data have.
#include <algorithm>

#include "evaluate/kernel.hpp"
#include "evaluate/replicate_scores.hpp"
#include "evaluate/state_check_parts.hpp"
#include "evaluate/state_parts.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb::detail {
namespace {

/// Whether sums of parts are no larger than their weights allow, and these small enough for products of two.
bool possible(const StreamSums& x) {
  constexpr double kMostLoss = 1e4;  // of a vote: -log of the smallest double is 745
  const auto weight = [](const ExactSum& sum) { return possible_weight(sum); };
  const auto bin = possible_bin;
  const auto share = possible_share;
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
  return column_fits(s, r);
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
         (!s.replicates || replicates_fit(s, *s.replicates)) && votes_fit(s) &&
         (!s.ids || (s.ids->size() == s.items && std::is_sorted(s.ids->begin(), s.ids->end())));
}

}  // namespace plumb::detail
