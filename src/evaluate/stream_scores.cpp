// Streaming keys, read off the sums.
#include "evaluate/stream.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/metrics/raters/log_decomposition.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"

namespace plumb {
namespace {

/// brier = reliability - resolution + uncertainty + within, summed over classes (binary: class 1 alone).
void brier_scores(const StreamSums& sums, bool binary, Scores& out) {
  BrierParts total;
  const auto add = [&total](const ReliabilityTable& t) {
    const BrierParts b = brier_parts(t);
    total.reliability += b.reliability;
    total.resolution += b.resolution;
    total.uncertainty += b.uncertainty;
  };
  if (binary) {
    add(sums.event);
  } else {
    for (const ReliabilityTable& t : sums.by_class) add(t);
  }
  out["brier_reliability"] = total.reliability;
  out["brier_resolution"] = total.resolution;
  out["brier_uncertainty"] = total.uncertainty;
  if (const auto it = out.find("brier"); it != out.end() && it->second)
    out["brier_within"] = *it->second.value - total.reliability + total.resolution - total.uncertainty;
}

}  // namespace

void stream_scores(const StreamSums& sums, const Selection& selection, bool binary,
                   const ScoreOptions& options, bool has_truth, Scores& out) {
  Scores all;
  if (selection.scores) finish(sums.scores, options, has_truth, all);
  if (selection.event) {
    all["ece"] = ece(sums.event);
    all["ece_l2"] = ece_l2(sums.event);
    all["mce"] = mce(sums.event);
    all["ece_debiased"] = ece_debiased(sums.event);
    if (binary) all["oe_ratio"] = oe_ratio(sums.event);
  }
  if (selection.event_log) finish_log_decomposition(sums.event, sums.event_log, options, all);
  if (selection.histogram) finish_label_histogram(sums.histogram, all);
  if (selection.disagreement) finish_disagreement(sums.disagreement, all);
  if (selection.agreement) finish_agreement(sums.agreement, all);
  if (selection.classes) all["ece_classwise"] = ece_classwise(sums.by_class);
  const bool has_mass = selection.event ? !sums.event.total().w.is_zero()
                                        : !sums.by_class.empty() && !sums.by_class[0].total().w.is_zero();
  if ((binary ? selection.event : selection.classes) && has_mass) brier_scores(sums, binary, all);
  for (const MetricRow* row : selection.rows) {
    if (row->room != Room::streaming) continue;
    const auto it = all.find(row->key);
    out[std::string(row->key)] = it != all.end() ? it->second : Estimate::undefined(std::string(kNoVotes));
  }
}

}  // namespace plumb
