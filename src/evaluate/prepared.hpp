// A prepared evaluation: the metrics, their bins, sorted columns and kernel plans. Made once; together with a
// draw it gives scores. evaluate, compare and stability are loops over draws.
#pragma once

#include <optional>
#include <vector>

#include "evaluate/drawn_hits.hpp"
#include "evaluate/inversion.hpp"
#include "evaluate/selection.hpp"
#include "evaluate/stream.hpp"
#include "plumb/metrics/ordered/decisions.hpp"
#include "plumb/metrics/ordered/honest_band.hpp"
#include "plumb/metrics/ordered/isotonic.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {

/// A resample, described by a few numbers: rows are weighted or redrawn as they are read.
struct Draw {
  std::uint32_t replicate = 0;
  std::span<const std::uint32_t> counts = {};  ///< how often each row counts; empty: Poisson(1) by unit
  const NullModel* null = nullptr;             ///< a calibrated model's votes in place of the observed
};
/// Draws 0 to n - 1, of Poisson counts or of the null.
[[nodiscard]] std::vector<Draw> numbered_draws(int n, const NullModel* null = nullptr);

/// Values on the data themselves.
struct Observed {
  StreamSums sums;
  Scores scores;       ///< of every selected metric
  Scores event_tests;  ///< those of the omnibus test, where draws will be ranked beside them
  std::vector<std::optional<double>> class_kde;
  double smooth_sigma = 0;  ///< bandwidth of the smoothed curve
  std::optional<MomentValues> smooth_moments;
  ReliabilityTable mass;                         ///< on equal-mass bins, where `ece_mass` was asked for
  std::vector<Decision> decisions = {};          ///< at the thresholds of decision_thresholds()
  std::optional<Bounds> event_ratio = {};        ///< exact interval of `oe_ratio`, where there is one
  std::optional<double> hosmer_lemeshow_p = {};  ///< of the chi-square distribution
  LinePValues line_p = {};                       ///< likelihood-ratio tests, for single votes
  CalibrationLine line_step = {};                ///< what null draws of the line are compared with
};

/// The outcome of one draw: estimates and, with bands, what intervals and bands of plots are computed from.
struct Drawn {
  Scores scores;
  std::vector<double> event_mean_y;             ///< null draws: by bin; 0 where it is empty
  std::vector<double> kde_curve, smooth_curve;  ///< the others: by grid point; NaN where absent
  std::vector<double> corp_curve = {};          ///< null draws: at the forecasts of Bands
  std::vector<Decision> decisions = {};         ///< bootstrap draws: where Bands has thresholds
  BinSums event, classes, mass;                 ///< on the bins of the data; mass: where Bands has bins
};
struct Bands {
  double smooth_sigma = 0;
  std::optional<BinEdges> mass = {};
  std::vector<double> thresholds = {};  ///< ascending
  std::vector<double> corp = {};        ///< forecasts at which null draws give their isotonic fit
};

/// Products that are computed from sorted columns.
inline constexpr ProductSet kColumns{Product::event_column, Product::confidence_column, Product::kde,
                                     Product::smooth};

class Prepared {
 public:
  /// `items` must outlive it. `will_draw`: columns of kernel metrics are kept for draws. `also`: products of
  /// the streaming pass beyond what the metrics need.
  Prepared(const Items& items, Selection selection, const EvaluateOptions& options, bool will_draw,
           ProductSet also = {});

  /// Draws are keyed by the names of items, as in states, and no longer by their row numbers; `ids` must
  /// outlive it.
  void key_by(const Names& ids);

  [[nodiscard]] const Selection& selection() const { return selection_; }
  [[nodiscard]] const KernelPlan& kernel() const { return kernel_; }
  /// The event's column: in memory when it is kept, otherwise as it streams.
  [[nodiscard]] ForecastPass event_pass() const;
  [[nodiscard]] bool has_columns() const { return columns_.has_value(); }
  /// In place of the event's column, where that does not fit into memory.
  [[nodiscard]] const std::optional<Ladder>& ladder() const { return ladder_; }

  /// The smooth calibration curve of the event between its least and its largest forecast, as (p, estimate);
  /// empty where there is none. Needs the event's column.
  [[nodiscard]] std::vector<std::pair<double, double>> curve() const;
  /// The isotonic fit of the event (CORP). Needs the event's column.
  [[nodiscard]] std::vector<IsotonicBlock> isotonic() const {
    return isotonic_blocks(columns_->event.view());
  }
  /// A band for the true frequency of the event at all forecasts at once. Needs the event's column.
  [[nodiscard]] HonestBand honest(std::span<const double> at, double level, double dependence) const {
    return honest_band(columns_->event.view(), at, level, dependence);
  }
  /// How much votes of one unit depend on one another (vote_dependence()); absent where the column does not
  /// know its rows: of groups without draws, and read off a ladder.
  [[nodiscard]] std::optional<double> dependence() const;
  /// The data themselves, on all threads.
  [[nodiscard]] Observed observe(Progress& progress) const;
  /// The model of a calibrated model's votes, fitted to how votes of an item and items of a group move
  /// together. Needs the event's column.
  [[nodiscard]] NullModel fit_null(bool several_votes) const;
  /// Passes over the data that a draw of `part` takes: the unit of progress.
  [[nodiscard]] double passes(const Selection& part) const;
  /// The metrics of `part` for each draw, `threads` draws at a time. Metrics of quadratic cost are left out.
  /// The draws of one call are all of the null or none.
  [[nodiscard]] std::vector<Drawn> score(const Selection& part, std::span<const Draw> draws, int threads,
                                         Progress& progress, const Bands* bands = nullptr) const;

 private:
  struct Columns {
    SortedForecasts event;
    SortedForecasts confidence;  ///< empty when it is the event's column
  };
  struct DrawnRows;
  struct ColumnRows;
  [[nodiscard]] FinishOptions finish_options(int threads) const;
  /// What the random numbers of a row depend on: its id, otherwise its number.
  [[nodiscard]] std::uint64_t key_of(std::int64_t row) const {
    return ids_ != nullptr ? id_hash_[ids_->code(row)] : static_cast<std::uint64_t>(row);
  }
  [[nodiscard]] std::uint64_t unit_of(std::int64_t row) const {
    return ids_ != nullptr && !units_.grouped() ? key_of(row) : units_.unit_of(row);
  }
  void read_keys(std::int64_t begin, std::int64_t end, std::vector<std::uint64_t>& rows,
                 std::vector<std::uint64_t>& units) const;
  [[nodiscard]] std::int64_t draws_at_once(ProductSet products, std::int64_t draws, int threads) const;
  [[nodiscard]] std::int64_t draws_together(std::int64_t draws, std::int64_t columns, int threads) const;
  [[nodiscard]] std::int64_t tables_that_fit(ProductSet products, int threads) const;
  /// `hits` is filled where it is kept.
  void score_stream(const Selection& part, std::span<const Draw> draws, int threads, Progress& progress,
                    bool bands, DrawnHits& hits, std::vector<Drawn>& out) const;
  [[nodiscard]] bool has_few_groups(ProductSet products, std::span<const Draw> draws, int threads) const;
  [[nodiscard]] std::vector<std::uint64_t> units_of_groups() const;  ///< by code of the group
  void score_columns(const Selection& part, std::span<const Draw> draws, int threads, Progress& progress,
                     const Bands* bands, const DrawnHits& hits, std::vector<Drawn>& out) const;
  void score_classes(const Selection& part, std::span<const Draw> draws, int threads, Progress& progress,
                     std::vector<Drawn>& out) const;

  const Items& items_;
  Selection selection_;
  EvaluateOptions options_;
  ProductSet products_;
  bool will_draw_;
  BinPlan plan_;
  Units units_;
  const Names* ids_ = nullptr;
  std::vector<std::uint64_t> id_hash_;  ///< by code
  std::optional<Columns> columns_;
  std::optional<Ladder> ladder_;
  std::optional<ClassKde>
      ladder_classes_;  ///< where the event is on a ladder, those of classes are read off theirs
  KernelPlan kernel_;
};

}  // namespace plumb::detail
