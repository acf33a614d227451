// The state of a classification as a file (state_bytes.hpp).
#include "evaluate/kernel.hpp"
#include "evaluate/state_visit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb {

namespace {

constexpr std::string_view kMagic = "PLUMBSTA";

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
         fits(s.votes) && fits(s.consensus) &&
         (!s.ladder || s.ladder->votes() == s.votes.event.total().votes);
}

}  // namespace

std::string serialize(const EvaluateState& state) { return detail::seal_state(kMagic, kStateFormat, state); }

EvaluateState deserialize_state(std::string_view bytes, const std::string& name) {
  return detail::read_state<EvaluateState>(kMagic, kStateFormat, bytes, name, consistent);
}

}  // namespace plumb
