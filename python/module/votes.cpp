#include "votes.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/ordered.hpp"
#include "plumb/evaluate/rater_weights.hpp"
#include "plumb/raters/decomposition.hpp"
#include "plumb/report/ordered.hpp"
#include "plumb/report/orders.hpp"

namespace plumb::python {

VoteAnalyses::VoteAnalyses(const Keywords& given, const EvaluateOptions& o) {
  given.read("orders", orders_.orders);
  given.read("statistic", orders_.statistics);
  given.read("ordered", ordered_);
  given.read("leave_one_rater_out", leave_one_rater_out_);
  given.read("weighted_raters", weighted_);
  given.read("rater_weights", weights_);
  orders_.bins = o.bins;
  orders_.bootstrap = o.bootstrap;
  orders_.level = o.level;
  orders_.seed = o.seed;
  orders_.threads = o.threads;
  if (!weights_.empty() && (!orders_.orders.empty() || !orders_.statistics.empty()))
    throw InputError("⟦rater_weights⟧ cannot weigh votes taken together; leave out ⟦orders⟧ and ⟦statistic⟧");
}

std::vector<double> VoteAnalyses::weights_of(const Votes& votes) const {
  const int raters = votes.raters();
  if (raters == 0)
    throw InputError(
        "⟦rater_weights⟧ needs to know who voted; give the votes as ⟦ratings⟧ or ⟦annotations⟧ with a rater");
  if (weighted_.empty()) {
    if (std::ssize(weights_) != raters)
      throw InputError("⟦rater_weights⟧ has " + counted(std::ssize(weights_), "number") +
                       "; give one for each of the " + counted(raters, "rater") +
                       ", or a dict of weights by name");
    return weights_;
  }
  std::vector<std::string> names;
  for (int r = 0; r < raters; ++r) names.push_back(votes.rater_name(r));
  std::vector<double> out(raters, 1.0);
  for (std::size_t i = 0; i < weighted_.size(); ++i) {
    const auto rater = std::find(names.begin(), names.end(), weighted_[i]);
    if (rater == names.end())
      throw InputError("⟦rater_weights⟧: no rater is called \"" + weighted_[i] + "\"" +
                       did_you_mean(weighted_[i], names));
    out[rater - names.begin()] = weights_[i];
  }
  return out;
}

void VoteAnalyses::weigh(ReadItems& read, EvaluateOptions& options) const {
  if (weights_.empty()) return;
  const std::vector<double> weights = weights_of(read.items.votes);
  options.metrics = keys_without_pairs(options, read.items.binary());
  read.items.votes = weighted_votes(read.items.votes, weights);
  read.notes.emplace_back(
      "votes are weighted by rater: numbers of votes are multiples of the smallest common weight, and metrics of pairs of votes are left out");
}

void VoteAnalyses::run(const Items& items, const EvaluateOptions& options, Result& result) {
  if (!weights_.empty()) {
    std::vector<std::string> pairs;
    for (std::size_t i = 0; i < weights_.size(); ++i)
      pairs.push_back((weighted_.empty() ? items.votes.rater_name(static_cast<int>(i)) : weighted_[i]) + "=" +
                      show(weights_[i]));
    result.settings.emplace_back("rater_weights", std::move(pairs));
  }
  if (!orders_.orders.empty() || !orders_.statistics.empty()) {
    orders_.cancel = options.cancel;
    std::vector<OrderLosses> orders = evaluate_orders(items, orders_);
    add_orders(orders, result);
    texts_.emplace_back([orders = std::move(orders)](const auto& o) { return render_orders(orders, o); });
    const Decomposition parts = decompose_uncertainty(items, options.level);
    add_decomposition(parts, result);
    texts_.emplace_back([parts](const auto& o) { return render_decomposition(parts, o); });
  }
  if (ordered_) {
    OrderedResult ordered = evaluate_ordered(items, options);
    for (auto& [key, m] : ordered.metrics)
      if (!weights_.empty() && key == "emd_squared") {
        m = {};
        m.why = "votes are weighted by rater, and their noise is then unknown";
      }
    add_ordered(ordered, result);
    texts_.emplace_back([ordered = std::move(ordered), classes = result.class_names](const auto& o) {
      return render_ordered(ordered, classes, o);
    });
  }
  if (leave_one_rater_out_) {
    LeaveOneOut without = leave_one_rater_out(items, options, result.metrics);
    add_leave_one_out(without, result);
    texts_.emplace_back(
        [without = std::move(without)](const auto& o) { return render_leave_one_out(without, o); });
  }
}

std::string VoteAnalyses::text(const TerminalOptions& options) const {
  std::string out;
  for (const auto& one : texts_) out += one(options);
  return out;
}

}  // namespace plumb::python
