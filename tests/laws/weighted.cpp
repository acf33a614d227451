// Votes that are weighted by rater: a vote of weight two is two votes, which always agree. Whether intervals
// and p-values notice.
#include <map>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/rater_weights.hpp"

namespace plumb::laws {
namespace {

const std::vector<double> kRaterWeights{4, 2, 1, 1, 0.5};

/// The votes of one item stand in the order of the raters.
Items weighted_items(const Drawn& d) {
  Items items = test::to_items(d.votes, test::VoteForm::ratings);
  items.votes = weighted_votes(items.votes, kRaterWeights);
  return items;
}

const std::vector<std::string> kOfBins{"ece", "ece_corrected"};
const std::vector<std::string> kOfPopulation{"agreement", "brier",    "nll",
                                             "auroc",     "oe_ratio", "calibration_slope"};
const std::vector<std::string> kTests{
    "ece", "ks", "mmce", "cox_score", "spiegelhalter_z", "calibration_slope", "calibration_intercept"};

void cover_weighted(Book& book, const Setting& s) {
  Setting big = s;
  big.n = book.whole() ? 200'000 : 40'000;
  big.groups = 0;
  const Result population =
      evaluate(items_of(draw(big, 12345)), {.metrics = kOfPopulation, .consensus = false});
  const auto sets = simulate_sets(book.sets(400, 16), book.seed(), [&](std::uint64_t seed) {
    const Drawn d = draw(s, seed);
    std::vector<std::string> keys = kOfPopulation;
    keys.insert(keys.end(), kOfBins.begin(), kOfBins.end());
    const Result r =
        evaluate(weighted_items(d), {.metrics = keys, .bootstrap = 200, .threads = 1, .consensus = false});
    const double error =
        *evaluate(truth_of(d), {.metrics = {"ece"}, .threads = 1, .consensus = false})["ece"].value;
    std::map<std::string, char> out;
    for (const auto& [key, m] : r.metrics) {
      if (!m.low) continue;
      const double truth = key.starts_with("ece") ? error : *population[key].value;
      out[key] = *m.low <= truth && truth <= *m.high;
    }
    return out;
  });
  std::map<std::string, std::vector<char>> by_key;
  for (const auto& set : sets)
    for (const auto& [key, hit] : set) by_key[key].push_back(hit);
  for (const auto& [key, hits] : by_key)
    book.rate("the interval of `" + key + "` covers, votes weighted by rater", s.name,
              {0.93, key.starts_with("ece") ? 0.99 : 0.98}, hits);
}

void reject_weighted(Book& book, const Setting& s) {
  const auto sets = simulate_sets(book.sets(400, 16), book.seed() + 1, [&](std::uint64_t seed) {
    const Result r =
        evaluate(weighted_items(draw(s, seed)),
                 {.metrics = kTests, .bootstrap = 200, .seed = seed, .threads = 1, .consensus = false});
    std::map<std::string, char> out;
    for (const auto& [key, m] : r.metrics) out[key] = m.p_value && *m.p_value <= 0.05;
    return out;
  });
  for (const std::string& key : kTests) {
    std::vector<char> hits;
    for (const auto& set : sets) hits.push_back(set.at(key));
    book.rate("a calibrated model is rejected at 5% by `" + key + "`, votes weighted by rater", s.name,
              {0.02, 0.07}, hits);
  }
}

void weighted_raters(Book& book) {
  cover_weighted(
      book, {.name = "5 votes, weights 4 to 0.5, slope 0.74, N = 200", .n = 200, .votes = 5, .slope = 0.74});
  reject_weighted(book, {.name = "5 votes, weights 4 to 0.5, N = 200", .n = 200, .votes = 5});
  if (!book.whole()) return;
  cover_weighted(book, {.name = "5 votes, weights 4 to 0.5, 40 groups of 5, slope 0.74",
                        .n = 200,
                        .votes = 5,
                        .groups = 40,
                        .slope = 0.74});
  reject_weighted(book,
                  {.name = "5 votes, weights 4 to 0.5, 40 groups of 5", .n = 200, .votes = 5, .groups = 40});
}

const Topic kWeightedRaters{"rater weights", weighted_raters};

}  // namespace
}  // namespace plumb::laws
