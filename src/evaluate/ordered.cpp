#include "evaluate/ordered.hpp"

#include "plumb/metrics/ordered/brier_refinement.hpp"
#include "plumb/metrics/ordered/calibration_line.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/ks.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"

namespace plumb {

OrderedColumns::OrderedColumns(const Items& items, const Selection& passes, int threads)
    : event(sort_forecasts(collect(items, Event::kEvent, threads), threads)) {
  if (passes.top) top = sort_forecasts(collect(items, Event::kTop, threads), threads);
}

void ordered_scores(const OrderedViews& views, const Selection& selection, const EvaluateOptions& o,
                    const KernelPlan& kernel, int threads, Scores& out) {
  const ForecastsView& event = views.event;
  const auto any = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (selection.has(key)) return true;
    return false;
  };
  const auto put = [&](const char* key, const Estimate& e) {
    if (selection.has(key)) out[key] = e;
  };
  if (any({"ece_mass", "mce_mass"})) {
    const ReliabilityTable t = equal_mass_table(event, o.bins);
    put("ece_mass", ece(t));
    put("mce_mass", mce(t));
  }
  if (any({"ece_sweep"})) put("ece_sweep", ece_sweep(event));
  if (any({"ks"})) put("ks", ks(event));
  if (any({"auroc"})) put("auroc", auroc(event));
  if (any({"auprc"})) put("auprc", auprc(event));
  if (any({"aurc", "eaurc", "augrc"})) {
    const RiskCoverage r = risk_coverage(views.top);
    put("aurc", r.aurc);
    put("eaurc", r.eaurc);
    put("augrc", r.augrc);
  }
  if (any({"brier_calibration", "brier_refinement"})) {
    const BrierRefinement b = brier_refinement(event);
    put("brier_calibration", b.calibration);
    put("brier_refinement", b.refinement);
  }
  if (any({"calibration_slope", "calibration_intercept"})) {
    const CalibrationLine l = calibration_line(event, o.clip);
    put("calibration_slope", l.slope);
    put("calibration_intercept", l.intercept);
  }
  kernel_scores(event, kernel, selection, o.leave_out, threads, out);
}

}  // namespace plumb
