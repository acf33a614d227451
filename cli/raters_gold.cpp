#include "raters_gold.hpp"

#include <fmt/format.h>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/data/check.hpp"

namespace plumb::cli {
namespace {

constexpr int kGoldFolds = 5;
const Args kGoldKeys{"nll", "brier", "ece", "ece_corrected", "agreement"};

std::vector<std::int64_t> rows_with_votes(const Votes& votes) {
  std::vector<std::int64_t> out;
  VoteBlock block;
  votes.read(0, votes.items(), block);
  for (std::int64_t i = 0; i < votes.items(); ++i)
    if (block.votes(i) > 0) out.push_back(i);
  return out;
}

Items with_probabilities(Items items, std::vector<double> z) {
  const std::int64_t n = items.size(), width = std::ssize(z) / std::max<std::int64_t>(1, n);
  std::vector<std::int64_t> shape = width == 1 ? std::vector{n} : std::vector{n, width};
  items.predictions = Predictions(
      {Rows(array_of(std::move(z), std::move(shape), "the calibrated consensus"))}, Scale::probability);
  return items;
}

std::optional<double> score_of(const Result& r, const std::string& key) {
  for (const auto& [name, m] : r.metrics)
    if (name == key) return m.value;
  return std::nullopt;
}

}  // namespace

void add_gold_flags(Flags& flags, GoldFlags& f) {
  flags.heading("Gold votes, to evaluate the consensus");
  flags.files("--gold", "FILE", f.gold, "N or N x R classes from experts; negative or empty: none");
  flags.files("--gold-counts", "FILE", f.counts, "the same as N x K votes per class");
  flags.text("--gold-method", "METHOD", f.method,
             "calibrator of the consensus, fitted on the gold votes [" + f.method + "]");
  flags.exclusive({"--gold", "--gold-counts"});
}

Items consensus_items(const Inputs& inputs, const std::vector<double>& consensus) {
  Items out;
  const std::int64_t n = inputs.items.votes.items(), k = inputs.items.votes.classes();
  out.predictions = Predictions({Rows(array_of(consensus, {n, k}, "the consensus"))}, Scale::probability);
  out.votes = inputs.items.votes;
  out.groups = inputs.items.groups;
  out.class_names = inputs.items.class_names;
  return out;
}

Votes load_gold(const GoldFlags& f, int threads, Inputs& inputs) {
  Loader load(threads, inputs);
  const int classes = inputs.items.votes.classes();
  Votes out = f.counts.empty()
                  ? Votes::from_ratings(load.ratings("--gold", f.gold, inputs.items.votes.items()), classes,
                                        inputs.items.class_names)
                  : Votes::from_counts(load.rows("--gold-counts", f.counts), classes);
  check_same_rows(inputs.items.votes.rows().name(), inputs.items.votes.items(), out.rows().name(),
                  out.items());
  return out;
}

CalibratedConsensus calibrate_consensus(const Items& judged, const std::string& method,
                                        const EvaluateOptions& options) {
  FitOptions fit;
  fit.seed = options.seed;
  fit.threads = options.threads;
  const Items gold = judged.gather(rows_with_votes(judged.votes));
  CalibratedConsensus out;
  out.model = fit_model(method, gold, fit).model;
  EvaluateOptions short_one = options;
  short_one.metrics = kGoldKeys;
  short_one.bootstrap = 0;
  short_one.consensus = false;
  out.after = evaluate(with_probabilities(gold, cross_fit(method, gold, fit, kGoldFolds)), short_one);
  apply_model(out.model, judged.predictions, {.threads = options.threads}, [&](const CalibratedChunk& c) {
    out.probabilities.insert(out.probabilities.end(), c.probabilities.begin(), c.probabilities.end());
  });
  return out;
}

Tree calibrated_section(const CalibratedConsensus& c, const Result& before) {
  Tree::Members scores;
  for (const std::string& key : kGoldKeys) {
    const auto was = score_of(before, key), is = score_of(c.after, key);
    Tree::Members pair{{"before", was ? Value(*was) : Value{}}, {"after", is ? Value(*is) : Value{}}};
    scores.emplace_back(key, std::move(pair));
  }
  return Tree::Members{{"method", Value(c.model.steps.back().method)},
                       {"folds", Value(std::int64_t{kGoldFolds})},
                       {"scores", std::move(scores)}};
}

std::string calibrated_text(const CalibratedConsensus& c, const Result& before) {
  std::string out = fmt::format("\nThe consensus calibrated by {} ({} folds, each item out of fold):\n",
                                c.model.steps.back().method, kGoldFolds);
  for (const std::string& key : kGoldKeys) {
    const auto was = score_of(before, key), is = score_of(c.after, key);
    if (was && is) out += fmt::format("  {:<14} {:.4f} before, {:.4f} after\n", key, *was, *is);
  }
  return out;
}

}  // namespace plumb::cli
