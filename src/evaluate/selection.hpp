// Which metrics a run computes, and the products that they are read off.
#pragma once

#include <string_view>
#include <vector>

#include "evaluate/runs.hpp"
#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::detail {

/// What the data can answer.
struct TaskKind {
  bool binary = true;
  bool has_truth = false;
  bool may_have_pairs = false;  ///< counts or ratings: some item may have two votes
};
[[nodiscard]] TaskKind task_kind(const Items& items);

struct Selection {
  bool binary = true;
  std::vector<const MetricRow*> rows;  ///< in the registry's order
  ProductSet products;                 ///< the union of what the rows need

  [[nodiscard]] bool has(std::string_view key) const;
  void add(const MetricRow& row);
  /// The rows for which `keep` holds, and the products that these alone need.
  template <class Keep>
  [[nodiscard]] Selection part(Keep keep) const {
    Selection out{binary, {}, {}};
    for (const MetricRow* row : rows)
      if (keep(*row)) out.add(*row);
    return out;
  }
};

/// Throws InputError for an unknown key, or one asked by name that this task cannot have.
[[nodiscard]] Selection select_metrics(const EvaluateOptions& options, const TaskKind& task);
[[nodiscard]] bool asked_by_name(const EvaluateOptions& options, std::string_view key);
/// Reads every selected metric whose products are there off them.
void finish(const Selection& selection, const Products& products, Scores& out);
/// Those of them that walk along a column, side by side on several threads.
void finish_walks(const Selection& selection, const Products& products, int threads, Scores& out);
/// Whether the calibration slope or intercept is asked for.
[[nodiscard]] inline bool has_line(const Selection& s) {
  return s.has("calibration_slope") || s.has("calibration_intercept");
}

}  // namespace plumb::detail
