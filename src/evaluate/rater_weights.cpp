#include "plumb/evaluate/rater_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evaluate/prepared.hpp"
#include "evaluate/selection.hpp"
#include "evaluate/slices.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kMostWeightedVotes = std::int64_t{1} << 31;

std::vector<std::string> rater_names_of(const Votes& votes) {
  std::vector<std::string> out;
  for (int r = 0; r < votes.raters(); ++r) out.push_back(votes.rater_name(r));
  return out;
}

/// The weights as whole numbers without a common divisor.
std::vector<std::int64_t> whole_weights(const Votes& votes, std::span<const double> weight) {
  constexpr double kMost = 1000, kDigits = 1000;
  std::vector<std::int64_t> out;
  std::int64_t divisor = 0;
  for (std::size_t r = 0; r < weight.size(); ++r) {
    const double thousandths = weight[r] * kDigits;
    const std::string who = "⟦rater_weights⟧: the weight of " + votes.rater_name(narrow<int>(r));
    if (!(weight[r] >= 0 && weight[r] <= kMost))
      throw InputError(who + " is " + show(weight[r]) + "; it must be from 0 to 1000");
    if (std::abs(thousandths - std::round(thousandths)) > 1e-6)
      throw InputError(who + " is " + show(weight[r]) + "; round it to at most three digits after the point");
    out.push_back(std::llround(thousandths));
    divisor = std::gcd(divisor, out.back());
  }
  if (divisor == 0) throw InputError("⟦rater_weights⟧: every rater has the weight 0; give one a larger one");
  for (std::int64_t& w : out) w /= divisor;
  return out;
}

Judgements all_judgements(const Votes& votes) {
  Judgements out;
  votes.read_judgements(0, votes.items(), out);
  return out;
}

/// Each vote of rater r `times[r]` times.
Votes repeated_votes(const Votes& votes, const Judgements& all, const std::vector<std::int64_t>& times,
                     const std::string& name) {
  Judgements out;
  for (std::int64_t i = 0; i + 1 < std::ssize(all.offset); ++i) {
    for (std::int64_t j = all.offset[i]; j < all.offset[i + 1]; ++j) {
      out.rater.insert(out.rater.end(), times[all.rater[j]], all.rater[j]);
      out.cls.insert(out.cls.end(), times[all.rater[j]], all.cls[j]);
    }
    out.offset.push_back(std::ssize(out.cls));
  }
  return Votes::from_judgements(std::move(out), votes.classes(), rater_names_of(votes), name);
}

void need_raters(const Votes& votes, const char* option) {
  if (votes.raters() > 0) return;
  throw InputError(std::string(option) +
                   " needs to know who voted; give the votes as ⟦ratings⟧ or ⟦annotations⟧ with a rater");
}

std::optional<double> metric_of(const std::vector<std::pair<std::string, std::optional<double>>>& metrics,
                                const std::string& key) {
  for (const auto& [name, x] : metrics)
    if (name == key) return x;
  return std::nullopt;
}

RaterInfluence influence_on(const std::string& key, double value, const std::vector<WithoutRater>& raters) {
  RaterInfluence out{key, value, value, value, "", 0};
  bool first = true;
  for (const WithoutRater& w : raters) {
    const std::optional<double> x = metric_of(w.metrics, key);
    if (!x) continue;
    out.lowest = first ? *x : std::min(out.lowest, *x);
    out.highest = first ? *x : std::max(out.highest, *x);
    if (first || std::abs(*x - value) > std::abs(out.change)) {
      out.rater = w.rater;
      out.change = *x - value;
    }
    first = false;
  }
  return out;
}

}  // namespace

Votes weighted_votes(const Votes& votes, std::span<const double> weight) {
  need_raters(votes, "⟦rater_weights⟧");
  if (std::ssize(weight) != votes.raters())
    throw InputError("⟦rater_weights⟧ has " + counted(std::ssize(weight), "weight") + " for " +
                     counted(votes.raters(), "rater"));
  const std::vector<std::int64_t> times = whole_weights(votes, weight);
  const Judgements all = all_judgements(votes);
  std::int64_t total = 0;
  for (const std::uint32_t r : all.rater) {
    total += times[r];
    if (total > kMostWeightedVotes)
      throw InputError(
          "⟦rater_weights⟧: the weights amount to more than 2147483648 votes; use weights with small whole ratios, such as 1 and 2");
  }
  return repeated_votes(votes, all, times, votes.rows().name());
}

std::vector<std::string> keys_without_pairs(const EvaluateOptions& options, bool binary) {
  std::vector<std::string> out;
  const bool all = std::find(options.metrics.begin(), options.metrics.end(), "all") != options.metrics.end();
  for (const std::string& key : options.metrics) {
    if (key == "all") continue;
    const MetricRow* row = find_metric(key);
    if (row != nullptr && row->needs == Needs::pairs)
      throw InputError(
          opt(options.keys_option) + ": " + key +
          " is about pairs of votes, which ⟦rater_weights⟧ cannot weigh; leave out one of the two");
    out.push_back(key);
  }
  if (!out.empty() && !all) return out;
  const Task other = binary ? Task::multiclass : Task::binary;
  for (const MetricRow& row : metrics())
    if (row.task != other && row.needs == Needs::votes &&
        (all || (row.cost != Cost::quadratic && !row.on_request)) &&
        std::find(out.begin(), out.end(), row.key) == out.end())
      out.emplace_back(row.key);
  return out;
}

LeaveOneOut leave_one_rater_out(const Items& items, const EvaluateOptions& options,
                                const MetricResults& all) {
  need_raters(items.votes, "⟦leave_one_rater_out⟧");
  const int raters = items.votes.raters();
  if (raters < 2 || raters > kMostLeftOut)
    throw InputError("⟦leave_one_rater_out⟧ is for 2 to " + std::to_string(kMostLeftOut) +
                     " raters, and there " + (raters == 1 ? "is " : "are ") + std::to_string(raters));
  EvaluateOptions o = options;
  if (o.metrics.empty())
    for (const auto& [key, m] : all)
      if (const MetricRow* row = find_metric(key); row != nullptr && row->headline.has(Place::slices))
        o.metrics.push_back(key);
  o.bootstrap = 0;
  o.memory = 0;
  const detail::Selection selection = detail::select_metrics(o, detail::task_kind(items));
  const Judgements judged = all_judgements(items.votes);
  Items part = items;
  part.by = {};
  LeaveOneOut out;
  out.raters.resize(raters);
  const int threads = resolve_threads(options.threads);
  const bool many = raters >= 4 * threads;
  o.threads = many ? 1 : options.threads;
  parallel_blocks(raters, 1, many ? threads : 1, [&](int, std::int64_t r, std::int64_t) {
    std::vector<std::int64_t> times(raters, 1);
    times[r] = 0;
    Items rest = part;
    rest.votes = repeated_votes(items.votes, judged, times, items.votes.rows().name());
    Progress quiet({}, options.cancel);
    const std::string name = items.votes.rater_name(narrow<int>(r));
    GroupResult g = detail::scores_of(name, rest, selection, o, quiet);
    out.raters[r] = {name, g.votes, std::move(g.metrics)};
  });
  for (const auto& [key, m] : all)
    if (m.value && selection.has(key)) out.influence.push_back(influence_on(key, *m.value, out.raters));
  return out;
}

}  // namespace plumb
