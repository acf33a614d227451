#include "evaluate/products.hpp"

#include <stdexcept>

#include "plumb/metrics/kernel/skce.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/hosmer_lemeshow.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/metrics/raters/log_decomposition.hpp"

namespace plumb::detail {
namespace {

/// The value, computed when first asked for.
template <class T, class Make>
const T& computed_once(std::optional<T>& value, Make make) {
  if (!value) value.emplace(make());
  return *value;
}

const Estimate& named(const Scores& scores, std::string_view key) {
  const auto at = scores.find(key);
  if (at == scores.end()) throw std::logic_error("no pass gave the metric " + std::string(key));
  return at->second;
}

}  // namespace

CurveFit fit_curve(const ForecastsView& f, const CurvePoints& points, std::span<const double> at,
                   const FinishOptions& o) {
  if (points.size() == 0) return {};
  if (o.curve == CurveKind::loess) return loess_curve(points, at, o.threads);
  if (o.curve == CurveKind::rcs) return rcs_curve(points, at, o.clip);
  const double bandwidth = o.bandwidth > 0 ? o.bandwidth : vote_bandwidths(f, o.threads).curve.value;
  CurveFit out;
  for (const CurvePoint& c : reliability_kde(beta_sums(pass_over(f, o.threads), kernel_boxes(bandwidth)), at))
    out.value.push_back(c.estimate.value_or(c.p));
  return out;
}

void Products::require(ProductSet needed) const {
  if (!have_.has(needed)) throw std::logic_error("a metric is read off a product that its row does not name");
}

const StreamSums& Products::sums(ProductSet needed) const {
  require(needed);
  return *stream_;
}

const ColumnProducts& Products::columns(ProductSet needed) const {
  require(needed);
  return *columns_;
}

const ReliabilityTable& Products::event_table() const { return sums(Product::event_table).event; }

const std::vector<ReliabilityTable>& Products::class_tables() const {
  return sums(Product::class_tables).by_class;
}

const std::optional<BrierParts>& Products::brier_parts() const {
  return computed_once(brier_, [&]() -> std::optional<BrierParts> {
    const std::span<const ReliabilityTable> tables =
        options_.binary ? std::span(&event_table(), 1) : std::span(class_tables());
    BrierParts total;
    for (const ReliabilityTable& t : tables) {
      if (t.total().w.is_zero()) return std::nullopt;
      const BrierParts b = plumb::brier_parts(t);
      total.reliability += b.reliability;
      total.resolution += b.resolution;
      total.uncertainty += b.uncertainty;
    }
    return total;
  });
}

template <class Finish>
const Estimate& Products::family(std::optional<Scores>& scores, ProductSet needed, std::string_view key,
                                 Finish finish) const {
  const StreamSums& s = sums(needed);
  return named(computed_once(scores,
                             [&] {
                               Scores out;
                               finish(s, out);
                               return out;
                             }),
               key);
}

const Estimate& Products::proper_score(std::string_view key) const {
  return family(proper_, Product::proper_scores, key, [&](const StreamSums& s, Scores& out) {
    finish(s.scores, ScoreOptions{options_.clip}, options_.has_truth, out);
  });
}

const Estimate& Products::log_part(std::string_view key) const {
  return family(log_, {Product::event_table, Product::event_log}, key, [&](const StreamSums& s, Scores& out) {
    finish_log_decomposition(s.event, s.event_log, ScoreOptions{options_.clip}, out);
  });
}

const Estimate& Products::histogram(std::string_view key) const {
  return family(histogram_, Product::histogram, key,
                [&](const StreamSums& s, Scores& out) { finish_label_histogram(s.histogram, out); });
}

const Estimate& Products::disagreement(std::string_view key) const {
  return family(disagreement_, Product::disagreement, key,
                [&](const StreamSums& s, Scores& out) { finish_disagreement(s.disagreement, out); });
}

const Estimate& Products::agreement(std::string_view key) const {
  return family(agreement_, Product::agreement, key,
                [](const StreamSums& s, Scores& out) { finish_agreement(s.agreement, out); });
}

const ForecastsView& Products::event_column() const { return columns(Product::event_column).event; }

const ReliabilityTable& Products::mass_table() const {
  return computed_once(mass_, [&] { return equal_mass_table(event_column(), options_.bins); });
}

const ReliabilityTable& Products::decile_table() const {
  return computed_once(deciles_, [&] { return equal_mass_table(event_column(), kHosmerLemeshowBins); });
}

const CumulativeGaps& Products::cumulative_gaps() const {
  return computed_once(gaps_, [&] { return plumb::cumulative_gaps(event_column()); });
}

const CorpParts& Products::corp() const {
  return computed_once(corp_, [&] { return corp_brier(event_column()); });
}

const CorpParts& Products::corp_log() const {
  return computed_once(corp_log_, [&] { return plumb::corp_log(event_column(), options_.clip); });
}

const CurveErrors& Products::curve_errors() const {
  return computed_once(curve_, [&] {
    const ForecastsView& f = event_column();
    const CurvePoints points = curve_points(f);
    return plumb::curve_errors(f, points, fit_curve(f, points, points.p, options_));
  });
}

const RiskCoverage& Products::risk_coverage() const {
  return computed_once(risk_, [&] {
    const ColumnProducts& c = columns(Product::confidence_column);
    return c.confidence_stretches != nullptr ? plumb::risk_coverage(*c.confidence_stretches, options_.threads)
                                             : plumb::risk_coverage(c.confidence);
  });
}

const BrierRefinement& Products::brier_refinement() const {
  return computed_once(refinement_, [&] { return plumb::brier_refinement(event_column()); });
}

const CalibrationLine& Products::calibration_line() const {
  return computed_once(line_, [&] {
    if (columns(Product::event_column).calibrated) return first_step(line_scores());
    return plumb::calibration_line(event_column(), options_.clip, options_.threads);
  });
}

const LineScores& Products::line_scores() const {
  return computed_once(line_scores_, [&] {
    const ColumnProducts& c = columns(Product::event_column);
    return c.tests != nullptr ? c.tests->line_scores(c.event) : plumb::line_scores(c.event, options_.threads);
  });
}

const KdeErrors& Products::kde() const {
  return computed_once(kde_, [&] {
    const ColumnProducts& c = columns(Product::kde);
    if (c.kde) return *c.kde;
    const BetaPlan& plan = *c.kernel->event->plan;
    return c.event_pass ? ece_kde(*c.event_pass, plan, options_.leave_out)
                        : ece_kde(c.event, plan, options_.leave_out, options_.threads);
  });
}

const ClassKde& Products::class_kde() const {
  return computed_once(class_kde_, [&] {
    const ColumnProducts& c = columns(Product::class_kde);
    if (c.class_kde) return *c.class_kde;
    return kernel_class_errors(c.classes, *c.kernel, options_.leave_out, options_.threads);
  });
}

Estimate Products::cox_score() const { return plumb::cox_score(line_scores()); }

Estimate Products::spiegelhalter_z() const {
  const ColumnProducts& c = columns(Product::event_column);
  return c.tests != nullptr ? c.tests->spiegelhalter_z(c.event)
                            : plumb::spiegelhalter_z(c.event, options_.threads);
}

const Estimate& Products::mmce() const {
  return computed_once(mmce_, [&] {
    const ColumnProducts& c = columns(Product::event_column);
    return c.mmce != nullptr ? (*c.mmce)(c.event) : plumb::mmce(c.event);
  });
}

Estimate Products::skce() const {
  const ColumnProducts& c = columns(Product::event_column);
  return plumb::skce(mmce(), c.event, c.votes_apart ? SkceRows::votes : SkceRows::items);
}

Estimate Products::mmce_top() const {
  const ColumnProducts& c = columns(Product::confidence_column);
  if (c.confidence_stretches != nullptr) return plumb::mmce(*c.confidence_stretches, options_.threads);
  return c.mmce_top != nullptr ? (*c.mmce_top)(c.confidence) : plumb::mmce(c.confidence);
}

Estimate Products::canonical() const {
  const ColumnProducts& c = columns(Product::canonical);
  return kernel_canonical_error(*c.items, *c.kernel, options_.leave_out, options_.threads);
}

const Smoothed& Products::smooth() const {
  return computed_once(smooth_, [&] {
    const ColumnProducts& c = columns(Product::smooth);
    Smoothed out{smooth_values(c.event_pass ? *c.event_pass : pass_over(c.event, options_.threads)), {}};
    out.error = smece(out.moments);
    return out;
  });
}

}  // namespace plumb::detail
