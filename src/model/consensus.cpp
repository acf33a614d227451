#include "plumb/model/consensus.hpp"

#include <algorithm>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/calibrate/cross_fit.hpp"

namespace plumb {
namespace {

const std::vector<std::string> kGoldKeys{"nll", "brier", "ece", "ece_corrected", "agreement"};

std::vector<std::int64_t> rows_with_votes(const Votes& votes) {
  std::vector<std::int64_t> out;
  VoteBlock block;
  votes.read(0, votes.items(), block);
  for (std::int64_t i = 0; i < votes.items(); ++i)
    if (block.votes(i) > 0) out.push_back(i);
  return out;
}

Items with_probabilities(Items items, std::vector<double> z, const std::string& name) {
  const std::int64_t n = items.votes.items(), width = std::ssize(z) / std::max<std::int64_t>(1, n);
  std::vector<std::int64_t> shape = width == 1 ? std::vector{n} : std::vector{n, width};
  items.predictions = Predictions({Rows(array_of(std::move(z), std::move(shape), name))}, Scale::probability);
  return items;
}

std::optional<double> score_of(const Result& r, const std::string& key) {
  for (const auto& [name, m] : r.metrics)
    if (name == key) return m.value;
  return std::nullopt;
}

}  // namespace

Items consensus_items(const Items& items, const std::vector<double>& consensus) {
  Items out;
  out.votes = items.votes;
  out.groups = items.groups;
  out.class_names = items.class_names;
  const std::int64_t n = items.votes.items(), k = items.votes.classes();
  out.predictions = Predictions({Rows(array_of(consensus, {n, k}, "the consensus"))}, Scale::probability);
  return out;
}

CalibratedConsensus calibrate_consensus(const Items& judged, const Result& before, const std::string& method,
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
  const Result after =
      evaluate(with_probabilities(gold, cross_fit(method, gold, fit, kGoldFolds), "the calibrated consensus"),
               short_one);
  for (const std::string& key : kGoldKeys)
    out.scores.push_back({key, score_of(before, key), score_of(after, key)});
  apply_model(out.model, judged.predictions, {.threads = options.threads}, [&](const CalibratedChunk& c) {
    out.probabilities.insert(out.probabilities.end(), c.probabilities.begin(), c.probabilities.end());
  });
  return out;
}

}  // namespace plumb
