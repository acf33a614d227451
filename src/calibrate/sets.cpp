#include "plumb/calibrate/sets.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/ballots.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
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
  std::uint32_t cls;
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

/// One over the number of items with votes of the same group, for each item with votes; 0 for others.
std::vector<double> shares_of_groups(const Items& items, std::int64_t& units) {
  std::vector<double> out(items.size());
  std::vector<std::int64_t> members(items.groups.distinct().size());
  VoteBlock votes;
  items.votes.read(0, items.size(), votes);
  units = 0;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    if (votes.votes(i) == 0) continue;
    out[i] = 1;
    if (items.groups.empty()) {
      ++units;
    } else if (members[items.groups.code(i)]++ == 0) {
      ++units;
    }
  }
  if (!items.groups.empty())
    for (std::int64_t i = 0; i < items.size(); ++i)
      if (out[i] > 0) out[i] = 1.0 / members[items.groups.code(i)];
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
        workers[w].scores.push_back({scores[k], part, k});
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
  if (!(o.lambda >= 0 && o.lambda <= 1e6))
    throw InputError("⟦lambda⟧ must be 0 or more, not " + show(o.lambda));
  if (o.levels.empty()) throw InputError("⟦levels⟧ names no level; give one or more, as in 0.9");
  for (const double level : o.levels)
    if (!(level > 0 && level < 1)) throw InputError("⟦levels⟧ must be between 0 and 1, not " + show(level));
}

}  // namespace

Step fit_sets(const Items& items, const SetOptions& o) {
  check_set_options(items, o);
  std::int64_t units = 0;
  const std::vector<double> share = shares_of_groups(items, units);
  if (units == 0)
    throw InputError(items.votes.rows().name() + ": no item has a vote, so there is nothing to fit on");
  std::vector<WeightedScore> all = collect_scores(items, o, share);
  const int kinds = o.by_class ? items.classes() : 1;
  std::vector<std::vector<WeightedScore>> parts(kinds);
  if (!o.by_class) {
    parts[0] = std::move(all);
  } else {
    for (const WeightedScore& s : all) parts[s.cls].push_back(s);
  }
  Step step{"sets"};
  std::vector<double> tau;
  std::int64_t unlimited = 0;
  for (const double level : o.levels)
    for (auto& part : parts) {
      const double n = o.by_class ? static_cast<double>(part.size()) : static_cast<double>(units);
      tau.push_back(smallest_threshold(part, n, level));
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
                      {"units", units},
                      {"seed", o.seed}};
  if (unlimited > 0)
    step.fit.warnings.push_back((o.by_class ? counted(unlimited, "threshold") + " of a class and level"
                                            : counted(unlimited, "level")) +
                                " could not be reached with so few " +
                                (items.groups.empty() ? "items" : "groups") +
                                ": these sets contain every class.");
  return step;
}

bool gives_sets(const CalibrationModel& model) {
  return !model.steps.empty() && model.steps.back().method == "sets";
}

std::span<const double> set_levels(const CalibrationModel& model) {
  return vector_parameter(model.steps.back(), "level");
}

void apply_sets(const CalibrationModel& model, const Predictions& predictions, int threads,
                const std::function<void(std::int64_t, std::span<const double>)>& sink) {
  const Step& step = model.steps.back();
  const std::int64_t levels = std::ssize(set_levels(model)), classes = predictions.classes();
  const double score = scalar_parameter(step, "score"), lambda = scalar_parameter(step, "lambda");
  if (!(score == 0 || score == 1 || score == 2))
    throw InputError(model.name + ": the sets step has an unknown score; fit it again");
  const bool by_class =
      step.parameters.back().shape == std::vector<std::int64_t>{levels, classes} && classes > 1;
  const auto tau = parameter(step, "tau", {levels, by_class ? classes : 1});
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
        const auto scores = scorer(std::span<const double>(p.z).subspan(i * width, width));
        double* out = in_set.data() + (begin + i) * levels * classes;
        for (std::int64_t l = 0; l < levels; ++l)
          for (std::int64_t k = 0; k < classes; ++k)
            out[l * classes + k] = scores[k] <= tau[by_class ? l * classes + k : l] ? 1 : 0;
      }
    });
    sink(first, in_set);
  }
}

}  // namespace plumb
