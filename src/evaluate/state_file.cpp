// The state of a classification as a file (state_bytes.hpp).
#include "evaluate/kernel.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/result/state_bytes.hpp"

namespace plumb {
namespace {

using detail::Reader;
using detail::visit;
using detail::Writer;

constexpr std::string_view kMagic = "PLUMBSTA";
constexpr std::uint32_t kFormat = 1;

template <class Io>
void visit(Io& io, Cells& c) {
  io.number(c.bins);
  io.number(c.equal_width);
  io.size(c.thresholds);
  for (double& x : c.thresholds) io.number(x);
}

template <class Io>
void visit(Io& io, ShareTables& t) {
  io.size(t.cells);
  for (Cells& c : t.cells) visit(io, c);
  for (auto* cells : {&t.single, &t.several}) {
    io.size(*cells);
    for (ShareCell& c : *cells) {
      io.number(c.items);
      io.number(c.votes);
      for (ExactSum* s : {&c.w, &c.wp, &c.wmu, &c.wsq, &c.wmm, &c.wg, &c.ww, &c.wwmm}) visit(io, *s);
    }
  }
  io.number(t.left_out);
}

template <class Io>
void visit(Io& io, Agreement& a) {
  io.number(a.items);
  visit(io, a.weight);
  visit(io, a.votes);
  io.size(a.cls);
  for (AgreementClass& c : a.cls)
    for (ExactSum* s : {&c.wmu, &c.wg, &c.wy, &c.wo}) visit(io, *s);
}

template <class Io>
void visit(Io& io, EventLogLoss& e) {
  for (std::uint64_t* n : {&e.votes, &e.zero, &e.clipped}) io.number(*n);
  visit(io, e.weight);
  visit(io, e.loss);
}

template <class Io>
void visit(Io& io, ReliabilityTable& t) {
  visit(io, t.cells);
  io.size(t.cell);
  for (Cell& c : t.cell) {
    io.number(c.items);
    io.number(c.votes);
    for (ExactSum* s : {&c.w, &c.wp, &c.wy, &c.ww, &c.wwyy}) visit(io, *s);
  }
}

template <class Io>
void visit(Io& io, StreamSums& s) {
  visit(io, s.event);
  io.size(s.by_class);
  for (ReliabilityTable& t : s.by_class) visit(io, t);
  ProperScores& p = s.scores;
  for (std::uint64_t* n : {&p.items, &p.unvoted, &p.votes, &p.zero, &p.clipped, &p.kl_bad}) io.number(*n);
  for (ExactSum* x : {&p.item_weight, &p.vote_weight, &p.correct, &p.agree, &p.nll, &p.brier, &p.truth_weight,
                      &p.mse_p, &p.kl_p})
    visit(io, *x);
  visit(io, s.event_log);
  visit(io, s.histogram);
  visit(io, s.disagreement);
  visit(io, s.agreement);
  io.number(s.several_votes);
}

template <class Io>
void visit(Io& io, BetaSums& s) {
  io.number(s.boxes.bandwidth);
  io.number(s.boxes.step);
  for (auto* sums : {&s.moments.w, &s.moments.wy}) {
    io.size(*sums);
    for (ExactSum& x : *sums) visit(io, x);
  }
  for (VotesAt* at : {&s.at_zero, &s.above_zero, &s.at_one, &s.below_one}) {
    io.number(at->p);
    visit(io, at->w);
    visit(io, at->wy);
  }
}

template <class Io>
void visit(Io& io, EvaluateState& s) {
  io.number(s.classes);
  io.number(s.bins);
  io.number(s.clip);
  io.number(s.bandwidth);
  io.number(s.normalize);
  io.number(s.logits);
  io.number(s.has_truth);
  io.number(s.items);
  io.size(s.class_names);
  for (std::string& name : s.class_names) io.text(name);
  visit(io, s.votes);
  visit(io, s.consensus);
  if (s.bandwidth > 0) visit(io, s.kernel);
}

/// A file may be well-formed and still not be one of ours.
bool consistent(const EvaluateState& s) {
  const auto fits = [&](const StreamSums& x) {
    const auto table = [&](const ReliabilityTable& t) {
      return t.cells == Cells{s.bins, true, {}} && t.cell.size() == static_cast<std::size_t>(s.bins);
    };
    if (!table(x.event) || x.by_class.size() != static_cast<std::size_t>(s.classes)) return false;
    for (const ReliabilityTable& t : x.by_class)
      if (!table(t)) return false;
    const auto shares = [](const ShareTables& t, const std::vector<Cells>& cells) {
      const auto full = [&](const std::vector<ShareCell>& c) { return c.empty() || c.size() == t.size(); };
      return t.cells == cells && full(t.single) && full(t.several);
    };
    const Cells cells{s.bins, true, {}};
    return shares(x.histogram, classwise_cells(s.classes, cells)) &&
           shares(x.disagreement, disagreement_cells(s.classes, cells)) &&
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
         (s.class_names.empty() || s.class_names.size() == static_cast<std::size_t>(s.classes)) &&
         fits(s.votes) && fits(s.consensus);
}

}  // namespace

std::string serialize(const EvaluateState& state) {
  EvaluateState copy = state;
  Writer payload;
  visit(payload, copy);
  return detail::seal_state(kMagic, kFormat, payload.out);
}

EvaluateState deserialize_state(std::string_view bytes, const std::string& name) {
  Reader payload = detail::open_state(kMagic, kFormat, bytes, name);
  EvaluateState s;
  visit(payload, s);
  if (!payload.in.empty() || !consistent(s)) payload.fail();
  return s;
}

}  // namespace plumb
