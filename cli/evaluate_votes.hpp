// What `plumb evaluate` says beyond the metrics about votes: orders, ordered classes, raters who weigh
// differently or are left out.
#pragma once

#include <string>
#include <vector>

#include "inputs.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/raters/orders.hpp"

namespace plumb::cli {

struct VoteFlags {
  Args orders, statistics, rater_weights;
  bool ordered = false, leave_one_rater_out = false;
};
void add_vote_analysis_flags(Flags& flags, VoteFlags& out);

class VoteAnalyses {
 public:
  /// InputError for flags that cannot be combined.
  VoteAnalyses(const VoteFlags& flags, const EvaluateOptions& options, const std::string& save_state);
  /// With --rater-weights: weighted votes, and metrics that can be computed from them.
  void weigh(Inputs& inputs, EvaluateOptions& options);
  /// Adds what was asked for to the result of the evaluation.
  void run(const Items& items, const EvaluateOptions& options, Result& result);
  /// For the terminal.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  VoteFlags flags_;
  OrdersOptions orders_;
  bool saves_state_;
  std::string text_;
};

}  // namespace plumb::cli
