// Which registry keys a run computes, and which passes they need.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/registry.hpp"

namespace plumb {

struct Selection {
  std::vector<const MetricRow*> rows;  ///< in the registry's order
  bool scores = false;                 ///< accuracy, agreement, nll, brier, mse_p, kl_p
  bool event = false;                  ///< the event's reliability table
  bool classes = false;                ///< class-wise tables
  bool histogram = false;              ///< label-histogram losses
  bool disagreement = false;           ///< forecasts of two raters differing
  bool event_log = false;              ///< log-loss of the event, for its parts
  bool agreement = false;              ///< of the raters among themselves
  bool ordered = false;                ///< the event's column, sorted
  bool kde = false, kde_classwise = false, canonical = false, smece = false, mmce = false;  ///< kernel keys
  bool top = false;  ///< the confidence column, sorted, where it is not the event's (binary risk-coverage)

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] bool kernel() const { return kde || kde_classwise || canonical || smece || mmce; }
  [[nodiscard]] bool streams() const {
    return scores || event || classes || histogram || disagreement || event_log || agreement;
  }
};

/// What the data can answer.
struct TaskKind {
  bool binary = true;
  bool has_truth = false;
  bool may_have_pairs = false;  ///< counts or ratings: some item may have two votes
};
[[nodiscard]] TaskKind task_kind(const Items& items);

/// Throws InputError for an unknown key, or one asked by name that this task cannot have.
[[nodiscard]] Selection select_metrics(const EvaluateOptions& options, const TaskKind& task);
/// The selected rows that make sense for one vote an item.
[[nodiscard]] Selection single_vote_part(const Selection& all, const EvaluateOptions& options,
                                         const TaskKind& task);
/// The selected rows that have a null, and the passes these alone need.
[[nodiscard]] Selection null_part(const Selection& all, const EvaluateOptions& options);

}  // namespace plumb
