// From draws to intervals and p-values, as the registry says for each metric.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/prepared.hpp"
#include "evaluate/sample_size.hpp"
#include "plumb/registry.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Values of each key over the draws that had one.
using Replicates = std::map<std::string, std::vector<double>, std::less<>>;
[[nodiscard]] Replicates by_key(const std::vector<Drawn>& draws);

/// Whether the interval is made from null draws.
[[nodiscard]] bool interval_needs_null(const MetricRow& row);

[[nodiscard]] MetricResult result_of(const Estimate& estimate);

/// Shares of votes for the less likely outcome of each bin.
struct Unlikely {
  double came = 0, expected = 0;  ///< expected: by a calibrated model
  double copies = 1;              ///< K/2 with K class tables: an unlikely vote is in two of them
  explicit Unlikely(std::span<const ReliabilityTable> tables);
};

/// What intervals are made of. Refers to what it is made from.
class Inference {
 public:
  /// `null` may be empty: then there are no p-values, and inversion takes its noise from `boot`. Both must
  /// have been scored with Bands.
  Inference(const Observed& observed, const std::vector<Drawn>& boot, const std::vector<Drawn>& null,
            const SampleSize& size, bool binary, const EvaluateOptions& options);

  /// The observed estimate with null mean, p-value and interval; without draws the estimate alone.
  /// With draws, a value without an interval has `interval_why`.
  [[nodiscard]] MetricResult result(const MetricRow& row) const;

  /// `ece_corrected`, asked for or not; empty without draws.
  [[nodiscard]] MetricResult corrected() const;
  /// Noise of the event's bins; absent without draws.
  [[nodiscard]] const std::optional<BinNoise>& event() const { return event_; }
  [[nodiscard]] const SampleSize& size() const { return size_; }
  [[nodiscard]] bool binary() const { return binary_; }
  /// Over all bins of the event.
  [[nodiscard]] Bin event_total() const { return observed_.sums.event.total(); }
  /// The error that these forecasts would have if every outcome were the unlikely one.
  [[nodiscard]] double largest() const { return 1 - unlikely_.expected; }
  /// Of the spread of a mean loss, which the rarer outcome brings most of: half as many as there are of it.
  [[nodiscard]] double loss_degrees() const { return std::max(rarer() / 2, 5.0); }
  /// Votes for the rarer of the two outcomes, in effective units.
  [[nodiscard]] double rarer() const;
  /// An upper bound of the mean gap from the number of votes for the less likely outcome alone. Where
  /// forecasts are near 0 or 1 a calibrated model has no noise, and this is what N outcomes can prove.
  [[nodiscard]] double rare_bound(double level) const { return rare_bound(unlikely_, level); }
  /// The share of votes that a calibrated model expects to go to the less likely outcome.
  [[nodiscard]] double rare_expected() const { return unlikely_.expected; }

 private:
  [[nodiscard]] double null_counterpart(const MetricRow& row, double value) const;
  [[nodiscard]] std::optional<double> closed_form_p(const MetricRow& row) const;
  void add_bounds(const MetricRow& row, MetricResult& m) const;
  [[nodiscard]] std::optional<BinNoise> noise(std::span<const ReliabilityTable> tables,
                                              BinSums Drawn::*sums) const;
  [[nodiscard]] double rare_bound(const Unlikely& u, double level) const;
  void add_inversion(std::string_view key, MetricResult& m) const;
  void add_share(std::string_view key, std::span<const double> replicates, MetricResult& m) const;
  void add_debiased(const MetricRow& row, std::span<const double> replicates, MetricResult& m) const;
  void add_normal(const MetricRow& row, std::span<const double> replicates, MetricResult& m) const;
  [[nodiscard]] double plug_in_square(std::string_view key) const;
  [[nodiscard]] double percentile_stretch() const;
  void stretch(const MetricRow& row, double ratio, MetricResult& m) const;
  void widen_ratio(MetricResult& m) const;
  void widen_loss(const MetricRow& row, MetricResult& m) const;
  void add_auroc(std::span<const double> replicates, MetricResult& m) const;

  const Observed& observed_;
  const std::vector<Drawn>&boot_, &null_;
  SampleSize size_;
  bool binary_;
  double level_, clip_;
  double stretch_;  ///< of intervals from draws of groups
  Replicates drawn_, null_values_;
  std::optional<BinNoise> event_;
  Unlikely unlikely_;
};

}  // namespace plumb::detail
