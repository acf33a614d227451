#include "evaluate/products.hpp"

#include <stdexcept>

#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/metrics/raters/log_decomposition.hpp"

namespace plumb::detail {
namespace {

/// The value, computed when first asked for.
template <class T, class Make>
const T& once(std::optional<T>& value, Make make) {
  if (!value) value.emplace(make());
  return *value;
}

const Estimate& named(const Scores& scores, std::string_view key) {
  const auto at = scores.find(key);
  if (at == scores.end()) throw std::logic_error("no pass gave the metric " + std::string(key));
  return at->second;
}

}  // namespace

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
  return once(brier_, [&]() -> std::optional<BrierParts> {
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
  return named(once(scores,
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

const ForecastsView& Products::confidence_column() const {
  return columns(Product::confidence_column).confidence;
}

const ReliabilityTable& Products::mass_table() const {
  return once(mass_, [&] { return equal_mass_table(event_column(), options_.bins); });
}

const RiskCoverage& Products::risk_coverage() const {
  return once(risk_, [&] { return plumb::risk_coverage(confidence_column()); });
}

const BrierRefinement& Products::brier_refinement() const {
  return once(refinement_, [&] { return plumb::brier_refinement(event_column()); });
}

const CalibrationLine& Products::calibration_line() const {
  return once(line_, [&] { return plumb::calibration_line(event_column(), options_.clip); });
}

const KdeErrors& Products::kde() const {
  return once(kde_, [&] {
    const ColumnProducts& c = columns(Product::kde);
    if (c.kde) return *c.kde;
    const BetaPlan& plan = *c.kernel->event->plan;
    return c.event_pass ? ece_kde(*c.event_pass, plan, options_.leave_out)
                        : ece_kde(c.event, plan, options_.leave_out, options_.threads);
  });
}

const ClassKde& Products::class_kde() const {
  return once(class_kde_, [&] {
    const ColumnProducts& c = columns(Product::class_kde);
    if (c.class_kde) return *c.class_kde;
    return kernel_class_errors(c.classes, *c.kernel, options_.leave_out, options_.threads);
  });
}

Estimate Products::cox_score() const {
  const ColumnProducts& c = columns(Product::event_column);
  return c.tests != nullptr ? c.tests->cox_score(c.event) : plumb::cox_score(c.event);
}

Estimate Products::spiegelhalter_z() const {
  const ColumnProducts& c = columns(Product::event_column);
  return c.tests != nullptr ? c.tests->spiegelhalter_z(c.event) : plumb::spiegelhalter_z(c.event);
}

Estimate Products::canonical() const {
  const ColumnProducts& c = columns(Product::canonical);
  return kernel_canonical_error(*c.items, *c.kernel, options_.leave_out, options_.threads);
}

const SmoothError& Products::smooth() const {
  return once(smooth_, [&] {
    const ColumnProducts& c = columns(Product::smooth);
    return c.event_pass ? smece(smooth_sums(*c.event_pass)) : smece(c.event, options_.threads);
  });
}

}  // namespace plumb::detail
