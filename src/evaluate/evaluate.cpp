#include "plumb/evaluate/evaluate.hpp"

#include <algorithm>

#include "evaluate/checks.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/intervals.hpp"
#include "evaluate/omnibus.hpp"
#include "evaluate/sample.hpp"
#include "evaluate/state_parts.hpp"
#include "evaluate/tables.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

/// One set of votes, evaluated: the data, and what their draws gave.
struct Evaluation {
  MetricResults metrics;
  Verdict verdict;
  Observed observed;
  std::vector<Drawn> boot, null;
  NullModel null_model;
};

/// The metrics that are compared with a calibrated model's, and the table for its consistency band.
Selection null_part(const Selection& all) {
  Selection out = all.part([](const MetricRow& row) { return row.null || interval_needs_null(row); });
  out.products |= Product::event_table;
  add_omnibus(out);
  return out;
}

/// The metrics that have an interval. Votes and groups take the noise of their cells from here, too.
Selection boot_part(const Selection& all, const SampleSize& size) {
  Selection out = all.part([](const MetricRow& row) { return row.interval != Interval::none; });
  if (!size.single()) out.products |= Product::event_table;
  out.products |= all.products.both({Product::kde, Product::smooth});  // bands of their curves
  return out;
}

double draw_work(const Prepared& prepared, const Selection& selection, const SampleSize& size,
                 const EvaluateOptions& o) {
  return o.bootstrap * (prepared.passes(boot_part(selection, size)) + prepared.passes(null_part(selection)));
}

/// Intervals and p-values around what was observed.
Evaluation with_draws(const Prepared& prepared, Observed observed, const SampleSize& size, bool binary,
                      int asked, const EvaluateOptions& o, Progress& progress) {
  const Selection& selection = prepared.selection();
  Evaluation e{{}, {}, std::move(observed), {}, {}, {}};
  if (o.bootstrap > 0) {
    Bands bands{e.observed.smooth_sigma};
    if (selection.has("ece_mass")) bands.mass = e.observed.mass.cells;
    e.boot =
        prepared.score(boot_part(selection, size), numbered_draws(o.bootstrap), o.threads, progress, &bands);
    e.null_model = prepared.fit_null(e.observed.sums.several_votes);
    e.null = prepared.score(null_part(selection), numbered_draws(o.bootstrap, &e.null_model), o.threads,
                            progress, &bands);
  }
  const Inference inference(e.observed, e.boot, e.null, size, binary, o);
  for (const MetricRow* row : selection.rows) e.metrics.emplace_back(row->key, inference.result(*row));
  e.verdict = judge(inference, omnibus_p(e.observed.event_tests, e.null), asked, o);
  return e;
}

Observed checked_observation(const Prepared& prepared, const Items& items, Progress& progress) {
  Observed out = prepared.observe(progress);
  check_mass(items, out.sums.event.total());
  return out;
}

/// Absent when no item of positive weight has a label: every one is a tie.
std::optional<Evaluation> evaluate_labels(const Items& majority, const Selection& selection,
                                          const EvaluateOptions& o, ProductSet also, Progress& progress) {
  try {
    const Prepared prepared(majority, selection, o, o.bootstrap > 0, also);
    Observed observed = checked_observation(prepared, majority, progress);
    return with_draws(prepared, std::move(observed), sample_size(majority), majority.binary(), o.bootstrap, o,
                      progress);
  } catch (const InputError&) {  // the votes themselves were read and checked before
    return std::nullopt;
  }
}

/// The same keys in the same order, or none.
void take_p_values(const std::optional<Evaluation>& from, MetricResults& into) {
  for (std::int64_t i = 0; i < std::ssize(into); ++i) {
    const MetricResult none;
    const MetricResult& m = from ? from->metrics[i].second : none;
    into[i].second.null_mean = m.null_mean;
    into[i].second.p_value = m.p_value;
  }
}

/// The band of a plot: a curve of every draw, by draw.
std::vector<std::vector<double>> curves_of(const std::vector<Drawn>& draws,
                                           std::vector<double> Drawn::*curve) {
  std::vector<std::vector<double>> out;
  for (const Drawn& d : draws) out.push_back(d.*curve);
  return out;
}

void add_tables(const Prepared& prepared, const Evaluation& e, const EvaluateOptions& o, Result& result) {
  const ProductSet products = prepared.selection().products;
  std::vector<std::vector<double>> null_mean_y;  // by cell, then draw
  for (const Drawn& d : e.null) {
    null_mean_y.resize(d.event_mean_y.size());
    for (std::int64_t b = 0; b < std::ssize(null_mean_y); ++b) null_mean_y[b].push_back(d.event_mean_y[b]);
  }
  result.tables.emplace_back("reliability", reliability_rows(e.observed.sums.event, null_mean_y, o.level));
  if (products.has(Product::class_tables)) add_class_results(e.observed.sums, prepared.selection(), result);
  if (!e.observed.class_kde.empty()) result.per_class.emplace_back("ece_kde_classwise", e.observed.class_kde);
  if (products.has(Product::kde))
    result.tables.emplace_back("reliability_kde",
                               curve_rows(kde_curve(prepared.event_pass(), prepared.kernel()),
                                          curves_of(e.boot, &Drawn::kde_curve), o.level));
  if (prepared.has_columns() && products.has(Product::smooth))
    result.tables.emplace_back("reliability_smooth",
                               curve_rows(smoothed_curve(prepared.event_pass(), e.observed.smooth_sigma),
                                          curves_of(e.boot, &Drawn::smooth_curve), o.level));
}

GroupResult slice_result(const std::string& name, const Items& part, const EvaluateOptions& o,
                         const Selection& selection, Progress& progress) {
  GroupResult group{name, part.size(), 0, {}};
  try {
    const Prepared prepared(part, selection, o, false, Product::event_table);
    const Observed observed = checked_observation(prepared, part, progress);
    group.votes = narrow<std::int64_t>(observed.sums.event.total().votes);
    for (const MetricRow* row : selection.rows)
      group.metrics.emplace_back(row->key, observed.scores.at(std::string(row->key)).value);
  } catch (const InputError&) {  // a slice without votes has no values, which is no error of the run
    for (const MetricRow* row : selection.rows) group.metrics.emplace_back(row->key, std::nullopt);
  }
  return group;
}

/// Each slice is evaluated by itself, on its own rows, cells and bandwidths: many slices side by side, few
/// one after the other on all threads.
void add_slices(const Items& items, const EvaluateOptions& o, const Selection& selection, Progress& progress,
                Result& result) {
  const auto& names = items.by.distinct();
  std::vector<std::vector<std::int64_t>> rows(names.size());
  for (std::int64_t i = 0; i < items.size(); ++i) rows[items.by.code(i)].push_back(i);
  Items whole = items;
  whole.by = {};  // a slice has one name
  const int threads = resolve_threads(o.threads);
  const bool many = std::ssize(rows) >= 4 * threads;
  EvaluateOptions plain = o;
  plain.bootstrap = 0;
  plain.memory = 0;  // less than the whole, which was looked at
  plain.threads = many ? 1 : o.threads;
  const std::size_t first = result.per_group.size();
  result.per_group.resize(first + names.size());
  parallel_blocks(std::ssize(rows), 1, many ? threads : 1, [&](int, std::int64_t g, std::int64_t) {
    result.per_group[first + g] = slice_result(names[g], whole.gather(rows[g]), plain, selection, progress);
    rows[g] = {};
  });
}

/// The items that a rater judged, with that rater's votes alone. Of ratings by column nothing is copied: what
/// the rater left out has no vote.
Items rated_by(const Items& items, int rater, const std::vector<std::int64_t>& rows) {
  Items out = items.votes.kind() == Votes::Kind::judgements ? items.gather(rows) : items;
  out.votes = out.votes.of_rater(rater);
  return out;
}

/// The items of each rater, where the votes are judgements one by one; else none.
std::vector<std::vector<std::int64_t>> rows_by_rater(const Votes& votes) {
  std::vector<std::vector<std::int64_t>> out(votes.raters());
  if (votes.kind() != Votes::Kind::judgements) return out;
  constexpr std::int64_t kBlock = 65536;
  Judgements block;
  for (std::int64_t begin = 0; begin < votes.items(); begin += kBlock) {
    votes.read_judgements(begin, std::min(begin + kBlock, votes.items()), block);
    for (std::int64_t i = 0; i + 1 < std::ssize(block.offset); ++i)
      for (std::int64_t j = block.offset[i]; j < block.offset[i + 1]; ++j) {
        auto& rows = out[block.rater[j]];
        if (rows.empty() || rows.back() != begin + i) rows.push_back(begin + i);
      }
  }
  return out;
}

/// What the model scores against each rater alone, on the items of that rater: the path of a slice.
void add_raters(const Items& items, const EvaluateOptions& o, const Selection& selection, Progress& progress,
                Result& result) {
  constexpr int kMostRaters = 1000;
  const int raters = items.votes.raters();
  if (raters < 2) return;
  if (raters > kMostRaters) {
    result.notes.push_back("there are " + std::to_string(raters) + " raters, too many to score each: above " +
                           std::to_string(kMostRaters) + " per_rater is left out");
    return;
  }
  std::vector<std::vector<std::int64_t>> rows = rows_by_rater(items.votes);
  Items whole = items;
  whole.by = {};
  const int threads = resolve_threads(o.threads);
  const bool many = raters >= 4 * threads;
  EvaluateOptions plain = o;
  plain.bootstrap = 0;
  plain.memory = 0;
  plain.threads = many ? 1 : o.threads;
  result.per_rater.resize(raters);
  parallel_blocks(raters, 1, many ? threads : 1, [&](int, std::int64_t r, std::int64_t) {
    const int rater = narrow<int>(r);
    result.per_rater[r] = slice_result(items.votes.rater_name(rater), rated_by(whole, rater, rows[r]), plain,
                                       selection, progress);
    rows[r] = {};
  });
}

}  // namespace
}  // namespace plumb::detail

namespace plumb {

using namespace detail;

Result evaluate(const Items& items, const EvaluateOptions& asked, EvaluateState* state) {
  check_options(asked);
  check_items(items);
  check_cells(items.classes(), asked.bins);
  if (state != nullptr) *state = begin_state(items, asked);
  EvaluateOptions options = asked;
  const SampleSize size = asked.bootstrap > 0 ? sample_size(items) : SampleSize{.units = kEnoughUnits};
  if (size.units < 2) options.bootstrap = 0;
  const bool grouped = !items.groups.empty();

  // The event's table is always shown; a state wants all that streams.
  ProductSet also = state != nullptr ? kStreamingProducts : ProductSet(Product::event_table);
  if (options.bootstrap > 0) also |= Product::event_column;  // of the null and the omnibus test
  const Selection selection = select_metrics(options, task_kind(items));
  const Selection single = selection.part([](const MetricRow& row) { return row.needs != Needs::pairs; });
  Progress progress(options.progress, options.cancel);
  const Prepared prepared(items, selection, options, options.bootstrap > 0, also);
  Observed observed = checked_observation(prepared, items, progress);
  const bool consensus = observed.sums.several_votes && options.consensus;
  progress.expect(draw_work(prepared, selection, size, options) +
                  (consensus ? draw_work(prepared, single, size, options) : 0));
  const Evaluation e =
      with_draws(prepared, std::move(observed), size, items.binary(), asked.bootstrap, options, progress);
  const StreamSums& sums = e.observed.sums;

  Result result = describe_run(items, options, selection, sums);
  if (options.bootstrap > 0) add_null_settings(e.null_model, result);
  if (std::string note = few_units_note(size.units, grouped); !note.empty())
    result.notes.push_back(std::move(note));
  result.metrics = e.metrics;
  result.verdict = e.verdict;
  add_tables(prepared, e, options, result);
  add_kernel_settings(prepared.kernel(), options, result);
  add_rater_results(items, sums, selection, options.threads, result);
  if (consensus) {
    const Consensus majority = plumb::consensus(items, {options.ties, options.seed}, options.threads);
    add_ties_note(majority.tied, options.ties, result.notes);
    std::optional<Evaluation> labels;
    if (has_majority(majority.most_votes, options.ties))
      labels = evaluate_labels(majority.items, single, options, also, progress);
    result.consensus = labels ? std::move(labels->metrics) : no_majority(single, majority.most_votes);
    if (labels && options.bootstrap > 0 && options.ties == Ties::half && majority.tied > 0) {
      // A share of a label is nothing that a model's forecast could be tested against.
      const Consensus decided = plumb::consensus(items, {Ties::absent, options.seed}, options.threads);
      take_p_values(evaluate_labels(decided.items, single, options, also, progress), result.consensus);
    }
  }
  if (state != nullptr) add_consensus(items, sums, options, progress, *state);
  if (state != nullptr) finish_state(prepared.event_pass(), sums, *state);
  if (!items.by.empty()) add_slices(items, options, selection, progress, result);
  add_raters(items, options, single, progress, result);
  if (options.sample_items > 0) result.tables.emplace_back("sample", sample_rows(items, options));
  return result;
}

}  // namespace plumb
