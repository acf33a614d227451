// How the sums of a state lie in a file (state_bytes.hpp): one visitor for both directions.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plumb/evaluate/state.hpp"
#include "plumb/result/state_bytes.hpp"

namespace plumb {

/// 1: without the rule for ties and the number of votes of agreement; 2: without the ladder; 3: sums with all
/// limbs, without replicates; 4: drawn columns of exact forecasts alone, in 4 bytes per number, without votes
/// taken together and ordered classes.
inline constexpr std::uint32_t kStateFormat = 5;

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
template <class Io, class T>
void visit_optional(Io& io, std::optional<T>& x) {
  bool there = x.has_value();
  detail::fields(io, there);
  if (!there) return;
  if (!x) x.emplace();
  detail::fields(io, *x);
}

/// Names in ascending order, then their sums.
template <class Io>
void visit(Io& io, VotesByUnit& u) {
  std::vector<std::uint64_t> names;
  std::vector<ExactSum> sums;
  for (const auto& [name, sum] : u.by_unit) {
    names.push_back(name);
    sums.push_back(sum);
  }
  detail::fields(io, u.exact, names, sums);
  if constexpr (requires { io.fail(); }) {
    if (names.size() != sums.size() || names.size() > VotesByUnit::kMost) io.fail();
    u.by_unit.clear();
    for (std::size_t i = 0; i < names.size(); ++i) u.by_unit[names[i]] = sums[i];
  }
}

/// Whole numbers in as few bytes each as the largest needs: 1, 2, 4 or 8, which a byte in front says.
template <class Io>
void visit_counts(Io& io, std::vector<std::uint64_t>& counts) {
  io.size(counts);
  std::uint64_t all = 0;
  for (const std::uint64_t n : counts) all |= n;
  std::uint8_t width = all >> 8 == 0 ? 1 : all >> 16 == 0 ? 2 : all >> 32 == 0 ? 4 : 8;
  io.number(width);
  const auto each = [&]<class T>(T /*type*/) {
    for (std::uint64_t& n : counts) {
      auto narrow = static_cast<T>(n);
      io.number(narrow);
      n = narrow;
    }
  };
  if (width == 1) return each(std::uint8_t{});
  if (width == 2) return each(std::uint16_t{});
  if (width == 4) return each(std::uint32_t{});
  if constexpr (requires { io.fail(); })
    if (width != 8) io.fail();
  each(std::uint64_t{});
}

/// Of format 4.
template <class Io>
void visit_short_counts(Io& io, std::vector<std::uint64_t>& counts) {
  std::vector<std::uint32_t> narrow(counts.begin(), counts.end());
  detail::fields(io, narrow);
  counts.assign(narrow.begin(), narrow.end());
}

template <class Io>
void visit(Io& io, ColumnDraws& c) {
  detail::fields(io, c.kept);
  if (io.format < 5) {
    detail::fields(io, c.p);
    for (auto* counts : {&c.votes, &c.hits, &c.null_hits}) visit_short_counts(io, *counts);
    return;
  }
  detail::fields(io, c.exact, c.p, c.step);
  for (auto* counts : {&c.votes, &c.hits, &c.null_hits}) visit_counts(io, *counts);
}

template <class Io>
void visit(Io& io, StateReplicates& r) {
  detail::fields(io, r.count, r.seed, r.unit, r.signs, r.has_null, r.boot, r.null, r.column, r.units);
}

template <class Io>
void visit(Io& io, OrderSums& o) {
  detail::fields(io, o.key, o.order, o.tables);
}

template <class Io>
void visit(Io& io, OrderedSums& o) {
  detail::fields(io, o.items, o.votes, o.rps, o.emd, o.plugin, o.squared, o.vote_weight, o.item_weight,
                 o.pair_weight, o.thresholds);
}

template <class Io>
void visit(Io& io, EvaluateState& s) {
  io.sparse = io.format >= 4;
  detail::fields(io, s.classes, s.bins, s.clip, s.bandwidth, s.normalize, s.logits, s.has_truth, s.items,
                 s.class_names, s.votes, s.consensus);
  if (io.format >= 2) detail::fields(io, s.ties, s.tied, s.most_votes);
  if (s.bandwidth > 0) visit(io, s.kernel);
  if (io.format >= 3) visit_optional(io, s.ladder);
  if (io.format < 4) return;
  visit_optional(io, s.replicates);
  visit_optional(io, s.ids);
  if (io.format < 5) return;
  detail::fields(io, s.orders);
  visit_optional(io, s.ordered);
}

}  // namespace plumb
