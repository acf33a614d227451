#include "plumb/evaluate/evaluate.hpp"

#include "evaluate/checks.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/intervals.hpp"
#include "evaluate/sample.hpp"
#include "evaluate/state_parts.hpp"
#include "evaluate/tables.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

/// One set of votes, evaluated: the data, and what their draws gave.
struct Evaluation {
  MetricResults metrics;
  Verdict verdict;
  Observed observed;
  std::vector<Drawn> boot, null;
};

/// The metrics that are compared with a calibrated model's, and the table for its consistency band.
Selection null_part(const Selection& all) {
  Selection out =
      all.part([](const MetricRow& row) { return row.null || row.interval == Interval::inversion; });
  out.products |= Product::event_table;
  return out;
}

/// Votes and groups take the noise of their cells from the bootstrap.
Selection boot_part(const Selection& all, const SampleSize& size) {
  Selection out = all;
  if (!size.single()) out.products |= Product::event_table;
  return out;
}

double draw_work(const Prepared& prepared, const Selection& selection, const EvaluateOptions& o) {
  return o.bootstrap * (prepared.passes(selection) + prepared.passes(null_part(selection)));
}

/// Intervals and p-values around what was observed.
Evaluation with_draws(const Prepared& prepared, Observed observed, const SampleSize& size, NullKind null_kind,
                      bool binary, int asked, const EvaluateOptions& o, Progress& progress) {
  const Selection& selection = prepared.selection();
  Evaluation e{{}, {}, std::move(observed), {}, {}};
  if (o.bootstrap > 0) {
    Bands bands{e.observed.smooth_sigma};
    if (selection.has("ece_mass")) bands.mass = e.observed.mass.cells;
    e.boot =
        prepared.score(boot_part(selection, size), numbered_draws(o.bootstrap), o.threads, progress, &bands);
    e.null = prepared.score(null_part(selection), numbered_draws(o.bootstrap, null_kind), o.threads, progress,
                            &bands);
  }
  const Inference inference(e.observed, e.boot, e.null, size, binary, o);
  for (const MetricRow* row : selection.rows) e.metrics.emplace_back(row->key, inference.result(*row));
  // Until there is an omnibus test: that of the calibration error.
  std::optional<double> omnibus;
  for (const auto& [key, m] : e.metrics)
    if (key == "ece" || (key == "ece_mass" && m.p_value)) omnibus = m.p_value;
  e.verdict = judge(inference, omnibus, asked, o);
  return e;
}

/// Under the null votes of one item, or items of one group, move together.
NullKind null_kind(const Observed& observed, const Items& items) {
  return observed.sums.several_votes || !items.groups.empty() ? NullKind::signs : NullKind::labels;
}

Observed checked_observation(const Prepared& prepared, const Items& items, Progress& progress) {
  Observed out = prepared.observe(progress);
  check_mass(items, out.sums.event.total());
  return out;
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

/// Each slice is evaluated by itself, on cells and bandwidths of its own.
void add_slices(const Items& items, const EvaluateOptions& o, const Selection& selection, Progress& progress,
                Result& result) {
  EvaluateOptions plain = o;
  plain.bootstrap = 0;
  std::vector<std::vector<std::int64_t>> rows(items.by.distinct().size());
  for (std::int64_t i = 0; i < items.size(); ++i) rows[items.by.code(i)].push_back(i);
  for (std::int64_t g = 0; g < std::ssize(rows); ++g) {
    GroupResult group{items.by.distinct()[g], std::ssize(rows[g]), 0, {}};
    const Items part = items.gather(rows[g]);
    try {
      const Prepared prepared(part, selection, plain, false, Product::event_table);
      const Observed observed = checked_observation(prepared, part, progress);
      group.votes = narrow<std::int64_t>(observed.sums.event.total().votes);
      for (const MetricRow* row : selection.rows)
        group.metrics.emplace_back(row->key, observed.scores.at(std::string(row->key)).value);
    } catch (const InputError&) {  // a slice without votes has no values, which is no error of the run
      for (const MetricRow* row : selection.rows) group.metrics.emplace_back(row->key, std::nullopt);
    }
    result.per_group.push_back(std::move(group));
  }
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
  const ProductSet also = state != nullptr ? kStreamingProducts : ProductSet(Product::event_table);
  const Selection selection = select_metrics(options, task_kind(items));
  const Selection single = selection.part([](const MetricRow& row) { return row.needs != Needs::pairs; });
  Progress progress(options.progress, options.cancel);
  const Prepared prepared(items, selection, options, options.bootstrap > 0, also);
  Observed observed = checked_observation(prepared, items, progress);
  const NullKind kind = null_kind(observed, items);
  const bool consensus = observed.sums.several_votes && options.consensus;
  progress.expect(draw_work(prepared, selection, options) +
                  (consensus ? draw_work(prepared, single, options) : 0));
  const Evaluation e = with_draws(prepared, std::move(observed), size, kind, items.binary(), asked.bootstrap,
                                  options, progress);
  const StreamSums& sums = e.observed.sums;

  Result result = describe_run(items, options, selection, sums);
  if (options.bootstrap > 0) result.settings.emplace_back("null", null_name(kind, grouped));
  if (std::string note = few_units_note(size.units, grouped); !note.empty())
    result.notes.push_back(std::move(note));
  result.metrics = e.metrics;
  result.verdict = e.verdict;
  add_tables(prepared, e, options, result);
  add_kernel_settings(prepared.kernel(), options, result);
  add_rater_results(items, sums, selection, options.threads, result);
  if (consensus) {
    const Items majority = items.consensus(options.threads);
    const Prepared of_majority(majority, single, options, options.bootstrap > 0, also);
    Observed labels = checked_observation(of_majority, majority, progress);
    const NullKind labels_kind = null_kind(labels, majority);
    Evaluation m = with_draws(of_majority, std::move(labels), sample_size(majority), labels_kind,
                              items.binary(), asked.bootstrap, options, progress);
    result.consensus = std::move(m.metrics);
    if (state != nullptr) state->consensus = std::move(m.observed.sums);
  } else if (state != nullptr) {
    state->consensus = consensus_sums(items, sums, options, progress);
  }
  if (state != nullptr) finish_state(prepared.event_pass(), sums, *state);
  if (!items.by.empty()) add_slices(items, options, selection, progress, result);
  if (options.sample_items > 0) result.tables.emplace_back("sample", sample_rows(items, options));
  return result;
}

}  // namespace plumb
