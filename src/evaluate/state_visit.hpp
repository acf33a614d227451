// How the sums of a state lie in a file (state_bytes.hpp): one visitor for both directions.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plumb/evaluate/state.hpp"
#include "plumb/result/state_bytes.hpp"

namespace plumb {

/// 1: without the rule for ties and the number of votes of agreement; 2: without the ladder.
inline constexpr std::uint32_t kStateFormat = 3;

template <class Io>
void visit(Io& io, BinEdges& c) {
  detail::fields(io, c.bins, c.equal_width, c.thresholds);
}

template <class Io>
void visit(Io& io, ShareBin& c) {
  detail::fields(io, c.items, c.votes, c.w, c.wp, c.wmu, c.wsq, c.wmm, c.wg, c.ww, c.wwmm);
}

template <class Io>
void visit(Io& io, ShareTables& t) {
  detail::fields(io, t.edges, t.single, t.several, t.left_out);
}

template <class Io>
void visit(Io& io, AgreementClass& c) {
  detail::fields(io, c.wmu, c.wg, c.wy, c.wo);
}

template <class Io>
void visit(Io& io, Agreement& a) {
  detail::fields(io, a.items, a.weight, a.votes, a.cls);
  if (io.format >= 2) {
    detail::fields(io, a.count);
  } else {  // a format that is only read; without weights the sum is the number of votes
    a.count = static_cast<std::uint64_t>(std::llround(std::max(2.0, a.votes.value())));
  }
}

template <class Io>
void visit(Io& io, EventLogLoss& e) {
  detail::fields(io, e.votes, e.zero, e.clipped, e.weight, e.loss);
}

template <class Io>
void visit(Io& io, Bin& c) {
  detail::fields(io, c.items, c.votes, c.w, c.wp, c.wy, c.ww, c.wwyy);
}

template <class Io>
void visit(Io& io, ReliabilityTable& t) {
  detail::fields(io, t.edges, t.bins);
}

template <class Io>
void visit(Io& io, ProperScores& p) {
  detail::fields(io, p.items, p.unvoted, p.votes, p.zero, p.clipped, p.kl_bad, p.item_weight, p.vote_weight,
                 p.correct, p.agree, p.nll, p.brier, p.truth_weight, p.mse_p, p.kl_p);
}

template <class Io>
void visit(Io& io, StreamSums& s) {
  detail::fields(io, s.event, s.by_class, s.scores, s.event_log, s.histogram, s.disagreement, s.agreement,
                 s.several_votes);
}

template <class Io>
void visit(Io& io, VotesAt& at) {
  detail::fields(io, at.p, at.w, at.wy);
}

template <class Io>
void visit(Io& io, BetaSums& s) {
  detail::fields(io, s.boxes.bandwidth, s.boxes.step, s.moments.w, s.moments.wy, s.at_zero, s.above_zero,
                 s.at_one, s.below_one);
}

template <class Io>
void visit(Io& io, ItemKind& k) {
  detail::fields(io, k.bin, k.votes, k.hits, k.items);
}

template <class Io>
void visit(Io& io, LadderParts& l) {
  detail::fields(io, l.exact, l.rung, l.rung_votes, l.rung_hits, l.rung_p_low, l.rung_p_high, l.p, l.votes,
                 l.hits, l.kinds);
}

template <class Io>
void visit(Io& io, Ladder& ladder) {
  LadderParts parts = ladder.parts();
  visit(io, parts);
  if constexpr (requires { io.fail(); }) {
    try {
      ladder = Ladder::from_parts(parts);
    } catch (const std::invalid_argument&) {
      io.fail();
    }
  }
}

/// Whether there is one, then itself.
template <class Io>
void visit_ladder(Io& io, std::optional<Ladder>& ladder) {
  bool there = ladder.has_value();
  detail::fields(io, there);
  if (!there) return;
  if (!ladder) ladder.emplace();
  visit(io, *ladder);
}

template <class Io>
void visit(Io& io, EvaluateState& s) {
  detail::fields(io, s.classes, s.bins, s.clip, s.bandwidth, s.normalize, s.logits, s.has_truth, s.items,
                 s.class_names, s.votes, s.consensus);
  if (io.format >= 2) detail::fields(io, s.ties, s.tied, s.most_votes);
  if (s.bandwidth > 0) visit(io, s.kernel);
  if (io.format >= 3) visit_ladder(io, s.ladder);
}

}  // namespace plumb
