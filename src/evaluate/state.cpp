#include "plumb/evaluate/state.hpp"

#include <algorithm>
#include <stdexcept>

#include "evaluate/corp_tables.hpp"
#include "evaluate/decision_tables.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/intervals.hpp"
#include "evaluate/ladder_scores.hpp"
#include "evaluate/replicate_scores.hpp"
#include "evaluate/runs.hpp"
#include "evaluate/state_parts.hpp"
#include "evaluate/tables.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/ordered.hpp"
#include "plumb/metrics/ordered/decisions.hpp"
#include "plumb/metrics/ordered/isotonic.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/result/state_bytes.hpp"

namespace plumb {

using namespace detail;

namespace {

constexpr const char* kNeedsAll =
    "needs all the data in one run; a state has only sums and the distribution of its forecasts";
constexpr const char* kNoLadder =
    "needs the sorted forecasts; a state with weights or of an older version has only sums";
constexpr const char* kMajority = "needs the sorted forecasts; a state has only sums of the majority labels";

/// What is read off the distribution of the forecasts, besides metrics.
void add_ladder_tables(const EvaluateState& s, const Selection& selection, const EvaluateOptions& o,
                       Result& result) {
  const bool corp = selection.has("mcb") || selection.has("log_mcb");
  if (!s.ladder) {
    if (!o.thresholds.empty()) throw InputError("⟦thresholds⟧ " + std::string(kNoLadder));
    return;
  }
  if (!corp && o.thresholds.empty()) return;
  const Forecasts column = s.ladder->column();
  if (corp) result.tables.emplace_back("reliability_corp", corp_block_rows(isotonic_blocks(column.view())));
  if (o.thresholds.empty()) return;
  if (!s.ladder->exact())
    result.notes.emplace_back(
        "the forecasts are on a grid of log-odds: one within a step of a threshold may count on its other side");
  for (const auto& [name, table] : result.tables)
    if (name == "thresholds") return;  // with intervals from replicates
  Observed observed;
  observed.decisions = decisions(column.view(), decision_thresholds(o));
  add_decision_tables(observed, {}, {}, o, result);
}

}  // namespace

EvaluateState detail::begin_state(const Items& items, const EvaluateOptions& o) {
  if (o.binning == Binning::mass)
    throw InputError(
        "⟦save_state⟧ needs ⟦binning⟧ width: equal-mass bins can be computed only from all the data");
  if (o.ties == Ties::random)
    throw InputError(
        "⟦save_state⟧ and ⟦ties⟧ random cannot be combined: ties are broken at random by row number, which differs between shards; use ⟦ties⟧ half");
  EvaluateState s;
  s.ties = static_cast<std::int32_t>(o.ties);
  s.classes = items.classes();
  s.items = narrow<std::uint64_t>(items.size());
  s.bins = o.bins;
  s.clip = o.clip;
  s.bandwidth = o.bandwidth;
  s.normalize = items.predictions.normalizes();
  s.logits = items.predictions.scale() == Scale::logit;
  s.has_truth = !items.truth.empty();
  s.class_names = items.class_names;
  return s;
}

void detail::add_consensus(const Items& items, const StreamSums& votes, const EvaluateOptions& o,
                           Progress& progress, EvaluateState& s) {
  const Consensus majority = consensus(items, {o.ties, o.seed}, o.threads);
  s.tied = narrow<std::uint64_t>(majority.tied);
  s.most_votes = majority.most_votes;
  s.consensus = items.votes.kind() == Votes::Kind::labels  // the majority is the label
                    ? votes
                    : stream_sums(majority.items, equal_width_plan(o.bins, items.classes()),
                                  kStreamingProducts, o, progress);
}

void detail::finish_state(const ForecastPass& event, bool weighted, const StreamSums& votes,
                          EvaluateState& s) {
  s.votes = votes;
  if (!weighted) s.ladder = ladder_of(event);
  if (s.bandwidth > 0) s.kernel = beta_sums(event, kernel_boxes(s.bandwidth));
}

EvaluateState evaluate_state(const Items& items, const EvaluateOptions& o) {
  check_bins(o.bins);
  check_items(items);
  Progress progress(o.progress, o.cancel);
  EvaluateState s = begin_state(items, o);
  const StreamSums votes =
      stream_sums(items, equal_width_plan(o.bins, items.classes()), kStreamingProducts, o, progress);
  add_consensus(items, votes, o, progress, s);
  finish_state(pass_over(items, Event::event, o.threads), !items.weights.empty(), votes, s);
  return s;
}

void check_ids(const Names& ids, EvaluateState& s) {
  std::vector<std::uint64_t>& hashes = s.ids.emplace();
  hashes.reserve(ids.size());
  std::vector<bool> seen(ids.distinct().size());
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (seen[ids.code(i)])
      throw InputError(ids.source() + ": the id \"" + ids.name(i) +
                       "\" occurs twice; each item needs an id of its own");
    seen[ids.code(i)] = true;
    hashes.push_back(hash_name(ids.name(i)));
  }
  std::sort(hashes.begin(), hashes.end());
}

namespace {

/// Both lists, which must not share a hash. Two of n ids have the same hash by chance with probability n^2
/// / 2^65.
void merge_ids(std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& from) {
  const auto before = static_cast<std::ptrdiff_t>(into.size());
  into.insert(into.end(), from.begin(), from.end());
  std::inplace_merge(into.begin(), into.begin() + before, into.end());
  if (std::adjacent_find(into.begin(), into.end()) != into.end())
    throw InputError("an id occurs in both states; each item may be in one of them alone (⟦check_ids⟧)");
}

}  // namespace

void merge(EvaluateState& into, const EvaluateState& from) {
  check_equal(into.classes == from.classes, "numbers of classes");
  check_equal(into.bins == from.bins, "⟦bins⟧");
  check_equal(into.clip == from.clip, "⟦clip⟧");
  check_equal(into.bandwidth == from.bandwidth, "⟦bandwidth⟧");
  check_equal(into.normalize == from.normalize, "⟦normalize⟧");
  check_equal(into.logits == from.logits, "scales (⟦probs⟧ and ⟦logits⟧)");
  check_equal(into.has_truth == from.has_truth, "⟦truth⟧ (given in one, not in the other)");
  check_equal(into.class_names == from.class_names, "⟦classes⟧");
  check_equal(into.ties == from.ties, "⟦ties⟧");
  check_equal(into.ids.has_value() == from.ids.has_value(), "⟦check_ids⟧ (given in one, not in the other)");
  if (into.ids) merge_ids(*into.ids, *from.ids);
  const auto same_question = [](const OrderSums& a, const OrderSums& b) {
    return a.key == b.key && a.order == b.order && a.tables.edges == b.tables.edges;
  };
  check_equal(std::equal(into.orders.begin(), into.orders.end(), from.orders.begin(), from.orders.end(),
                         same_question),
              "⟦orders⟧ and ⟦statistic⟧");
  check_equal(into.ordered.has_value() == from.ordered.has_value(),
              "⟦ordered⟧ (given in one, not in the other)");
  for (std::size_t j = 0; j < into.orders.size(); ++j) merge(into.orders[j].tables, from.orders[j].tables);
  if (into.ordered) merge(*into.ordered, *from.ordered);
  into.tied += from.tied;
  into.most_votes = std::max(into.most_votes, from.most_votes);
  if (const std::uint64_t votes = into.votes.event.total().votes + from.votes.event.total().votes;
      votes > kMostStateVotes || into.items + from.items > kMostStateVotes)
    throw InputError("together the states have " + std::to_string(votes) + " votes, and a state counts " +
                     std::to_string(kMostStateVotes) + " at most; merge fewer of them");
  into.items += from.items;
  into.votes.merge(from.votes);
  into.consensus.merge(from.consensus);
  if (into.bandwidth > 0) into.kernel.merge(from.kernel);
  if (into.ladder && from.ladder) {
    into.ladder->merge(*from.ladder);
  } else {
    into.ladder.reset();
  }
  check_equal(into.replicates.has_value() == from.replicates.has_value(),
              "⟦bootstrap⟧ (given in one, not in the other)");
  if (into.replicates) merge(*into.replicates, *from.replicates);
}

namespace {

Result finish_sums(const EvaluateState& s, const EvaluateOptions& options) {
  const bool binary = s.classes == 2;
  EvaluateOptions o = options;
  o.bins = s.bins;
  o.clip = s.clip;
  o.ties = static_cast<Ties>(s.ties);
  o.bandwidth = s.bandwidth;
  o.bootstrap = 0;
  check_thresholds(o, binary);
  const TaskKind task{binary, s.has_truth, s.votes.several_votes};
  const Selection selection = select_metrics(o, task);

  Result r;
  r.version = version();
  r.command = "merge";
  r.task = binary ? "binary" : "multiclass";
  r.items = narrow<std::int64_t>(s.items);
  r.classes = s.classes;
  r.class_names = s.class_names;
  r.votes = narrow<std::int64_t>(s.votes.event.total().votes);
  add_settings(o, binary, s.logits, s.normalize, r);
  add_notes(s.votes, r.items, true, r.notes);
  if (s.votes.several_votes) add_ties_note(narrow<std::int64_t>(s.tied), o.ties, r.notes);
  const FinishOptions how{s.bins, s.clip, o.leave_out, binary, s.has_truth, o.threads};
  const auto results = [&](const Selection& keys, Scores& scores, const char* no_column) {
    MetricResults out;
    for (const MetricRow* row : keys.rows) {
      const auto at = scores.find(row->key);
      const bool resampled = row->key == "ece_corrected";  // a state has no items to draw from
      const bool ordered = kByLadder.has(run_of(*row).needs(binary));
      out.emplace_back(row->key, result_of(at != scores.end() && !resampled
                                               ? at->second
                                               : Estimate::undefined(ordered ? no_column : kNeedsAll)));
    }
    return out;
  };
  Scores scores;
  finish(selection, Products(s.votes, kStreamingProducts, how), scores);
  if (s.ladder) add_ladder(*s.ladder, selection, o, s.bandwidth == 0, scores, r);
  r.metrics = results(selection, scores, s.ladder ? kNeedsAll : kNoLadder);
  if (s.replicates) {
    for (const auto& [key, m] : r.metrics)  // what has no value says why, with or without draws
      if (!scores.contains(key)) scores.emplace(key, Estimate::undefined(m.why));
    r.metrics = replicate_results(s, selection, scores, o, r);
  }
  add_ladder_tables(s, selection, o, r);
  const Selection single = selection.part([](const MetricRow& m) { return m.needs != Needs::pairs; });
  if (s.votes.several_votes && !has_majority(s.most_votes, o.ties)) {
    r.consensus = no_majority(single, s.most_votes);
  } else if (s.votes.several_votes) {
    Scores majority;
    finish(single, Products(s.consensus, kStreamingProducts, how), majority);
    r.consensus = results(single, majority, kMajority);
  }
  r.tables.emplace_back("reliability", reliability_rows(s.votes.event));
  add_class_results(s.votes, selection, r);
  if (s.bandwidth > 0) {
    if (!s.ladder) {
      r.settings.emplace_back("bandwidth_choice", std::string("given"));
      r.settings.emplace_back("bandwidth", s.bandwidth);
    }
    r.tables.emplace_back("reliability_kde", curve_rows(reliability_kde(s.kernel, even_grid()), {}, o.level));
  }
  add_rater_tables(s.votes, selection, r);
  return r;
}

}  // namespace

Result finish(const EvaluateState& state, const EvaluateOptions& options) {
  try {
    return finish_sums(state, options);
  } catch (const std::range_error&) {
    throw InputError("the state has sums that no data have; save it again with ⟦save_state⟧");
  }
}

}  // namespace plumb
