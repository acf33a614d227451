#include "evaluate/ladder_scores.hpp"

#include "evaluate/describe.hpp"
#include "evaluate/runs.hpp"
#include "evaluate/stream.hpp"

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

LadderReading read_ladder(const Ladder& ladder, const Selection& part, const EvaluateOptions& o) {
  LadderReading out;
  const Selection known = part.part([&](const MetricRow& row) {
    return ladder.exact() || (row.key != "brier_calibration" && row.key != "brier_refinement");
  });
  out.event = ladder.column();
  const ForecastsView view = out.event.view();
  const Forecasts confidence = part.binary ? confidence_of(out.event, o.threads) : Forecasts{};
  out.kernel = kernel_plan(ladder.kinds(), known.products, o, view);
  const ColumnProducts columns{view, part.binary ? confidence.view() : view, {}, {}, nullptr, &out.kernel};
  finish(known,
         Products(columns, known.products.both(kByLadder),
                  {o.bins, o.clip, o.leave_out, part.binary, false, o.threads, o.curve, o.bandwidth}),
         out.scores);
  return out;
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
  auto& s = result.settings;
  s.emplace_back("ladder", std::string(ladder.exact() ? "distinct p" : "grid of log-odds"));
  if (ladder.exact()) return;
  s.emplace_back("ladder_step", 1.0 / Ladder::kSteps);
  const LadderBounds bounds = ladder.bounds();
  Table t;
  t.columns = {"key", "bound"};
  t.rows = {
      {std::string("p"), bounds.p}, {std::string("auroc"), bounds.auroc}, {std::string("ks"), bounds.ks}};
  result.tables.emplace_back("ladder_bounds", std::move(t));
}

}  // namespace plumb::detail
