// What evaluate() says beyond the metrics about votes: orders, ordered classes, raters who weigh
// differently or are left out.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "plumb/api/items.hpp"
#include "plumb/raters/orders.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb::python {

class VoteAnalyses {
 public:
  /// InputError for options that cannot be combined.
  VoteAnalyses(const Keywords& given, const EvaluateOptions& options);
  /// With ⟦rater_weights⟧: weighted votes, and metrics that can be computed from them.
  void weigh(ReadItems& read, EvaluateOptions& options) const;
  /// Adds what was asked for to the result of the evaluation.
  void run(const Items& items, const EvaluateOptions& options, Result& result);
  /// What is printed after the metrics.
  [[nodiscard]] std::string text(const TerminalOptions& options) const;

 private:
  [[nodiscard]] std::vector<double> weights_of(const Votes& votes) const;

  OrdersOptions orders_;
  bool ordered_ = false, leave_one_rater_out_ = false;
  std::vector<std::string> weighted_;  // names; empty: the weights are those of all raters, in their order
  std::vector<double> weights_;        // empty: none
  std::vector<std::function<std::string(const TerminalOptions&)>> texts_;
};

}  // namespace plumb::python
