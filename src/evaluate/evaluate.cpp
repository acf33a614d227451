#include "plumb/evaluate/evaluate.hpp"

#include <cmath>
#include <optional>

#include "evaluate/describe.hpp"
#include "evaluate/replicates.hpp"
#include "evaluate/sample.hpp"
#include "evaluate/tables.hpp"
#include "plumb/data/check.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {
namespace {

constexpr double kSmallestSmoothing = 1.0 / 1024;  // what smooth sums resolve

struct Evaluation {
  MetricResults metrics;
  StreamSums sums;
  std::vector<std::vector<double>> event_mean_y;  ///< null replicates by cell
  NullKind null_kind = NullKind::labels;
  KernelPlan kernel;
  std::vector<std::optional<double>> kde_by_class;
  std::vector<std::pair<std::string, Table>> curves;
};

void check_options(const EvaluateOptions& o) {
  check_bins(o.bins);
  check_level(o.level);
  check_threads(o.threads);
  if (o.bootstrap < 0 || o.bootstrap > 1'000'000)
    throw InputError("--bootstrap must lie between 0 and 1000000, not " + std::to_string(o.bootstrap));
  if (!(o.clip >= 0 && o.clip < 0.5)) throw InputError("--clip must lie in [0, 0.5), not " + show(o.clip));
}

/// Each class has a table of so many cells, of some 2 KB each.
void check_cells(std::int64_t classes, std::int64_t bins) {
  const std::int64_t most = std::max<std::int64_t>(1'000'000 / classes, 100);
  if (bins > most)
    throw InputError("--bins " + std::to_string(bins) + " for each of " + std::to_string(classes) +
                     " classes" + " needs too much memory; give at most " + std::to_string(most));
}

void check_mass(const Items& items, const Cell& total) {
  if (total.items > 0) return;
  if (items.size() == 0) throw InputError(items.predictions.sources()[0].name() + ": there are no items");
  if (!items.weights.empty()) {
    std::vector<double> w(static_cast<std::size_t>(items.size()));
    items.weights.read(0, items.size(), w);
    bool zero = true;
    for (const double x : w) zero = zero && x == 0;
    if (zero)
      throw InputError(items.weights.name() + ": all weights are zero; give some item a positive weight");
  }
  throw InputError(items.votes.rows().name() + ": no item has a vote, so there is nothing to compare with");
}

MetricResult with_intervals(const MetricRow& row, const Estimate& estimate, const Replicates* boot,
                            const Replicates* null, double level) {
  MetricResult m;
  m.value = estimate.value;
  m.why = estimate.why;
  if (estimate.items >= 0) m.items = estimate.items;
  if (!m.value) return m;
  if (null != nullptr && row.null) {
    if (const auto it = null->find(row.key); it != null->end()) {
      m.null_mean = mean(it->second);
      m.p_value = p_value(*m.value, it->second);
    }
  }
  if (boot == nullptr) return m;
  const auto it = boot->find(row.key);
  if (it == boot->end()) return m;
  if (row.interval == Interval::basic) {
    const Bounds b = basic_bounds(*m.value, it->second, level);
    // Not distinguishable from calibrated: then 0 belongs to the interval.
    m.low = m.p_value && *m.p_value > 1 - level ? 0.0 : b.low;
    m.high = b.high;
    m.interval = "basic";
  } else {
    const Bounds b = percentile_bounds(it->second, level);
    m.low = b.low;
    m.high = b.high;
    m.interval = "percentile";
  }
  return m;
}

/// Values, intervals and nulls of one set of votes.
Evaluation run(const Items& items, const EvaluateOptions& o, const Selection& selection) {
  Evaluation e;
  Selection passes = selection;
  passes.event = true;  // the table itself is always shown
  const CellPlan plan = cell_plan(items, passes, o);
  const ScoreOptions score_options{o.clip};
  e.sums = stream_sums(items, plan, passes, score_options, o.threads);
  check_mass(items, e.sums.event.total());
  Scores scores;
  stream_scores(e.sums, passes, items.binary(), score_options, !items.truth.empty(), scores);

  std::optional<OrderedColumns> columns;
  ForecastsView event;
  if (selection.ordered) {
    columns.emplace(items, selection, o.threads);
    event = columns->event.view();
  }
  if (selection.kernel()) e.kernel = kernel_plan(items, selection, o, columns ? &event : nullptr);
  if (columns) {
    ordered_scores({event, selection.top ? columns->top.view() : event}, selection, o, e.kernel, o.threads,
                   scores);
  } else if (selection.kernel()) {
    kernel_stream_scores(items, e.kernel, selection, o.leave_out, o.threads, scores);
  }
  if (selection.kde_classwise) {
    std::vector<ForecastsView> classes;
    for (const Forecasts& f : e.kernel.class_columns) classes.push_back(f.view());
    kernel_class_scores(classes, e.kernel, o.leave_out, o.threads, scores, &e.kde_by_class);
  }
  if (selection.canonical) kernel_canonical_score(items, e.kernel, o, scores);
  if (selection.smece)
    e.kernel.smooth_sigma = std::max(scores["smece"].value.value_or(0), kSmallestSmoothing);

  std::optional<BootstrapReplicates> boot;
  std::optional<NullReplicates> null;
  if (o.bootstrap > 0) {
    const Units units(items);
    e.null_kind = e.sums.several_votes || units.grouped() ? NullKind::signs : NullKind::labels;
    const auto part = [&o](double from, double width) {
      return std::function<void(double)>([&o, from, width](double share) {
        if (o.progress) o.progress(from + width * share);
      });
    };
    const ReplicateRun work{items, units, plan, columns ? &*columns : nullptr, e.kernel, o, part(0, 0.5)};
    boot = bootstrap(work, selection);
    Selection null_selection = null_part(selection, o);
    null_selection.event = true;  // for the consistency band
    null = null_replicates({items, units, plan, work.columns, e.kernel, o, part(0.5, 0.5)}, null_selection,
                           e.null_kind);
    e.event_mean_y = std::move(null->event_mean_y);
  }
  if (selection.kde)
    e.curves.emplace_back("reliability_kde",
                          curve_rows(kde_curve(columns ? pass_over(event, o.threads)
                                                       : pass_over(items, Event::kEvent, o.threads),
                                               e.kernel),
                                     boot ? boot->kde_curve : std::vector<std::vector<double>>{}, o.level));
  if (columns && selection.smece)
    e.curves.emplace_back(
        "reliability_smooth",
        curve_rows(smoothed_curve(event, e.kernel.smooth_sigma, o.threads),
                   boot ? boot->smooth_curve : std::vector<std::vector<double>>{}, o.level));
  for (const MetricRow* row : selection.rows)
    e.metrics.emplace_back(row->key,
                           with_intervals(*row, scores[std::string(row->key)], boot ? &boot->keys : nullptr,
                                          null ? &null->keys : nullptr, o.level));
  return e;
}

void slices(const Items& items, const EvaluateOptions& o, const Selection& selection, Result& result) {
  EvaluateOptions plain = o;
  plain.bootstrap = 0;
  std::vector<std::vector<std::int64_t>> rows(items.by.distinct().size());
  for (std::int64_t i = 0; i < items.size(); ++i) rows[items.by.code(i)].push_back(i);
  for (std::size_t g = 0; g < rows.size(); ++g) {
    GroupResult group;
    group.group = items.by.distinct()[g];
    group.items = static_cast<std::int64_t>(rows[g].size());
    Items part = items.gather(rows[g]);
    try {
      const Evaluation e = run(part, plain, selection);
      group.votes = static_cast<std::int64_t>(e.sums.event.total().votes);
      for (const auto& [key, m] : e.metrics) group.metrics.emplace_back(key, m.value);
    } catch (const InputError&) {  // a slice without votes has no values, which is no error of the run
      for (const MetricRow* row : selection.rows) group.metrics.emplace_back(row->key, std::nullopt);
    }
    result.per_group.push_back(std::move(group));
  }
}

}  // namespace

Result evaluate(const Items& items, const EvaluateOptions& asked) {
  check_options(asked);
  check_items(items);
  check_cells(items.classes(), asked.bins);
  EvaluateOptions options = asked;
  const std::int64_t units = asked.bootstrap > 0 ? drawable_units(items) : kEnoughUnits;
  if (units < 2) options.bootstrap = 0;
  const TaskKind task = task_kind(items);
  const Selection selection = select_metrics(options, task);
  const Evaluation e = run(items, options, selection);

  Result result = describe_run(items, options, selection, e.sums);
  if (options.bootstrap > 0)
    result.settings.emplace_back("null", null_name(e.null_kind, !items.groups.empty()));
  if (std::string note = few_units_note(units, !items.groups.empty()); !note.empty())
    result.notes.push_back(std::move(note));
  result.metrics = e.metrics;
  result.tables.emplace_back("reliability", reliability_rows(e.sums.event, e.event_mean_y, options.level));
  add_class_results(e.sums, selection, result);
  if (!e.kde_by_class.empty()) result.per_class.emplace_back("ece_kde_classwise", e.kde_by_class);
  for (const auto& curve : e.curves) result.tables.push_back(curve);
  add_kernel_settings(e.kernel, options, result);
  add_rater_results(items, e.sums, selection, options.threads, result);
  if (e.sums.several_votes && options.consensus)
    result.consensus =
        run(items.consensus(options.threads), options, single_vote_part(selection, options, task)).metrics;
  if (!items.by.empty()) slices(items, options, selection, result);
  if (options.sample_items > 0) result.tables.emplace_back("sample", sample_rows(items, options));
  return result;
}

}  // namespace plumb
