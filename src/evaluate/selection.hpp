// Which registry keys a run computes, and which passes they need.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate.hpp"
#include "plumb/registry.hpp"

namespace plumb {

struct Selection {
  std::vector<const MetricRow*> rows;  ///< in the registry's order
  bool scores = false;    ///< accuracy, agreement, nll, brier, mse_p, kl_p
  bool event = false;     ///< the event's reliability table
  bool classes = false;   ///< class-wise tables
  bool ordered = false;   ///< the event's column, sorted
  bool top = false;       ///< the confidence column, sorted, where it is not the event's (binary risk-coverage)

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] bool streams() const { return scores || event || classes; }
};

/// Throws InputError for an unknown key, or one asked by name that this task cannot have.
[[nodiscard]] Selection select_metrics(const EvaluateOptions& options, bool binary, bool has_truth);
/// The selected rows that have a null, and the passes these alone need.
[[nodiscard]] Selection null_part(const Selection& all, const EvaluateOptions& options);

}  // namespace plumb
