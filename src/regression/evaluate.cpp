#include "plumb/regression/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/resample/resample.hpp"
#include "regression/replicates.hpp"
#include "regression/tables.hpp"

namespace plumb {
namespace {

void check_options(const RegressionOptions& o) {
  check_bins(o.bins);
  check_level(o.level);
  check_threads(o.threads);
  if (o.bootstrap < 0 || o.bootstrap > 1'000'000)
    throw InputError("--bootstrap must lie between 0 and 1000000, not " + std::to_string(o.bootstrap));
  if (!(o.clip >= 0 && o.clip <= kMaxVariance))
    throw InputError("--clip raises variances to at least this; it must be >= 0, not " + show(o.clip));
  if (o.range && !(o.range->low >= 0 && o.range->high >= o.range->low && o.range->high <= kMaxVariance))
    throw InputError("--range takes two variances low,high with 0 <= low <= high, not " + show(o.range->low) +
                     "," + show(o.range->high));
}

bool applies(const MetricRow& row, bool parts) {
  return parts || (row.key != "uce_mc" && row.key != "uce_aleatoric");
}

std::vector<const MetricRow*> select(const RegressionItems& items, const RegressionOptions& o) {
  const bool parts = items.has_parts();
  bool all = o.metrics.empty();
  for (const std::string& key : o.metrics) {
    if (key == "all") {
      all = true;
      continue;
    }
    const MetricRow* row = find_regression_metric(key);
    if (row == nullptr) {
      std::vector<std::string> known;
      for (const MetricRow& r : regression_metrics()) known.emplace_back(r.key);
      throw InputError("--metrics: there is no regression metric \"" + key + "\"" + did_you_mean(key, known) +
                       "; `plumb list` shows them all");
    }
    if (!applies(*row, parts))
      throw InputError(
          "--metrics: " + key +
          " needs the variance in its parts; give --aleatoric and --epistemic, or --mean-samples");
  }
  std::vector<const MetricRow*> out;
  for (const MetricRow& row : regression_metrics()) {
    const bool asked = std::find(o.metrics.begin(), o.metrics.end(), row.key) != o.metrics.end();
    if (applies(row, parts) && (all || asked)) out.push_back(&row);
  }
  return out;
}

RegressionPlan plan_of(const RegressionItems& items, const RegressionOptions& o) {
  RegressionPlan plan;
  plan.bins = o.bins;
  plan.clip = o.clip;
  plan.mc = items.has_parts();
  if (o.range) {
    plan.variance = o.range;
    if (items.has_parts()) plan.aleatoric = o.range;
    return plan;
  }
  const UncertaintyRanges ranges = uncertainty_ranges(items, o.clip, o.threads);
  plan.variance = ranges.variance;
  plan.aleatoric = ranges.aleatoric;
  return plan;
}

struct Evaluation {
  RegressionSums sums;
  std::optional<OrderedRegression> columns;
  Scores scores;
  RegressionPlan plan;
};

Evaluation run(const RegressionItems& items, const RegressionOptions& o,
               const std::vector<const MetricRow*>& rows) {
  Evaluation e;
  e.plan = plan_of(items, o);
  e.sums = regression_sums(items, e.plan, o.threads);
  if (e.sums.items == 0) {
    throw InputError(items.size() == 0
                         ? "there are no items"
                         : items.weights.name() + ": all weights are zero; give some item a positive one");
  }
  detail::stream_scores(e.sums, e.scores);
  if (std::any_of(rows.begin(), rows.end(), [](const MetricRow* r) { return r->room == Room::ordered; })) {
    e.columns = order_regression(items, o.clip, o.threads);
    detail::ordered_scores(*e.columns, {e.columns->weight, {}}, o.bins, e.scores);
  }
  return e;
}

void add_settings(const RegressionItems& items, const RegressionOptions& o, const Evaluation& e,
                  const std::vector<const MetricRow*>& rows, Result& r) {
  auto& s = r.settings;
  const char* source = items.passes() > 1   ? "passes"
                       : items.has_parts()  ? "aleatoric and epistemic"
                       : items.total_is_std ? "standard deviation"
                                            : "variance";
  s.emplace_back("uncertainty", std::string(source));
  s.emplace_back("error", std::string("target - mean"));
  s.emplace_back("outputs", std::int64_t{items.outputs()});
  s.emplace_back("samples", std::int64_t{items.passes()});
  s.emplace_back("bins", std::int64_t{o.bins});
  s.emplace_back("cell", std::string("equal width in the variance, both ends inside; ence: equal mass"));
  s.emplace_back("range_choice", std::string(o.range ? "given" : "smallest to largest variance"));
  s.emplace_back("range", e.plan.variance
                              ? Value(std::vector<double>{e.plan.variance->low, e.plan.variance->high})
                              : Value{});
  s.emplace_back("clip", o.clip);
  s.emplace_back("bootstrap", std::int64_t{o.bootstrap});
  s.emplace_back("level", o.level);
  s.emplace_back("seed", static_cast<std::int64_t>(o.seed));
  std::vector<std::string> keys;
  for (const MetricRow* row : rows) keys.emplace_back(row->key);
  s.emplace_back("metrics", keys);
  s.emplace_back("unit", std::string(items.groups.empty() ? "item" : "group"));
}

void add_notes(const RegressionItems& items, const Evaluation& e, Result& r) {
  const auto note = [&](std::uint64_t n, const char* noun, const std::string& text) {
    if (n > 0) r.notes.push_back(counted(static_cast<std::int64_t>(n), noun) + text);
  };
  note(static_cast<std::uint64_t>(items.size()) - e.sums.items, "item", " of weight 0 left out");
  note(e.sums.clipped, "variance", " raised by --clip");
  note(e.sums.uce.dropped, "item", " outside --range left out of uce");
  note(e.sums.uce_aleatoric.dropped, "item", " outside --range left out of uce_aleatoric");
}

void slices(const RegressionItems& items, const RegressionOptions& o,
            const std::vector<const MetricRow*>& rows, Result& result) {
  std::vector<std::vector<std::int64_t>> members(items.by.distinct().size());
  for (std::int64_t i = 0; i < items.size(); ++i) members[items.by.code(i)].push_back(i);
  for (std::size_t g = 0; g < members.size(); ++g) {
    GroupResult group;
    group.group = items.by.distinct()[g];
    group.items = static_cast<std::int64_t>(members[g].size());
    Scores scores;
    try {
      scores = run(items.gather(members[g]), o, rows).scores;
    } catch (const InputError&) {  // all of weight 0: no values, which is no error of the run
    }
    for (const MetricRow* row : rows) {
      const auto at = scores.find(row->key);
      group.metrics.emplace_back(row->key, at == scores.end() ? std::nullopt : at->second.value);
    }
    result.per_group.push_back(std::move(group));
  }
}

}  // namespace

Result evaluate_regression(const RegressionItems& items, const RegressionOptions& o) {
  check_options(o);
  check_regression(items);
  const auto rows = select(items, o);
  const Evaluation e = run(items, o, rows);
  Result result;
  result.version = version();
  result.command = "evaluate";
  result.task = "regression";
  result.items = items.size();
  add_settings(items, o, e, rows, result);
  add_notes(items, e, result);

  std::map<std::string, std::vector<double>, std::less<>> replicates;
  const std::int64_t units = o.bootstrap > 0 ? drawable_units(items) : kEnoughUnits;
  if (std::string note = few_units_note(units, !items.groups.empty()); !note.empty())
    result.notes.push_back(std::move(note));
  if (o.bootstrap > 0 && units > 1)
    replicates = detail::regression_replicates(items, e.plan, e.columns ? &*e.columns : nullptr, o);
  for (const MetricRow* row : rows) {
    MetricResult m;
    const auto at = e.scores.find(row->key);
    if (at != e.scores.end()) {
      m.value = at->second.value;
      m.why = at->second.why;
    } else {
      m.why = "there is nothing to compute it from";
    }
    const auto drawn = replicates.find(row->key);
    if (m.value && drawn != replicates.end() && !drawn->second.empty()) {
      const bool basic = row->interval == Interval::basic;
      const Bounds b =
          basic ? basic_bounds(*m.value, drawn->second, o.level) : percentile_bounds(drawn->second, o.level);
      m.low = b.low;
      m.high = b.high;
      m.interval = basic ? "basic" : "percentile";
    }
    result.metrics.emplace_back(row->key, m);
  }
  result.tables.emplace_back("uncertainty_reliability", detail::uncertainty_table(e.sums.uce));
  if (!e.sums.uce_aleatoric.cell.empty())
    result.tables.emplace_back("uncertainty_reliability_aleatoric",
                               detail::uncertainty_table(e.sums.uce_aleatoric));
  result.tables.emplace_back("intervals",
                             detail::interval_table(e.sums.total(), e.columns ? &*e.columns : nullptr));
  if (e.columns) result.tables.emplace_back("rejection", detail::rejection_table(*e.columns));
  if (items.outputs() > 1) result.tables.emplace_back("per_output", detail::output_table(e.sums));
  if (!items.by.empty()) slices(items, o, rows, result);
  return result;
}

}  // namespace plumb
