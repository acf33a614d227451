#include "evaluate/ladder_scores.hpp"

#include <algorithm>

#include "evaluate/describe.hpp"
#include "evaluate/runs.hpp"
#include "evaluate/stream.hpp"
#include "plumb/metrics/ordered/ladder_bounds.hpp"

namespace plumb::detail {

Selection ladder_part(const Selection& selection, const EvaluateOptions& o) {
  return selection.part([&](const MetricRow& row) {
    const ProductSet needs = run_of(row).needs(selection.binary);
    return kByLadder.has(needs) && !(needs.has(Product::kde) && o.leave_out == LeaveOut::item);
  });
}

Ladder ladder_of(const ForecastPass& pass) {
  std::vector<Ladder> parts(pass.workers);
  pass.run([&](int worker, const ForecastsView& block) { parts[worker].add(block); });
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
  return std::move(parts[0]);
}

bool needs_distinct(const MetricRow& row) {
  return row.key == "brier_calibration" || row.key == "brier_refinement";
}

LadderReading read_ladder(const Ladder& ladder, const Selection& part, const EvaluateOptions& o) {
  return read_column(ladder.kinds(), ladder.column(), ladder.exact(), part, o);
}

LadderReading read_column(const ItemKinds& kinds, Forecasts column, bool exact, const Selection& part,
                          const EvaluateOptions& o) {
  LadderReading out;
  const std::vector<ItemKind> items = kinds.sorted();
  const bool single = std::all_of(items.begin(), items.end(), [](const ItemKind& k) { return k.votes == 1; });
  const Selection known = part.part([&](const MetricRow& row) {
    if (row.key == "skce") return single;  // pairs within an item are left out
    return exact || !needs_distinct(row);
  });
  out.event = std::move(column);
  const ForecastsView view = out.event.view();
  const Forecasts confidence = part.binary ? confidence_of(out.event, o.threads) : Forecasts{};
  out.kernel = kernel_plan(kinds, known.products, o, view);
  ColumnProducts columns{view, part.binary ? confidence.view() : view, {}, {}, nullptr, &out.kernel};
  columns.votes_apart = true;
  finish(known,
         Products(columns, known.products.both(kByLadder),
                  {o.bins, o.clip, o.leave_out, part.binary, false, o.threads, o.curve, o.bandwidth}),
         out.scores);
  return out;
}

namespace {

void append(KeyBounds& to, const KeyBounds& from) { to.insert(to.end(), from.begin(), from.end()); }

/// Of the metrics that were read.
KeyBounds bounds_of(std::span<const LadderRung> rungs, const LadderKeys& read, const EvaluateOptions& o) {
  const ProductSet products = read.part.products;
  KeyBounds out = order_bounds(rungs, o.bins);
  if (products.has(Product::confidence_column)) append(out, confidence_bounds(rungs, read.part.binary));
  if (const auto at = read.scores.find("smece"); at != read.scores.end() && at->second)
    append(out, smooth_bounds(rungs, std::max(*at->second.value, SmoothSums::kSmallestSigma)));
  if (products.has(Product::kde) && read.kernel.event) {
    append(out, kernel_bounds(rungs, read.kernel.event->bandwidth, o.threads));
    if (read.part.binary)
      out.emplace_back("ece_kde_classwise", out[out.size() - 2].second);  // the same number
  }
  return out;
}

}  // namespace

bool reads_classes(const Selection& selection, const EvaluateOptions& o, int classes) {
  return classes > 2 && selection.has("ece_kde_classwise") && o.leave_out == LeaveOut::vote &&
         !skips_classes(o, classes);
}

ClassKde read_class_ladders(std::span<const Ladder> classes, const EvaluateOptions& o) {
  std::vector<Estimate> by_class;
  for (const Ladder& ladder : classes) {
    const Forecasts column = ladder.column();
    const KernelPlan plan = kernel_plan(ladder.kinds(), Product::kde, o, column.view());
    by_class.push_back(ece_kde(column.view(), *plan.event->plan, o.leave_out, o.threads).ece_kde);
  }
  return mean_class_error(by_class);
}

Table bound_rows(const KeyBounds& bounds) {
  Table t;
  t.columns = {"key", "bound"};
  for (const auto& [key, bound] : bounds) t.rows.push_back({std::string(key), bound});
  return t;
}

void describe_ladder(const Ladder& ladder, const LadderKeys& read, const EvaluateOptions& o, Result& result) {
  auto& s = result.settings;
  s.emplace_back("ladder", std::string(ladder.exact() ? "distinct p" : "grid of log-odds"));
  if (ladder.exact()) return;
  s.emplace_back("ladder_step", 1.0 / Ladder::kSteps);
  const KeyBounds bounds = bounds_of(ladder.rungs(), read, o);
  const auto bound = [&](std::string_view key) {
    const auto at = std::find_if(bounds.begin(), bounds.end(), [&](const auto& b) { return b.first == key; });
    return at == bounds.end() ? Value{} : Value(at->second);
  };
  Table t;
  t.columns = {"key", "bound"};
  t.rows.push_back({std::string("p"), bound("p")});
  for (const MetricRow* row : read.part.rows) {
    const auto at = read.scores.find(row->key);
    if (at != read.scores.end() && at->second) t.rows.push_back({std::string(row->key), bound(row->key)});
  }
  result.tables.emplace_back("ladder_bounds", std::move(t));
}

void add_ladder(const Ladder& ladder, const Selection& selection, const EvaluateOptions& o, bool curve,
                Scores& scores, Result& result) {
  const Selection part = ladder_part(selection, o);
  if (part.rows.empty()) return;
  const LadderReading reading = read_ladder(ladder, part, o);
  scores.insert(reading.scores.begin(), reading.scores.end());
  add_kernel_settings(reading.kernel, o, result);
  if (curve && part.products.has(Product::kde))
    result.tables.emplace_back(
        "reliability_kde",
        curve_rows(kde_curve(pass_over(reading.event.view(), o.threads), reading.kernel), {}, o.level));
  describe_ladder(ladder, {part, reading.kernel, reading.scores}, o, result);
}

}  // namespace plumb::detail
