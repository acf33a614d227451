#include "evaluate/case_sums.hpp"

#include <algorithm>

#include "evaluate/case_regions.hpp"
#include "evaluate/case_split.hpp"
#include "evaluate/checks.hpp"
#include "evaluate/ladder_scores.hpp"
#include "evaluate/prepared.hpp"
#include "evaluate/runs.hpp"
#include "evaluate/state_parts.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

std::vector<NamedSums> rater_sums(const Case& c, const EvaluateOptions& o) {
  std::vector<NamedSums> out;
  if (c.items.votes.kind() != Votes::Kind::ratings) return out;
  Progress silent({}, o.cancel);
  for (int r = 0; r < c.items.votes.raters(); ++r) {
    Items own = c.items;
    own.votes = c.items.votes.of_rater(r);
    out.push_back(
        {c.raters.at(r), stream_sums(own, equal_width_plan(o.bins, own.classes()), kByRater, o, silent)});
  }
  return out;
}

/// A case by itself: the metrics, and the sums that are added up.
Observed observe_case(const Items& items, const Selection& selection, const EvaluateOptions& o,
                      bool keep_state, EvaluateState& state) {
  check_items(items);
  check_table_size(items.classes(), o.bins);
  EvaluateOptions one = o;
  one.bootstrap = 0;
  state = begin_state(items, one);
  if (!keep_state) state.bandwidth = 0;  // the curve is read off the ladder
  Progress silent({}, o.cancel);
  const ProductSet also = keep_state ? kStreamingProducts : ProductSet(Product::event_table);
  const Prepared prepared(items, selection, one, false, also);
  Observed out = prepared.observe(silent);
  check_mass(items, out.sums.event.total());
  if (keep_state) {
    add_consensus(items, out.sums, one, silent, state);
    finish_state(prepared.event_pass(), !items.weights.empty(), out.sums, state);
    return out;
  }
  state.votes = out.sums;
  const ProductSet products = also | prepared.selection().products.both(kStreamingProducts);
  const Consensus majority = consensus(items, {one.ties, one.seed}, one.threads);
  state.tied = narrow<std::uint64_t>(majority.tied);
  state.most_votes = majority.most_votes;
  state.consensus =
      stream_sums(majority.items, equal_width_plan(one.bins, items.classes()), products, one, silent);
  return out;
}

/// Whether one pass by agreement of the raters gives most sums.
bool can_split(const Items& items, bool keep_state) {
  return !keep_state && items.votes.kind() == Votes::Kind::ratings && items.votes.raters() > 0;
}

/// The products that are computed item by item.
void add_other_products(const Items& items, ProductSet products, const EvaluateOptions& o, SplitSums& out) {
  if (products == ProductSet()) return;
  Progress silent({}, o.cancel);
  const BinPlan plan = equal_width_plan(o.bins, items.classes());
  const auto add = [&](const Items& voted, ProductSet wanted, StreamSums& to) {
    StreamSums sums = stream_sums(voted, plan, wanted, o, silent);
    to.event_log = sums.event_log;
    to.disagreement = std::move(sums.disagreement);
    to.agreement = sums.agreement;
  };
  add(items, products, out.votes);
  add(consensus(items, {o.ties, o.seed}, o.threads).items, products, out.consensus);
  const ProductSet single = products.both(kByRater);
  for (int r = 0; single != ProductSet() && r < items.votes.raters(); ++r) {
    Items own = items;
    own.votes = items.votes.of_rater(r);
    add(own, single, out.raters[r]);
  }
}

/// The same as observe_case() and rater_sums(), faster.
Scores measure_split(const Case& c, const EvaluateOptions& o, const Selection& selection, bool wants_ladders,
                     CaseSums& out) {
  check_items(c.items);
  check_table_size(c.items.classes(), o.bins);
  EvaluateOptions one = o;
  one.bootstrap = 0;
  out.state = begin_state(c.items, one);
  out.state.bandwidth = 0;
  const ProductSet products = ProductSet(Product::event_table) | selection.products.both(kStreamingProducts);
  SplitSums sums = split_sums(c.items, products.both(kBySplit), one, {selection.has("nll"), wants_ladders});
  add_other_products(c.items, products.without(kBySplit), one, sums);
  check_mass(c.items, sums.votes.event.total());
  Scores scores;
  const auto streams = [&](const MetricRow& row) {
    return kStreamingProducts.has(run_of(row).needs(selection.binary));
  };
  finish(selection.part(streams),
         Products(sums.votes, products, {o.bins, o.clip, o.leave_out, selection.binary, false, o.threads}),
         scores);
  const Selection rest = selection.part([&](const MetricRow& row) { return !streams(row); });
  if (!rest.rows.empty()) {
    Progress silent({}, o.cancel);
    for (const auto& [key, estimate] : Prepared(c.items, rest, one, false).observe(silent).scores)
      scores[key] = estimate;
  }
  if (sums.ladders) out.ladders = std::move(*sums.ladders);
  out.state.votes = std::move(sums.votes);
  out.state.consensus = std::move(sums.consensus);
  out.state.tied = sums.tied;
  out.state.most_votes = sums.most_votes;
  for (std::size_t r = 0; r < sums.raters.size(); ++r)
    out.raters.push_back({c.raters.at(r), std::move(sums.raters[r])});
  if (c.has_background) out.row.overlap = std::move(sums.overlap);
  return scores;
}

/// Those that the sums did not bring along; a rater's ladder belongs to the sums of the rater.
void add_ladders(const Items& items, const WantedLadders& missing, const EvaluateOptions& o, CaseSums& out) {
  if (missing.votes || missing.single || missing.classes)
    merge_into(out.ladders, case_ladders(items, missing, {o.ties, o.seed}, o.threads));
  for (std::size_t r = 0; r < out.ladders.raters.size(); ++r)
    out.raters.at(r).ladder = std::move(out.ladders.raters[r]);
  out.ladders.raters.clear();
}

}  // namespace

CaseSums measure_case(const Case& c, const CasesOptions& options, bool keep_state) {
  const EvaluateOptions& o = options.evaluate;
  CaseSums out;
  out.row = CaseRow{c.name, c.unit, c.slices, c.items.size(), 0, {}, c.raters, {}, c.voxel_mm3, {}};
  out.even = c.even;
  const Selection selection = select_metrics(o, task_kind(c.items));
  const Selection by_ladder = ladder_part(selection, o),
                  rest = selection.part([&](const MetricRow&row) { return !by_ladder.has(row.key); });
  const bool wants_ladders = !by_ladder.rows.empty();
  Scores scores;
  if (can_split(c.items, keep_state)) {
    scores = measure_split(c, o, rest, wants_ladders, out);
  } else {
    scores = observe_case(c.items, rest, o, keep_state, out.state).scores;
    out.raters = rater_sums(c, o);
    if (c.has_background && c.items.votes.kind() == Votes::Kind::ratings)
      out.row.overlap = case_overlap(c.items, o.threads);
  }
  if (out.state.ladder)
    out.ladders.votes = std::exchange(out.state.ladder, std::nullopt);  // pooled apart from the sums
  add_ladders(c.items,
              {wants_ladders && !out.ladders.votes, wants_ladders && !out.ladders.majority,
               reads_classes(selection, o, c.items.classes())},
              o, out);
  if (wants_ladders) scores.merge(read_ladder(*out.ladders.votes, by_ladder, o).scores);
  if (out.row.overlap) out.row.overlap->structures = structure_overlaps(c.items, o.threads);
  out.row.votes = narrow<std::int64_t>(out.state.votes.event.total().votes);
  if (options.regions) measure_regions(c, o, out);
  for (const MetricRow* m : selection.rows)
    out.row.metrics.emplace_back(m->key, scores[std::string(m->key)].value);
  return out;
}

}  // namespace plumb::detail
