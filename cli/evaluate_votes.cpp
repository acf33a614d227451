#include "evaluate_votes.hpp"

#include <algorithm>

#include "calibrate.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/ordered.hpp"
#include "plumb/report/orders.hpp"

namespace plumb::cli {
namespace {

OrdersOptions orders_options(const VoteFlags& f, const EvaluateOptions& o) {
  OrdersOptions out;
  for (const std::string& text : f.orders) {
    const std::optional<double> k = number_of(text);
    if (!k || *k != static_cast<int>(*k))
      throw InputError("--orders takes numbers of votes such as 2,3, not \"" + text + "\"");
    out.orders.push_back(static_cast<int>(*k));
  }
  out.statistics = f.statistics;
  out.bins = o.bins;
  out.bootstrap = o.bootstrap;
  out.level = o.level;
  out.seed = o.seed;
  out.threads = o.threads;
  return out;
}

/// NAME=WEIGHT pairs, raters without one weighing 1, or a file with a weight for each rater, in their order.
std::vector<double> weights_of(const Args& given, const Votes& votes, Loader& load) {
  const int raters = votes.raters();
  if (given.size() == 1 && given.front().find('=') == std::string::npos) {
    const Rows file = load.rows("--rater-weights", given);
    if (file.rows() != raters || file.width() != 1)
      throw InputError(file.name() + " has " + counted(file.rows(), "row") + " of " +
                       counted(file.width(), "number") +
                       "; --rater-weights takes one number for each of the " + counted(raters, "rater") +
                       ", or names as in a=2,b=1");
    std::vector<double> out(raters);
    file.read(0, raters, out);
    return out;
  }
  std::vector<double> out(raters, 1.0);
  Args names;
  for (int r = 0; r < raters; ++r) names.push_back(votes.rater_name(r));
  for (const std::string& pair : given) {
    const auto at = pair.rfind('=');
    const std::string name = pair.substr(0, at);
    const std::optional<double> weight =
        at == std::string::npos ? std::nullopt : number_of(pair.substr(at + 1));
    if (!weight)
      throw InputError("--rater-weights takes NAME=WEIGHT, as in a=2,b=1, or a file, not \"" + pair + "\"");
    const auto rater = std::find(names.begin(), names.end(), name);
    if (rater == names.end())
      throw InputError("--rater-weights: no rater is called \"" + name + "\"" + did_you_mean(name, names));
    out[rater - names.begin()] = *weight;
  }
  return out;
}

}  // namespace

void add_vote_analysis_flags(Flags& flags, VoteFlags& f) {
  flags.list("--orders", "k,k", f.orders,
             "also evaluate the predicted distribution of k votes per item, as in 2,3");
  flags.repeated("--statistic", "TEXT", f.statistics,
                 "also evaluate a question about votes, as in \"3 votes: all agree\"; repeatable");
  flags.toggle(
      "--ordered", f.ordered,
      "the classes are in order (grades): also ranked probability score, earth mover's losses and calibration at each threshold");
  flags.list("--rater-weights", "a=2,b=1", f.rater_weights,
             "how much a vote of each rater counts, or a file of R numbers [1 each]");
  flags.toggle("--leave-one-rater-out", f.leave_one_rater_out,
               "also evaluate without the votes of each rater in turn");
}

VoteAnalyses::VoteAnalyses(const VoteFlags& flags, const EvaluateOptions& options,
                           const std::string& save_state)
    : flags_(flags), orders_(orders_options(flags, options)) {
  if (flags_.rater_weights.empty()) return;
  if (!orders_.orders.empty() || !orders_.statistics.empty())
    throw InputError("--rater-weights cannot weigh votes taken together; leave out --orders and --statistic");
  if (!save_state.empty())
    throw InputError(
        "--save-state keeps sums over pairs of votes, which --rater-weights cannot weigh; leave out one of the two");
}

void VoteAnalyses::weigh(Inputs& inputs, EvaluateOptions& options) {
  if (flags_.rater_weights.empty()) return;
  if (inputs.items.votes.raters() == 0)
    throw InputError(
        "--rater-weights needs to know who voted; give the votes as --ratings or --annotations with a rater");
  Loader load(options.threads, inputs);
  const std::vector<double> weights = weights_of(flags_.rater_weights, inputs.items.votes, load);
  options.metrics = keys_without_pairs(options, inputs.items.binary());
  inputs.items.votes = weighted_votes(inputs.items.votes, weights);
  inputs.notes.emplace_back(
      "votes are weighted by rater: numbers of votes are multiples of the smallest common weight, and metrics of pairs of votes are left out");
}

void VoteAnalyses::run(const Items& items, const EvaluateOptions& options, Result& result,
                       EvaluateState* state) {
  const TerminalOptions shown = stdout_options();
  const bool weighted = !flags_.rater_weights.empty();
  if (weighted) result.settings.emplace_back("rater_weights", flags_.rater_weights);
  if (!orders_.orders.empty() || !orders_.statistics.empty()) {
    const std::vector<OrderLosses> orders = evaluate_orders(items, orders_);
    add_orders(orders, result);
    text_ += render_orders(orders, shown);
    if (state != nullptr)
      for (const OrderLosses& o : orders) state->orders.push_back({o.key, o.order, o.tables});
    const Decomposition parts = decompose_uncertainty(items, options.level);
    add_decomposition(parts, result);
    text_ += render_decomposition(parts, shown);
  }
  if (flags_.ordered) {
    if (state != nullptr) state->ordered.emplace();
    OrderedResult ordered = evaluate_ordered(items, options, state != nullptr ? &*state->ordered : nullptr);
    for (auto& [key, m] : ordered.metrics)
      if (weighted && key == "emd_squared") {
        m = {};
        m.why = "votes are weighted by rater, and their noise is then unknown";
      }
    add_ordered(ordered, result);
    text_ += render_ordered(ordered, result.class_names, shown);
  }
  if (flags_.leave_one_rater_out) {
    const LeaveOneOut without = leave_one_rater_out(items, options, result.metrics);
    add_leave_one_out(without, result);
    text_ += render_leave_one_out(without, shown);
  }
  if (state != nullptr && flags_.leave_one_rater_out)
    result.notes.emplace_back(
        "the saved state has no results without one rater: votes are not kept by rater");
  if (state != nullptr && !state->orders.empty())
    result.notes.emplace_back(
        "the saved state has the losses of votes taken together, not the two parts of uncertainty");
}

std::string add_vote_sums(const EvaluateState& state, Result& result) {
  std::string text;
  std::vector<OrderLosses> orders;
  for (const OrderSums& o : state.orders) orders.push_back(order_losses_of(o.key, o.order, o.tables));
  if (!orders.empty()) {
    add_orders(orders, result);
    text += render_orders(orders, stdout_options());
  }
  if (state.ordered) {
    const OrderedResult ordered = finish(*state.ordered);
    add_ordered(ordered, result);
    text += render_ordered(ordered, result.class_names, stdout_options());
  }
  return text;
}

}  // namespace plumb::cli
