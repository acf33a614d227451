// What `plumb evaluate` says beyond the metrics about votes: orders, ordered classes, raters who weigh
// differently or are left out.
#pragma once

#include <string>
#include <vector>

#include "inputs.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/raters/orders.hpp"

namespace plumb::cli {

struct VoteFlags {
  Args orders, statistics, rater_weights;
  bool ordered = false, leave_one_rater_out = false;
};
void add_vote_analysis_flags(Flags& flags, VoteFlags& out);

/// Votes taken together and ordered classes of merged states: adds them to the result, returns the text.
[[nodiscard]] std::string add_vote_sums(const EvaluateState& state, Result& result);

class VoteAnalyses {
 public:
  /// InputError for flags that cannot be combined.
  VoteAnalyses(const VoteFlags& flags, const EvaluateOptions& options, const std::string& save_state);
  /// With --rater-weights: weighted votes, and metrics that can be computed from them.
  void weigh(Inputs& inputs, EvaluateOptions& options);
  /// Adds what was asked for to the result of the evaluation and, where one is saved, to its state.
  void run(const Items& items, const EvaluateOptions& options, Result& result, EvaluateState* state);
  /// For the terminal.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  VoteFlags flags_;
  OrdersOptions orders_;
  std::string text_;
};

}  // namespace plumb::cli
