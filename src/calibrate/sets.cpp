#include "plumb/calibrate/sets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "calibrate/ballots.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

constexpr double kEverything = 1e9;  // above any score: the set contains all classes
constexpr int kFreeRank = 5;         // of raps
constexpr std::int64_t kSetBlock = 4096;

/// Scores of the classes from their probabilities.
class ClassScorer {
 public:
  ClassScorer(SetScore score, double lambda, int classes)
      : score_(score), lambda_(lambda), z_(classes), order_(classes) {}

  /// `row`: width 1 is P(class 1).
  std::span<const double> operator()(std::span<const double> row) {
    const int k = static_cast<int>(z_.size());
    for (int c = 0; c < k; ++c) z_[c] = row.size() == 1 ? (c == 1 ? row[0] : 1 - row[0]) : row[c];
    if (score_ == SetScore::lac) {
      for (double& z : z_) z = 1 - z;
      return z_;
    }
    for (int c = 0; c < k; ++c) order_[c] = c;
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return z_[a] > z_[b]; });
    double sum = 0;
    for (int first = 0, last = 0; first < k; first = last) {  // equal probabilities together
      const double z = z_[order_[first]];
      while (last < k && z_[order_[last]] == z) ++last;
      sum += (last - first) * z;
      const double tail = score_ == SetScore::raps ? lambda_ * std::max(0, last - kFreeRank) : 0;
      for (int at = first; at < last; ++at) tied_.push_back(sum + tail);
    }
    for (int at = 0; at < k; ++at) z_[order_[at]] = tied_[at];
    tied_.clear();
    return z_;
  }

 private:
  SetScore score_;
  double lambda_;
  std::vector<double> z_, tied_;
  std::vector<int> order_;
};

struct WeightedScore {
  double score, weight;
  std::uint32_t kind;  // the class or the slice that has a threshold of its own
  auto operator<=>(const WeightedScore&) const = default;
};

/// The smallest score at which the weights reach level (units + 1).
double smallest_threshold(std::vector<WeightedScore>& scores, double units, double level) {
  constexpr double kSlack = 1e-9;  // a level is a decimal number, which binary cannot hold
  const double wanted = level * (units + 1) - kSlack;
  std::sort(scores.begin(), scores.end());  // by weight among equals: the same sum for any order of items
  double reached = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    reached += scores[i].weight;
    const bool last_of_ties = i + 1 == scores.size() || scores[i + 1].score > scores[i].score;
    if (last_of_ties && reached >= wanted) return scores[i].score;
  }
  return kEverything;
}

std::uint32_t slice_of(const Items& items, bool by_slice, std::int64_t i) {
  return by_slice ? items.by.front().code(i) : 0;
}

/// One over the number of items with votes of the same group and slice, for each item with votes; 0 for
/// others. `units`: by slice, items or groups.
std::vector<double> shares_of_groups(const Items& items, bool by_slice, std::vector<std::int64_t>& units) {
  std::vector<double> out(items.size());
  std::unordered_map<std::uint64_t, std::int64_t> members;  // by group and slice
  const auto key = [&](std::int64_t i) {
    return std::uint64_t{items.groups.code(i)} << 32U | slice_of(items, by_slice, i);
  };
  VoteBlock votes;
  items.votes.read(0, items.size(), votes);
  units.assign(by_slice ? items.by.front().distinct().size() : 1, 0);
  for (std::int64_t i = 0; i < items.size(); ++i) {
    if (votes.votes(i) == 0) continue;
    out[i] = 1;
    const std::uint32_t slice = slice_of(items, by_slice, i);
    const bool first = items.groups.empty() || members[key(i)]++ == 0;
    units[slice] += first ? 1 : 0;
  }
  if (!items.groups.empty())
    for (std::int64_t i = 0; i < items.size(); ++i)
      if (out[i] > 0) out[i] = 1.0 / static_cast<double>(members[key(i)]);
  return out;
}

/// One of the item's votes, drawn by (seed, row).
std::uint32_t one_vote(const VoteBlock& votes, std::int64_t i, std::uint64_t seed, std::int64_t row) {
  if (votes.single) return votes.cls[i];
  auto left = static_cast<std::uint32_t>(random_uniform(seed, Purpose::sample, 0, row) * votes.total[i]);
  std::uint32_t e = votes.offset[i];
  while (left >= votes.count[e]) left -= votes.count[e++];
  return votes.cls[e];
}

/// A score for each class that was voted for, weighted by its share of the item's votes.
std::vector<WeightedScore> collect_scores(const Items& items, const SetOptions& o,
                                          const std::vector<double>& share) {
  struct Worker {
    std::vector<WeightedScore> scores;
    ItemBlock block;
  };
  std::vector<Worker> workers(resolve_threads(o.threads));
  parallel_blocks(items.size(), kSetBlock, o.threads, [&](int w, std::int64_t begin, std::int64_t end) {
    ItemBlock& block = workers[w].block;
    read_items(items, begin, end, block);
    ClassScorer scorer(o.score, o.lambda, items.classes());
    for (std::int64_t i = 0; i < block.size; ++i) {
      const std::uint32_t n = block.votes.votes(i);
      if (n == 0) continue;
      const std::size_t width = block.z.width;
      const auto scores = scorer(std::span<const double>(block.z.z).subspan(i * width, width));
      const auto add = [&](std::uint32_t k, double part) {
        workers[w].scores.push_back(
            {scores[k], part, o.by_class ? k : slice_of(items, o.by_slice, begin + i)});
      };
      if (o.by_class || block.votes.single) {
        add(one_vote(block.votes, i, o.seed, begin + i), share[begin + i]);
        continue;
      }
      for (std::uint32_t e = block.votes.offset[i]; e < block.votes.offset[i + 1]; ++e)
        add(block.votes.cls[e], share[begin + i] * block.votes.count[e] / n);
    }
  });
  std::vector<WeightedScore> out = std::move(workers[0].scores);
  for (std::size_t w = 1; w < workers.size(); ++w)
    out.insert(out.end(), workers[w].scores.begin(), workers[w].scores.end());
  return out;
}

void check_set_options(const Items& items, const SetOptions& o) {
  check_items(items);
  if (items.votes.rows().empty())
    throw InputError("sets are fitted on votes; give labels, counts or ratings");
  if (!items.weights.empty())
    throw InputError("the guarantee of sets needs exchangeable items; leave out ⟦weights⟧");
  if (o.by_class && !items.groups.empty())
    throw InputError("thresholds by class need exchangeable items; leave out ⟦groups⟧ or ⟦by_class⟧");
  if (o.by_slice && o.by_class)
    throw InputError("thresholds are by class or by slice; leave out ⟦by_class⟧ or ⟦by⟧");
  if (o.by_slice && items.by.size() != 1)
    throw InputError("thresholds by slice need one way to slice, not " + std::to_string(items.by.size()) +
                     "; give ⟦by⟧ once");
  if (!(o.lambda >= 0 && o.lambda <= 1e6))
    throw InputError("⟦lambda⟧ must be 0 or more, not " + show(o.lambda));
  if (o.levels.empty()) throw InputError("⟦levels⟧ names no level; give one or more, as in 0.9");
  for (const double level : o.levels)
    if (!(level > 0 && level < 1)) throw InputError("⟦levels⟧ must be between 0 and 1, not " + show(level));
}

}  // namespace

Step fit_sets(const Items& items, const SetOptions& o) {
  check_set_options(items, o);
  std::vector<std::int64_t> units;
  const std::vector<double> share = shares_of_groups(items, o.by_slice, units);
  const std::int64_t all_units = std::accumulate(units.begin(), units.end(), std::int64_t{0});
  if (all_units == 0)
    throw InputError(items.votes.rows().name() + ": no item has a vote, so there is nothing to fit on");
  std::vector<WeightedScore> all = collect_scores(items, o, share);
  const int kinds = o.by_class ? items.classes() : narrow<int>(std::ssize(units));
  std::vector<std::vector<WeightedScore>> parts(kinds);
  if (kinds == 1) {
    parts[0] = std::move(all);
  } else {
    for (const WeightedScore& s : all) parts[s.kind].push_back(s);
  }
  Step step{"sets"};
  std::vector<double> tau;
  std::int64_t unlimited = 0;
  for (const double level : o.levels)
    for (int kind = 0; kind < kinds; ++kind) {
      const auto n = static_cast<double>(o.by_class ? std::ssize(parts[kind]) : units[kind]);
      tau.push_back(smallest_threshold(parts[kind], n, level));
      unlimited += tau.back() == kEverything ? 1 : 0;
    }
  step.add_parameter("score", static_cast<double>(o.score));
  step.add_parameter("lambda", o.lambda);
  step.add_parameter("level", o.levels);
  step.add_parameter("tau", {std::ssize(o.levels), kinds}, std::move(tau));
  const detail::Tally tally = detail::tally(items, o.threads);
  step.fit.items = tally.items;
  step.fit.votes = tally.votes;
  step.fit.options = {{"score", std::string(kSetScores[static_cast<int>(o.score)])},
                      {"by_class", o.by_class},
                      {"units", all_units},
                      {"seed", o.seed}};
  if (o.by_slice) {
    step.fit.options.emplace_back("by_slice", items.by.front().title());
    step.fit.options.emplace_back("slices", items.by.front().distinct());
  }
  if (unlimited > 0)
    step.fit.warnings.push_back((o.by_slice   ? counted(unlimited, "threshold") + " of a slice and level"
                                 : o.by_class ? counted(unlimited, "threshold") + " of a class and level"
                                              : counted(unlimited, "level")) +
                                " could not be reached with so few " +
                                (items.groups.empty() ? "items" : "groups") +
                                ": these sets contain every class.");
  return step;
}

bool gives_sets(const CalibrationModel& model) {
  return !model.steps.empty() && model.steps.back().method == "sets";
}

std::vector<std::string> set_slices(const CalibrationModel& model) {
  for (const auto& [name, value] : model.steps.back().fit.options)
    if (const auto* slices = std::get_if<std::vector<std::string>>(&value);
        name == "slices" && slices != nullptr)
      return *slices;
  return {};
}

std::span<const double> set_levels(const CalibrationModel& model) {
  return vector_parameter(model.steps.back(), "level");
}

namespace {

/// The position among the model's slices of each distinct name; empty without thresholds by slice.
std::vector<std::int64_t> positions(const std::vector<std::string>& known, const Names& slices,
                                    const std::string& model, const Predictions& predictions) {
  if (known.empty()) {
    if (!slices.empty()) throw InputError(model + " has no thresholds by slice; leave out ⟦by⟧");
    return {};
  }
  if (slices.empty())
    throw InputError(model + " has thresholds by slice; name the slice of each item with ⟦by⟧");
  check_same_rows(predictions.sources().front().name(), predictions.items(), slices.source(), slices.size());
  std::vector<std::int64_t> out;
  for (const std::string& name : slices.distinct()) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end())
      throw InputError(slices.source() + " has the slice \"" + name + "\", for which " + model +
                       " has no thresholds" + did_you_mean(name, known) +
                       "; fit on items of that slice, or without ⟦by⟧");
    out.push_back(at - known.begin());
  }
  return out;
}

}  // namespace

namespace {

bool controls_risk(const Step& step) {
  return std::any_of(step.parameters.begin(), step.parameters.end(),
                     [](const Parameter& p) { return p.name == "threshold"; });
}

}  // namespace

void apply_sets(const CalibrationModel& model, const Predictions& predictions, const Names& slices,
                int threads, const std::function<void(std::int64_t, std::span<const double>)>& sink) {
  const Step& step = model.steps.back();
  const std::int64_t levels = std::ssize(set_levels(model)), classes = predictions.classes();
  const bool masks = controls_risk(step);  // risk_control.hpp
  if (masks && classes != 2) throw InputError(model.name + " marks class 1 of two classes");
  const double score = masks ? 0 : scalar_parameter(step, "score"),
               lambda = masks ? 0 : scalar_parameter(step, "lambda");
  if (!(score == 0 || score == 1 || score == 2))
    throw InputError(model.name + ": the sets step has an unknown score; fit it again");
  const std::vector<std::string> known = set_slices(model);
  const bool by_class = !masks && known.empty() &&
                        step.parameters.back().shape == std::vector<std::int64_t>{levels, classes} &&
                        classes > 1;
  const std::int64_t kinds = by_class ? classes : std::max<std::int64_t>(1, std::ssize(known));
  const auto tau = masks ? parameter(step, "threshold", {levels}) : parameter(step, "tau", {levels, kinds});
  const std::vector<std::int64_t> slice_at = positions(known, slices, model.name, predictions);
  CalibrationModel before = model;
  before.steps.pop_back();
  if (before.steps.empty()) before.steps.push_back(Step{"none"});
  check_fits(before, predictions);
  const Pipeline pipeline(before);
  constexpr std::int64_t kHeld = std::int64_t{1} << 16;  // items in memory at a time
  std::vector<double> in_set;
  for (std::int64_t first = 0; first < predictions.items(); first += kHeld) {
    const std::int64_t rows = std::min(kHeld, predictions.items() - first);
    in_set.assign(rows * levels * classes, 0.0);
    parallel_blocks(rows, kSetBlock, threads, [&](int, std::int64_t begin, std::int64_t end) {
      PredictionBlock p;
      pipeline.apply(predictions, first + begin, first + end, p);
      ClassScorer scorer(static_cast<SetScore>(static_cast<int>(score)), lambda, static_cast<int>(classes));
      for (std::int64_t i = 0; i < end - begin; ++i) {
        const std::size_t width = p.width;
        if (masks) {
          const double one = width == 1 ? p.z[i] : p.z[2 * i + 1];
          for (std::int64_t l = 0; l < levels; ++l) {
            double* const out = in_set.data() + ((begin + i) * levels + l) * classes;
            out[1] = one >= tau[l] ? 1 : 0;
            out[0] = 1 - out[1];
          }
          continue;
        }
        const auto scores = scorer(std::span<const double>(p.z).subspan(i * width, width));
        const std::int64_t slice = slice_at.empty() ? 0 : slice_at[slices.code(first + begin + i)];
        double* out = in_set.data() + (begin + i) * levels * classes;
        for (std::int64_t l = 0; l < levels; ++l)
          for (std::int64_t k = 0; k < classes; ++k)
            out[l * classes + k] = scores[k] <= tau[l * kinds + (by_class ? k : slice)] ? 1 : 0;
      }
    });
    sink(first, in_set);
  }
}

}  // namespace plumb
