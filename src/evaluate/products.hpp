// The products of one draw, and what metrics read off them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "evaluate/kernel.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/kernel/mmce.hpp"
#include "plumb/metrics/kernel/smece.hpp"
#include "plumb/metrics/ordered/brier_refinement.hpp"
#include "plumb/metrics/ordered/calibration_curve.hpp"
#include "plumb/metrics/ordered/calibration_line.hpp"
#include "plumb/metrics/ordered/corp.hpp"
#include "plumb/metrics/ordered/ks.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"
#include "plumb/metrics/ordered/score_tests.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"

namespace plumb::detail {

/// Options that affect a value.
struct FinishOptions {
  int bins = 15;
  double clip = 0;
  LeaveOut leave_out = LeaveOut::vote;
  bool binary = true;
  bool has_truth = false;
  int threads = 1;
  CurveKind curve = CurveKind::loess;
  double bandwidth = 0;  ///< of the kernel curve; 0: the one that predicts votes best
};

/// The smooth calibration curve of an ascending column at some forecasts.
[[nodiscard]] CurveFit fit_curve(const ForecastsView& f, const CurvePoints& points,
                                 std::span<const double> at, const FinishOptions& options);

/// Columns of one draw. Without a column in memory (`event` empty) kernel sums stream through `event_pass`.
struct ColumnProducts {
  ForecastsView event, confidence;
  std::optional<ForecastPass> event_pass;
  std::vector<ForecastsView> classes;
  const Items* items = nullptr;
  const KernelPlan* kernel = nullptr;
  const ConfidenceColumn* confidence_stretches = nullptr;  ///< in place of `confidence`
  std::optional<KdeErrors> kde = {};       ///< where several draws were computed at once: of the event,
  std::optional<ClassKde> class_kde = {};  ///< and of the classes
  // Where draws change the hits alone: of the event's column and of the confidence column.
  const ScoreTests* tests = nullptr;
  const MmceDraws* mmce = nullptr;
  const MmceDraws* mmce_top = nullptr;
  bool votes_apart = false;  ///< rows are distinct forecasts, and each of their votes is an item's only one
  bool calibrated = false;   ///< outcomes of a calibrated model: the line is the first step to it
};

/// The sums that both the error and the curve of the smooth kernel are computed from.
struct Smoothed {
  MomentValues moments;
  SmoothError error;
};

/// The products of one draw. What several metrics share is computed once. Access to a product that was not
/// requested is std::logic_error: a metric's row names all that it needs.
class Products {
 public:
  Products(const StreamSums& sums, ProductSet have, const FinishOptions& options)
      : have_(have), options_(options), stream_(&sums) {}
  Products(const ColumnProducts& columns, ProductSet have, const FinishOptions& options)
      : have_(have), options_(options), columns_(&columns) {}
  [[nodiscard]] bool has(ProductSet needed) const { return have_.has(needed); }
  [[nodiscard]] const FinishOptions& options() const { return options_; }

  [[nodiscard]] const ReliabilityTable& event_table() const;
  [[nodiscard]] const std::vector<ReliabilityTable>& class_tables() const;
  /// Summed over classes (binary: class 1 alone); absent without votes.
  [[nodiscard]] const std::optional<BrierParts>& brier_parts() const;
  // Families that are finished together, by key.
  [[nodiscard]] const Estimate& proper_score(std::string_view key) const;
  [[nodiscard]] const Estimate& log_part(std::string_view key) const;
  [[nodiscard]] const Estimate& histogram(std::string_view key) const;
  [[nodiscard]] const Estimate& disagreement(std::string_view key) const;
  [[nodiscard]] const Estimate& agreement(std::string_view key) const;

  [[nodiscard]] const ForecastsView& event_column() const;
  [[nodiscard]] const ReliabilityTable& mass_table() const;  ///< the event's on equal-mass bins
  [[nodiscard]] const ReliabilityTable& decile_table() const;
  [[nodiscard]] const CumulativeGaps& cumulative_gaps() const;
  [[nodiscard]] const CorpParts& corp() const;
  [[nodiscard]] const CorpParts& corp_log() const;
  [[nodiscard]] const CurveErrors& curve_errors() const;
  [[nodiscard]] const RiskCoverage& risk_coverage() const;
  [[nodiscard]] const BrierRefinement& brier_refinement() const;
  [[nodiscard]] const CalibrationLine& calibration_line() const;
  [[nodiscard]] const KdeErrors& kde() const;
  [[nodiscard]] const ClassKde& class_kde() const;
  [[nodiscard]] const LineScores& line_scores() const;
  [[nodiscard]] Estimate cox_score() const;
  [[nodiscard]] Estimate spiegelhalter_z() const;
  [[nodiscard]] const Estimate& mmce() const;
  [[nodiscard]] Estimate skce() const;
  [[nodiscard]] Estimate mmce_top() const;
  [[nodiscard]] Estimate canonical() const;
  [[nodiscard]] const Smoothed& smooth() const;

 private:
  void require(ProductSet needed) const;
  [[nodiscard]] const StreamSums& sums(ProductSet needed) const;
  [[nodiscard]] const ColumnProducts& columns(ProductSet needed) const;
  template <class Finish>
  const Estimate& family(std::optional<Scores>& scores, ProductSet needed, std::string_view key,
                         Finish finish) const;

  ProductSet have_;
  FinishOptions options_;
  const StreamSums* stream_ = nullptr;
  const ColumnProducts* columns_ = nullptr;
  // Filled when first asked for.
  mutable std::optional<std::optional<BrierParts>> brier_;
  mutable std::optional<Scores> proper_, log_, histogram_, disagreement_, agreement_;
  mutable std::optional<ReliabilityTable> mass_, deciles_;
  mutable std::optional<CumulativeGaps> gaps_;
  mutable std::optional<CurveErrors> curve_;
  mutable std::optional<CorpParts> corp_, corp_log_;
  mutable std::optional<RiskCoverage> risk_;
  mutable std::optional<BrierRefinement> refinement_;
  mutable std::optional<CalibrationLine> line_;
  mutable std::optional<LineScores> line_scores_;
  mutable std::optional<Estimate> mmce_;
  mutable std::optional<KdeErrors> kde_;
  mutable std::optional<ClassKde> class_kde_;
  mutable std::optional<Smoothed> smooth_;
};

}  // namespace plumb::detail
