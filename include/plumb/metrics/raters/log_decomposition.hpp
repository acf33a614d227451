// The event's log-loss in two parts (Mimori 2021, section 2.4, with the KL divergence): calibration, which a
// monotone correction of the forecasts could remove, and refinement, which it could not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/streaming/proper_scores.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb {

/// State: the log-loss of the event itself, -h log p - (n - h) log(1 - p), summed over votes.
struct EventLogLoss {
  std::uint64_t votes = 0;
  std::uint64_t zero = 0;     ///< votes on probability 0 (p = 0 and a hit, p = 1 and a miss)
  std::uint64_t clipped = 0;  ///< votes whose probability was clipped
  ExactSum weight, loss;
  friend bool operator==(const EventLogLoss&, const EventLogLoss&) = default;
};

/// Each item's share, computed once per block.
struct EventLogTerms {
  std::vector<double> trials;               ///< n_i; 0: the item does not count
  std::vector<double> weight;               ///< empty: one each
  std::vector<double> loss, zero, clipped;  ///< sums over the item's votes
};
void event_log_terms(const ForecastsView& f, const ScoreOptions& options, EventLogTerms& out);
void update(EventLogLoss& s, const EventLogTerms& t, std::span<const std::uint32_t> times = {});
void merge(EventLogLoss& into, const EventLogLoss& from);

/// sum_b (W_b / W) KL(c_b, p_b) of two-valued events, p_b clipped according to the options; undefined without
/// votes, or where p_b is 0 or 1 and other outcomes came.
[[nodiscard]] Estimate log_calibration(const ReliabilityTable& t, const ScoreOptions& options);

/// Writes log_calibration and log_refinement; they add up to the event's log-loss (`nll` for binary tasks).
void finish_log_decomposition(const ReliabilityTable& event, const EventLogLoss& loss,
                              const ScoreOptions& options, Scores& out);

}  // namespace plumb
