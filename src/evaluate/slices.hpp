// Every slice evaluated by itself, on its own rows, bins and bandwidths.
#pragma once

#include "evaluate/prepared.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Values of the selected metrics on these items; all absent where they have no votes.
[[nodiscard]] GroupResult scores_of(const std::string& name, const Items& part, const Selection& selection,
                                    const EvaluateOptions& options, Progress& quiet);

/// Those of the metrics that slices have intervals of, with what these need.
[[nodiscard]] Selection drawn_in_slices(const Selection& selection, bool headlines);
/// Intervals of the slice, evaluated as a test set of its own, and of all `slices` at once. `ece_corrected`
/// gets its value.
void add_slice_intervals(const Items& part, const Selection& drawn, std::int64_t slices,
                         const EvaluateOptions& options, Progress& quiet, GroupResult& out);

class Slices {
 public:
  /// The arguments must outlive it. No way to slice: nothing to do.
  Slices(const Items& items, const EvaluateOptions& options, const Prepared& whole);
  /// Of the draws, in passes over all rows: each way to slice draws as much as the whole does.
  [[nodiscard]] double work() const { return work_; }
  /// Values of every metric; with replicates, intervals of those that tables of slices show.
  void evaluate(Progress& progress, Result& result) const;

 private:
  [[nodiscard]] GroupResult result_of(const std::string& name, const Items& part, const EvaluateOptions& o,
                                      Progress& quiet) const;

  const Items& items_;
  const EvaluateOptions& options_;
  const Selection& selection_;
  Selection drawn_;          // metrics that get an interval
  std::int64_t slices_ = 0;  // of all ways together
  bool intervals_ = false;
  double work_ = 0;
};

}  // namespace plumb::detail
