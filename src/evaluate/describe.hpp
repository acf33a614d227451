// What was run: task, counts, the settings that affect a number, notes, class-wise results.
#pragma once

#include "evaluate/kernel.hpp"
#include "evaluate/selection.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/resample/null_model.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

[[nodiscard]] Result describe_run(const Items& items, const EvaluateOptions& options,
                                  const Selection& selection, const StreamSums& sums);
/// The settings every run of these options shares, merged or not.
void add_settings(const EvaluateOptions& options, bool binary, bool logits, bool normalize, Result& result);
/// per_class values and reliability_class_k tables.
void add_class_results(const StreamSums& sums, const Selection& selection, Result& result);
/// How the votes of a calibrated model were simulated.
void add_null_settings(const NullModel& model, Result& result);
/// The bandwidths in use.
void add_kernel_settings(const KernelPlan& kernel, const EvaluateOptions& options, Result& result);
/// Label-histogram and disagreement tables, agreement of raters, per class and per rater.
void add_rater_results(const Items& items, const StreamSums& sums, const Selection& selection, int threads,
                       Result& result);
/// The part of it that a merged state has too.
void add_rater_tables(const StreamSums& sums, const Selection& selection, Result& result);
/// Which keys have no interval for a reason that lies in the data.
void add_interval_notes(const MetricResults& metrics, std::vector<std::string>& notes);
/// Ties of the majority label, if any, and how they were counted.
void add_ties_note(std::int64_t tied, Ties ties, std::vector<std::string>& notes);
/// Two votes either agree or tie: if no item has more, there is no majority unless ties are broken.
[[nodiscard]] bool has_majority(std::uint32_t most_votes, Ties ties);
/// An absent consensus, with the reason.
[[nodiscard]] MetricResults no_majority(const Selection& selection, std::uint32_t most_votes);

/// Items left out and, where the log-loss is asked for, votes clipped.
void add_notes(const StreamSums& sums, std::int64_t items, bool log_loss, std::vector<std::string>& notes);
/// An automatic bandwidth that the data did not determine.
void add_kernel_note(const KernelPlan& kernel, std::vector<std::string>& notes);

}  // namespace plumb::detail
