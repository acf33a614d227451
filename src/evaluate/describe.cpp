#include "evaluate/describe.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluate/tables.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/data/check.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {

void add_settings(const EvaluateOptions& o, bool binary, bool logits, bool normalize, Result& result) {
  auto& s = result.settings;
  s.emplace_back("scale", std::string(logits ? "logits" : "probabilities"));
  s.emplace_back("normalize", normalize);
  s.emplace_back("event", std::string(binary ? "class 1" : "the vote equals the most probable class"));
  s.emplace_back("bins", std::int64_t{o.bins});
  s.emplace_back("binning", std::string(o.binning == Binning::width ? "width" : "mass"));
  s.emplace_back("cell", std::string(o.binning == Binning::width
                                         ? "min(int(p*bins), bins-1)"
                                         : "min(bins-1, floor(bins * share of weight below p))"));
  s.emplace_back("argmax_ties", std::string("lowest class"));
  s.emplace_back("ties", std::string(ties_name(o.ties)));
  s.emplace_back("weighting", std::string("each vote one, times the item's weight"));
  s.emplace_back("clip", o.clip);
  s.emplace_back("bootstrap", std::int64_t{o.bootstrap});
  s.emplace_back("level", o.level);
  s.emplace_back("tolerance", o.tolerance);
  s.emplace_back("seed", o.seed);
  result.verdict = no_verdict(o.tolerance);
}

void add_ties_note(std::int64_t tied, Ties ties, std::vector<std::string>& notes) {
  if (tied == 0) return;
  std::string what;
  if (ties == Ties::half)
    what =
        "the tied classes share the majority label equally, and p-values of the consensus leave such items out";
  if (ties == Ties::absent)
    what = "they have no majority label and are left out of the consensus and of accuracy";
  if (ties == Ties::lowest) what = "the majority label is the lowest of the tied classes";
  if (ties == Ties::random) what = "the majority label was drawn from the tied classes";
  notes.push_back("the raters tie on " + counted(tied, "item") + ": " + what + " (⟦ties⟧ " + ties_name(ties) +
                  ")");
}

bool has_majority(std::uint32_t most_votes, Ties ties) {
  return most_votes > 2 || ties == Ties::lowest || ties == Ties::random;
}

MetricResults no_majority(const Selection& selection, std::uint32_t most_votes) {
  MetricResults out;
  MetricResult none;
  none.why = most_votes > 2 ? "the raters tie on every item: there is no majority label"
                            : "two raters have no majority, and no item has three votes or more";
  for (const MetricRow* row : selection.rows) out.emplace_back(row->key, none);
  return out;
}

void add_interval_notes(const MetricResults& metrics, std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const auto& [key, m] : metrics) {
    if (m.interval_why.empty() || !why_no_interval(*find_metric(key)).empty()) continue;
    auto at = std::find_if(by_reason.begin(), by_reason.end(),
                           [&why = m.interval_why](const auto& r) { return r.first == why; });
    if (at == by_reason.end()) at = by_reason.insert(by_reason.end(), {m.interval_why, {}});
    at->second.push_back(key);
  }
  for (const auto& [why, keys] : by_reason)
    notes.push_back(fmt::format("no interval for {}: {}", fmt::join(keys, ", "), why));
}

void add_notes(const StreamSums& sums, std::int64_t items, bool log_loss, std::vector<std::string>& notes) {
  const auto used = narrow<std::int64_t>(sums.event.total().items);
  if (used < items)
    notes.push_back(counted(items - used, "item") + " without votes or of weight 0 " +
                    (items - used == 1 ? "was" : "were") + " left out");
  if (log_loss && sums.scores.clipped > 0)
    notes.push_back(counted(narrow<std::int64_t>(sums.scores.clipped), "vote") +
                    " had a probability that ⟦clip⟧ changed");
}

void add_kernel_note(const KernelPlan& kernel, std::vector<std::string>& notes) {
  if (kernel.event && !kernel.event->why.empty())
    notes.push_back("bandwidth 1 was used: " + kernel.event->why);
  if (kernel.event && kernel.event->bound == Bandwidth::Bound::lower)
    notes.push_back(
        "the bandwidth of ece_kde is the smallest that is tried, 0.0001: the votes change with p in steps narrower than that kernel");
  if (kernel.event && kernel.event->bound == Bandwidth::Bound::upper)
    notes.push_back(
        "the bandwidth of ece_kde is the largest that is tried, 1: the votes hardly change with p");
}

Result describe_run(const Items& items, const EvaluateOptions& options, const Selection& selection,
                    const StreamSums& sums) {
  Result r;
  r.version = version();
  r.command = "evaluate";
  r.task = items.binary() ? "binary" : "multiclass";
  r.items = items.size();
  r.classes = items.classes();
  r.class_names = items.class_names;
  r.votes = narrow<std::int64_t>(sums.event.total().votes);
  add_settings(options, items.binary(), items.predictions.scale() == Scale::logit,
               items.predictions.normalizes(), r);
  std::vector<std::string> keys;
  for (const MetricRow* row : selection.rows) keys.emplace_back(row->key);
  r.settings.emplace_back("metrics", keys);
  r.settings.emplace_back("samples", std::int64_t{items.predictions.samples()});
  r.settings.emplace_back("unit", std::string(items.groups.empty() ? "item" : "group"));
  if (logits_look_like_probabilities(items.predictions)) r.notes.emplace_back(kNoLogits);
  add_notes(sums, items.size(), selection.products.has(Product::proper_scores), r.notes);
  return r;
}

void add_null_settings(const NullModel& model, Result& result) {
  result.settings.emplace_back("null", model.name());
  if (model.kind == NullKind::signs) return;
  if (model.several) result.settings.emplace_back("null_vote_correlation", model.vote_correlation);
  if (model.grouped) result.settings.emplace_back("null_group_correlation", model.groups.rho);
}

void add_kernel_settings(const KernelPlan& kernel, const EvaluateOptions& o, Result& result) {
  if (!kernel.event && kernel.by_class.empty()) return;
  auto& s = result.settings;
  s.emplace_back("bandwidth_choice", std::string(o.bandwidth > 0 ? "given"
                                                 : o.bandwidth_rule == BandwidthRule::likelihood
                                                     ? "leave-item-out likelihood of p"
                                                     : "auto: leave-item-out prediction of votes"));
  if (kernel.event) {
    s.emplace_back("bandwidth", kernel.event->bandwidth);
    s.emplace_back("bandwidth_curve", kernel.event->curve_bandwidth);
  }
  if (!kernel.by_class.empty()) {
    std::vector<double> h;
    for (const KernelColumn& c : kernel.by_class) h.push_back(c.bandwidth);
    s.emplace_back("bandwidth_by_class", h);
  }
  s.emplace_back("leave_out", std::string(o.leave_out == LeaveOut::vote ? "vote" : "item"));
  add_kernel_note(kernel, result.notes);
}

void add_class_results(const StreamSums& sums, const Selection& selection, Result& result) {
  if (sums.by_class.empty()) return;
  const auto add_metric = [&](const char* key, auto value_of) {
    if (!selection.has(key)) return;
    std::vector<std::optional<double>> values;
    for (const ReliabilityTable& t : sums.by_class)
      values.push_back(t.total().w.is_zero() ? std::nullopt : std::optional<double>(value_of(t)));
    result.per_class.emplace_back(key, std::move(values));
  };
  add_metric("ece_classwise", [](const ReliabilityTable& t) { return *ece(t).value; });
  add_metric("brier_reliability", [](const ReliabilityTable& t) { return brier_parts(t).reliability; });
  add_metric("brier_resolution", [](const ReliabilityTable& t) { return brier_parts(t).resolution; });
  add_metric("brier_uncertainty", [](const ReliabilityTable& t) { return brier_parts(t).uncertainty; });
  for (std::int64_t k = 0; k < std::ssize(sums.by_class); ++k)
    result.tables.emplace_back("reliability_class_" + std::to_string(k), reliability_rows(sums.by_class[k]));
}

}  // namespace plumb::detail
