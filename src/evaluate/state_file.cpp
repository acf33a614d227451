// The state of a classification as a file (state_bytes.hpp).
#include <algorithm>
#include <cmath>

#include "evaluate/kernel.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/result/state_bytes.hpp"

namespace plumb {

using detail::fields;

template <class Io>
static void visit(Io& io, BinEdges& c) {
  fields(io, c.bins, c.equal_width, c.thresholds);
}

template <class Io>
static void visit(Io& io, ShareBin& c) {
  fields(io, c.items, c.votes, c.w, c.wp, c.wmu, c.wsq, c.wmm, c.wg, c.ww, c.wwmm);
}

template <class Io>
static void visit(Io& io, ShareTables& t) {
  fields(io, t.edges, t.single, t.several, t.left_out);
}

template <class Io>
static void visit(Io& io, AgreementClass& c) {
  fields(io, c.wmu, c.wg, c.wy, c.wo);
}

template <class Io>
static void visit(Io& io, Agreement& a) {
  fields(io, a.items, a.weight, a.votes, a.cls);
  if (io.format >= 2) {
    fields(io, a.count);
  } else {  // a format that is only read; without weights the sum is the number of votes
    a.count = static_cast<std::uint64_t>(std::llround(std::max(2.0, a.votes.value())));
  }
}

template <class Io>
static void visit(Io& io, EventLogLoss& e) {
  fields(io, e.votes, e.zero, e.clipped, e.weight, e.loss);
}

template <class Io>
static void visit(Io& io, Bin& c) {
  fields(io, c.items, c.votes, c.w, c.wp, c.wy, c.ww, c.wwyy);
}

template <class Io>
static void visit(Io& io, ReliabilityTable& t) {
  fields(io, t.edges, t.bins);
}

template <class Io>
static void visit(Io& io, ProperScores& p) {
  fields(io, p.items, p.unvoted, p.votes, p.zero, p.clipped, p.kl_bad, p.item_weight, p.vote_weight,
         p.correct, p.agree, p.nll, p.brier, p.truth_weight, p.mse_p, p.kl_p);
}

template <class Io>
static void visit(Io& io, StreamSums& s) {
  fields(io, s.event, s.by_class, s.scores, s.event_log, s.histogram, s.disagreement, s.agreement,
         s.several_votes);
}

template <class Io>
static void visit(Io& io, VotesAt& at) {
  fields(io, at.p, at.w, at.wy);
}

template <class Io>
static void visit(Io& io, BetaSums& s) {
  fields(io, s.boxes.bandwidth, s.boxes.step, s.moments.w, s.moments.wy, s.at_zero, s.above_zero, s.at_one,
         s.below_one);
}

template <class Io>
static void visit(Io& io, EvaluateState& s) {
  fields(io, s.classes, s.bins, s.clip, s.bandwidth, s.normalize, s.logits, s.has_truth, s.items,
         s.class_names, s.votes, s.consensus);
  if (io.format >= 2) fields(io, s.ties, s.tied, s.most_votes);
  if (s.bandwidth > 0) visit(io, s.kernel);
}

namespace {

constexpr std::string_view kMagic = "PLUMBSTA";
constexpr std::uint32_t kFormat = 2;  // 1: without the rule for ties and the number of votes of agreement

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
         fits(s.votes) && fits(s.consensus);
}

}  // namespace

std::string serialize(const EvaluateState& state) { return detail::seal_state(kMagic, kFormat, state); }

EvaluateState deserialize_state(std::string_view bytes, const std::string& name) {
  return detail::read_state<EvaluateState>(kMagic, kFormat, bytes, name, consistent);
}

}  // namespace plumb
