#include "plumb/evaluate/evaluate.hpp"

#include <algorithm>
#include <array>

#include "evaluate/checks.hpp"
#include "evaluate/confusion.hpp"
#include "evaluate/corp_tables.hpp"
#include "evaluate/decision_tables.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/intervals.hpp"
#include "evaluate/ladder_scores.hpp"
#include "evaluate/omnibus.hpp"
#include "evaluate/per_rater.hpp"
#include "evaluate/sample.hpp"
#include "evaluate/slices.hpp"
#include "evaluate/state_parts.hpp"
#include "evaluate/tables.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/resample/slices.hpp"

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

/// What the draws are used for. The consensus has no verdict, and where ties are shared its intervals and its
/// p-values come from different labels.
enum class Aim { verdict, intervals_and_p, intervals, p_values };

/// Products whose bins inversion takes its noise from; the values of its metrics are not drawn.
ProductSet inverted_bins(const Selection& all) {
  const Selection inverted =
      all.part([](const MetricRow& row) { return row.interval == Interval::inversion; });
  ProductSet out = inverted.products.both(Product::class_tables) | Product::event_table;
  if (inverted.has("ece_mass")) out |= Product::event_column;
  return out;
}

/// Whether a metric is computed from the event's residuals, whose signs can be flipped.
bool of_residuals(const MetricRow& row, bool binary) {
  Selection alone{binary, {}, {}};
  alone.add(row);
  return !alone.products.any({Product::class_tables, Product::histogram, Product::disagreement,
                              Product::class_kde, Product::canonical});
}

/// The metrics that are compared with a calibrated model's, and the table for its consistency band.
Selection null_part(const Selection& all, const SampleSize& size, Aim aim, NullKind kind) {
  Selection out = all.part([&](const MetricRow& row) {
    if (kind == NullKind::signs && !of_residuals(row, all.binary)) return false;
    return (row.null && aim != Aim::intervals) || (interval_needs_null(row) && aim != Aim::p_values);
  });
  out.products |= Product::event_table;
  if (size.single()) out.products |= inverted_bins(all);
  if (aim == Aim::verdict) add_omnibus(out);
  return out;
}

/// The metrics that have an interval. Votes and groups take the noise of their bins from here, too.
Selection boot_part(const Selection& all, const SampleSize& size, Aim aim) {
  if (aim == Aim::p_values) return {all.binary, {}, {}};
  Selection out = all.part([](const MetricRow& row) {
    return row.interval != Interval::none && row.interval != Interval::inversion;
  });
  if (!size.single()) out.products |= inverted_bins(all);
  if (aim == Aim::verdict) out.products |= all.products.both({Product::kde, Product::smooth});  // bands
  return out;
}

double draw_work(const Prepared& prepared, const Selection& selection, const SampleSize& size, Aim aim,
                 const EvaluateOptions& o) {
  return o.bootstrap * (prepared.passes(boot_part(selection, size, aim)) +
                        prepared.passes(null_part(selection, size, aim, o.null)));
}

/// Intervals and p-values around what was observed.
Evaluation with_draws(const Prepared& prepared, Observed observed, const SampleSize& size, bool binary,
                      int asked, Aim aim, const EvaluateOptions& o, Progress& progress) {
  const Selection& selection = prepared.selection();
  Evaluation e{{}, {}, std::move(observed), {}, {}, {}};
  if (o.bootstrap > 0) {
    Bands bands{e.observed.smooth_sigma};
    if (selection.has("ece_mass")) bands.mass = e.observed.mass.edges;
    if (aim == Aim::verdict) bands.thresholds = decision_thresholds(o);
    Selection drawn = boot_part(selection, size, aim);
    if (!bands.thresholds.empty()) drawn.products |= Product::event_column;
    e.boot = prepared.score(drawn, numbered_draws(o.bootstrap), o.threads, progress, &bands);
    if (aim == Aim::verdict) bands.corp = corp_grid(prepared);
    e.null_model = prepared.fit_null(e.observed.sums.several_votes);
    e.null = prepared.score(null_part(selection, size, aim, o.null),
                            numbered_draws(o.bootstrap, &e.null_model), o.threads, progress, &bands);
  }
  const Inference inference(e.observed, e.boot, e.null, size, binary, o);
  const bool one_item = e.observed.sums.event.total().items == 1;
  for (const MetricRow* row : selection.rows) {
    e.metrics.emplace_back(row->key, inference.result(*row));
    MetricResult& m = e.metrics.back().second;
    if (!one_item && (asked == 0 || size.units != 1)) continue;
    const std::string only = "there is only " + counted(1, one_item ? "item" : "group") + " to resample";
    if (m.value && asked > 0) m.interval_why = only;
    if (row->key == "ece_corrected" && !m.value) m.why = only;
  }
  if (aim == Aim::verdict) e.verdict = judge(inference, omnibus_p(e.observed.event_tests, e.null), asked, o);
  return e;
}

Observed checked_observation(const Prepared& prepared, const Items& items, Progress& progress) {
  Observed out = prepared.observe(progress);
  check_mass(items, out.sums.event.total());
  return out;
}

/// Absent when no item of positive weight has a label: every one is a tie.
std::optional<Evaluation> evaluate_labels(const Items& majority, const Selection& selection, Aim aim,
                                          EvaluateOptions o, ProductSet also, Progress& progress) {
  if (majority.groups.empty()) o.null = NullKind::model;  // of single labels it is exact
  try {
    const Prepared prepared(majority, selection, o, o.bootstrap > 0, also);
    Observed observed = checked_observation(prepared, majority, progress);
    return with_draws(prepared, std::move(observed), sample_size(majority), majority.binary(), o.bootstrap,
                      aim, o, progress);
  } catch (const InputError&) {  // the votes themselves were read and checked before
    return std::nullopt;
  }
}

/// Without draws, where columns do not fit into memory: tied classes share an item by weights, and a ladder
/// has none.
std::optional<Evaluation> evaluate_large_labels(const Items& majority, const Selection& selection,
                                                const EvaluateOptions& o, ProductSet also,
                                                Progress& progress) {
  const auto streams = [](const MetricRow& row) { return row.room == Room::streaming; };
  std::optional<Evaluation> out =
      evaluate_labels(majority, selection.part(streams), Aim::intervals_and_p, o, also, progress);
  if (!out) return out;
  MetricResults all;
  for (const MetricRow* row : selection.rows) {
    const auto at = std::find_if(out->metrics.begin(), out->metrics.end(),
                                 [&](const auto& m) { return m.first == row->key; });
    all.emplace_back(
        row->key,
        at != out->metrics.end()
            ? at->second
            : result_of(Estimate::undefined(
                  "the forecasts do not fit into memory, and raters tie on some items; leave those out with ⟦ties⟧ absent")));
  }
  out->metrics = std::move(all);
  return out;
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
  std::vector<std::vector<double>> null_mean_y;  // by bin, then draw
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
                               curve_rows(smoothed_curve(*e.observed.smooth_moments, e.observed.smooth_sigma),
                                          curves_of(e.boot, &Drawn::smooth_curve), o.level));
}

/// The smooth curve that ici, e50, e90 and emax summarise, if one of them was requested: table
/// "calibration_curve", between the least and the largest forecast.
void add_curve(const Prepared& prepared, const EvaluateOptions& o, Result& result) {
  const Selection& s = prepared.selection();
  if (!s.has("ici") && !s.has("e50") && !s.has("e90") && !s.has("emax")) return;
  constexpr std::array kNames{"loess", "rcs", "kernel"};
  result.settings.emplace_back("curve", std::string(kNames.at(static_cast<std::size_t>(o.curve))));
  Table t;
  t.columns = {"p", "estimate"};
  for (const auto& [p, estimate] : prepared.curve()) t.rows.push_back({p, estimate});
  result.tables.emplace_back("calibration_curve", std::move(t));
}

}  // namespace
}  // namespace plumb::detail

namespace plumb {

using namespace detail;

Result evaluate(const Items& items, const EvaluateOptions& asked, EvaluateState* state, const Names& ids) {
  check_options(asked);
  check_items(items);
  check_thresholds(asked, items.binary());
  check_table_size(items.classes(), asked.bins);
  if (state != nullptr) *state = begin_state(items, asked);
  EvaluateOptions options = asked;
  const SampleSize size = asked.bootstrap > 0 ? sample_size(items) : SampleSize{.units = kEnoughUnits};
  if (size.units < 2) options.bootstrap = 0;
  if (options.bootstrap > 0 && options.null == NullKind::signs && size.single())
    throw InputError("⟦null⟧ signs needs groups or several votes per item; give ⟦groups⟧ or leave it out");
  const bool grouped = !items.groups.empty();

  // The event's table is always shown; a state wants all that streams.
  ProductSet also = state != nullptr ? kStreamingProducts : ProductSet(Product::event_table);
  if (options.bootstrap > 0) also |= Product::event_column;  // of the null and the omnibus test
  if (!options.thresholds.empty()) also |= Product::event_column;
  const Selection selection = select_metrics(options, task_kind(items));
  check_slices(items.by, std::ssize(selection.rows));
  const Selection single = selection.part([](const MetricRow& row) { return row.needs != Needs::pairs; });
  Progress progress(options.progress, options.cancel);
  Prepared prepared(items, selection, options, options.bootstrap > 0, also);
  if (!ids.empty()) prepared.key_by(ids);
  Observed observed = checked_observation(prepared, items, progress);
  const bool consensus = observed.sums.several_votes && options.consensus;
  const Slices slices(items, options, prepared);
  progress.expect(draw_work(prepared, selection, size, Aim::verdict, options) +
                  (consensus ? draw_work(prepared, single, size, Aim::intervals_and_p, options) : 0) +
                  slices.work());
  const Evaluation e = with_draws(prepared, std::move(observed), size, items.binary(), asked.bootstrap,
                                  Aim::verdict, options, progress);
  const StreamSums& sums = e.observed.sums;

  Result result = describe_run(items, options, selection, sums);
  if (options.bootstrap > 0) add_null_settings(e.null_model, result);
  if (std::string note = few_units_note(size.units, grouped); !note.empty())
    result.notes.push_back(std::move(note));
  if (options.null == NullKind::signs && options.bootstrap > 0)
    if (std::string note = few_signs_note(size.units, grouped, options.level); !note.empty())
      result.notes.push_back(std::move(note));
  result.metrics = e.metrics;
  if (options.bootstrap > 0) add_interval_notes(result.metrics, result.notes);
  result.verdict = e.verdict;
  add_tables(prepared, e, options, result);
  add_decision_tables(e.observed, e.boot, size, options, result);
  add_curve(prepared, options, result);
  add_corp_tables(prepared, e.null, options.level,
                  !grouped && items.weights.empty() && !e.observed.sums.several_votes, result);
  add_kernel_settings(prepared.kernel(), options, result);
  if (prepared.ladder()) {
    describe_ladder(*prepared.ladder(),
                    {ladder_part(selection, options), prepared.kernel(), e.observed.scores}, options, result);
    result.notes.emplace_back(
        "the forecasts do not fit into memory one by one; metrics that need them sorted were computed from a ladder");
  }
  if (selection.has("accuracy"))
    result.tables.emplace_back("confusion", confusion_rows(items, options.threads));
  add_rater_results(items, sums, selection, options.threads, result);
  if (consensus) {
    const Consensus majority = plumb::consensus(items, {options.ties, options.seed}, options.threads);
    add_ties_note(majority.tied, options.ties, result.notes);
    // A forecast cannot be tested against a fraction of a label.
    const bool shared = options.bootstrap > 0 && options.ties == Ties::half && majority.tied > 0;
    std::optional<Evaluation> labels;
    if (has_majority(majority.most_votes, options.ties))
      labels = prepared.ladder() && !majority.items.weights.empty()
                   ? evaluate_large_labels(majority.items, single, options, also, progress)
                   : evaluate_labels(majority.items, single, shared ? Aim::intervals : Aim::intervals_and_p,
                                     options, also, progress);
    result.consensus = labels ? std::move(labels->metrics) : no_majority(single, majority.most_votes);
    if (labels && shared) {
      const Consensus decided = plumb::consensus(items, {Ties::absent, options.seed}, options.threads);
      take_p_values(evaluate_labels(decided.items, single, Aim::p_values, options, also, progress),
                    result.consensus);
    }
  }
  if (state != nullptr) add_consensus(items, sums, options, progress, *state);
  if (state != nullptr) finish_state(prepared.event_pass(), !items.weights.empty(), sums, *state);
  slices.evaluate(progress, result);
  add_raters(items, options, single, progress, result);
  if (options.sample_items > 0) result.tables.emplace_back("sample", sample_rows(items, options));
  return result;
}

}  // namespace plumb
