// The streaming pass: blocks of items into sums, for the data themselves and again for each draw.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/bin_plan.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb::detail {

/// The effect of a draw on some rows: how often each counts (empty: once), or redrawn outcomes.
struct RowDraw {
  std::span<const std::uint32_t> times = {};
  const NullDraw* outcomes = nullptr;       ///< the block was planned for its model
  std::span<const double> event_hits = {};  ///< of the event, where they were drawn already
};

[[nodiscard]] inline ScoreOptions score_options(const EvaluateOptions& o) {
  return {o.clip, {o.ties, o.seed}};
}

/// A block read and projected once, then added as often as there are draws.
struct BlockParts {
  ItemBlock block;
  Forecasts event;
  ScoreTerms terms;
  EventLogTerms event_log;
  ShareTerms histogram, disagreement;
  DisagreementForecast forecast;
  VoteCounts event_votes, pair_votes;  ///< for draws of the null
  void read(const Items& items, std::int64_t begin, std::int64_t end, const BinPlan& plan,
            ProductSet products, const ScoreOptions& options);
  /// What draws of the null share. Votes of an item are correlated as fitted; those from which disagreement
  /// is counted as the forecast of disagreement has it, since that is what is tested.
  void plan_null(const NullModel& model, ProductSet products);
};

class StreamBuilder {
 public:
  StreamBuilder(const BinPlan& plan, ProductSet products);
  /// Redrawn votes stay in the shares of `parts`: whatever is observed is added before them.
  void update(BlockParts& parts, const RowDraw& draw = {});
  [[nodiscard]] StreamSums finish();

 private:
  void update_observed(const BlockParts& parts, std::span<const std::uint32_t> times);
  void update_null(BlockParts& parts, const RowDraw& drawn_rows);
  ProductSet products_;
  TableBuilder event_;
  std::optional<ClasswiseBuilder> by_class_;
  ShareBuilder histogram_, disagreement_;
  ProperScores scores_;
  EventLogLoss event_log_;
  Agreement agreement_;
  bool several_votes_ = false;
};

/// One parallel pass over the data themselves.
[[nodiscard]] StreamSums stream_sums(const Items& items, const BinPlan& plan, ProductSet products,
                                     const EvaluateOptions& options, Progress& progress);

}  // namespace plumb::detail
