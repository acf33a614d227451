// The streaming pass: blocks of items into sums, once for the value and again, with weights, for each replicate.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/selection.hpp"
#include "plumb/evaluate_state.hpp"

namespace plumb {

/// How the event and each class are cut into cells.
struct CellPlan {
  Cells event;
  std::vector<Cells> by_class;
};
[[nodiscard]] CellPlan equal_width_plan(int bins, int classes);
/// Equal-mass cells of the full data, for the event and, when asked, each class. Needs all the data.
[[nodiscard]] CellPlan equal_mass_plan(const Items& items, int bins, bool with_classes, int threads);

/// A block read and projected once, then added as often as there are replicates.
struct BlockParts {
  ItemBlock block;
  Forecasts event;
  ScoreTerms terms;
  void read(const Items& items, std::int64_t begin, std::int64_t end, const Selection& passes, const ScoreOptions& options);
};

class StreamBuilder {
 public:
  StreamBuilder(const CellPlan& plan, const Selection& passes);
  void update(const BlockParts& parts, std::span<const std::uint32_t> times = {});
  TableBuilder& event() { return event_; }
  ClasswiseBuilder* by_class() { return by_class_ ? &*by_class_ : nullptr; }
  [[nodiscard]] StreamSums finish();

 private:
  bool use_scores_, use_event_;
  TableBuilder event_;
  std::optional<ClasswiseBuilder> by_class_;
  ProperScores scores_;
  bool several_votes_ = false;
};

[[nodiscard]] StreamSums stream_sums(const Items& items, const CellPlan& plan, const Selection& passes,
                                     const ScoreOptions& options, int threads);

/// The selected streaming keys, read off the sums.
void stream_scores(const StreamSums& sums, const Selection& selection, bool binary, const ScoreOptions& options,
                   bool has_truth, Scores& out);

}  // namespace plumb
