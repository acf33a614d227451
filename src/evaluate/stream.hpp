// The streaming pass: blocks of items into sums, once for the value and again, with weights, for each
// replicate.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/selection.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb {

/// How the event and each class are cut into cells.
struct CellPlan {
  Cells event;
  std::vector<Cells> by_class;
  std::vector<Cells> disagreement;  ///< overall, then by class
};
/// Equal width, or equal mass of the full data (which costs a sort of each column that `passes` needs).
[[nodiscard]] CellPlan cell_plan(const Items& items, const Selection& passes, const EvaluateOptions& options);
[[nodiscard]] CellPlan equal_width_plan(int bins, int classes);

/// A block read and projected once, then added as often as there are replicates.
struct BlockParts {
  ItemBlock block;
  Forecasts event;
  ScoreTerms terms;
  EventLogTerms event_log;
  ShareTerms histogram, disagreement;
  DisagreementForecast forecast;
  void read(const Items& items, std::int64_t begin, std::int64_t end, const CellPlan& plan,
            const Selection& passes, const ScoreOptions& options);
};

class StreamBuilder {
 public:
  StreamBuilder(const CellPlan& plan, const Selection& passes);
  void update(const BlockParts& parts, std::span<const std::uint32_t> times = {});
  // For the null, which fills tables with redrawn outcomes.
  TableBuilder& event() { return event_; }
  ClasswiseBuilder* by_class() { return by_class_ ? &*by_class_ : nullptr; }
  ShareBuilder& histogram() { return histogram_; }
  [[nodiscard]] StreamSums finish();

 private:
  Selection passes_;
  TableBuilder event_;
  std::optional<ClasswiseBuilder> by_class_;
  ShareBuilder histogram_, disagreement_;
  ProperScores scores_;
  EventLogLoss event_log_;
  Agreement agreement_;
  bool several_votes_ = false;
};

[[nodiscard]] StreamSums stream_sums(const Items& items, const CellPlan& plan, const Selection& passes,
                                     const ScoreOptions& options, int threads);

/// The selected streaming keys, read off the sums.
void stream_scores(const StreamSums& sums, const Selection& selection, bool binary,
                   const ScoreOptions& options, bool has_truth, Scores& out);

}  // namespace plumb
