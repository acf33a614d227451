#include "plumb/data/one_vs_rest.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

Rows rows_of(std::vector<double> values, std::vector<std::int64_t> shape, const char* name) {
  return Rows(array_of(std::move(values), std::move(shape), name));
}

Items three_classes(Votes votes) {
  Items items;
  items.predictions =
      Predictions({rows_of({0.2, 0.3, 0.5, 0.7, 0.1, 0.2}, {2, 3}, "z.npy")}, Scale::probability);
  items.votes = std::move(votes);
  items.class_names = {"a", "b", "c"};
  items.weights = rows_of({1, 2}, {2}, "w.npy");
  return items;
}

/// Votes against and for the class, by item.
std::vector<std::uint32_t> votes_of(const Items& items) {
  VoteBlock block;
  items.votes.read(0, items.size(), block);
  std::vector<std::uint32_t> out;
  for (std::int64_t i = 0; i < items.size(); ++i)
    for (const std::uint32_t k : {0u, 1u}) out.push_back(block.hits(i, k));
  return out;
}

std::vector<double> forecasts_of(const Items& items) {
  PredictionBlock block;
  items.predictions.read(0, items.size(), block);
  return block.z;
}

using Counts = std::vector<std::uint32_t>;

TEST(OneVsRest, EveryKindOfVotes) {
  const Items labels = one_vs_rest(three_classes(Votes::from_labels(rows_of({2, 0}, {2}, "y.npy"), 3)), 2);
  EXPECT_EQ(forecasts_of(labels), (std::vector<double>{0.5, 0.2}));
  EXPECT_EQ(votes_of(labels), (Counts{0, 1, 1, 0}));
  EXPECT_EQ(labels.class_names, (std::vector<std::string>{"not c", "c"}));
  EXPECT_EQ(labels.votes.kind(), Votes::Kind::labels);
  EXPECT_EQ(labels.weights.rows(), 2);
  EXPECT_TRUE(labels.binary());

  const Items counts =
      one_vs_rest(three_classes(Votes::from_counts(rows_of({1, 4, 2, 0, 0, 0}, {2, 3}, "n.npy"), 3)), 1);
  EXPECT_EQ(forecasts_of(counts), (std::vector<double>{0.3, 0.1}));
  EXPECT_EQ(votes_of(counts), (Counts{3, 4, 0, 0}));

  const Items ratings =
      one_vs_rest(three_classes(Votes::from_ratings(rows_of({0, 1, -1, 2}, {2, 2}, "r.npy"), 3)), 0);
  EXPECT_EQ(votes_of(ratings), (Counts{1, 1, 1, 0}));
  EXPECT_EQ(ratings.votes.raters(), 2);
  EXPECT_EQ(ratings.votes.rater_name(1), "1");
}

TEST(OneVsRest, EachStochasticPrediction) {
  Items items = three_classes(Votes::from_labels(rows_of({2, 0}, {2}, "y.npy"), 3));
  items.predictions = Predictions({rows_of({0.2, 0.3, 0.5, 0.7, 0.1, 0.2}, {2, 3}, "1.npy"),
                                   rows_of({0.4, 0.3, 0.3, 0.1, 0.1, 0.8}, {2, 3}, "2.npy")},
                                  Scale::probability);
  const Items c = one_vs_rest(items, 2);
  EXPECT_EQ(c.predictions.samples(), 2);
  EXPECT_EQ(forecasts_of(c), (std::vector<double>{0.4, 0.5}));
  // Softmax of (0, log 2, log 5) is (1, 2, 5)/8.
  items.predictions =
      Predictions({rows_of({0, std::log(2), std::log(5), 0, 0, 0}, {2, 3}, "l.npy")}, Scale::logit);
  EXPECT_NEAR(forecasts_of(one_vs_rest(items, 1))[0], 0.25, 1e-15);
}

TEST(OneVsRest, Refusals) {
  const Items items = three_classes(Votes::from_labels(rows_of({2, 0}, {2}, "y.npy"), 3));
  EXPECT_THROW((void)one_vs_rest(items, 3), InputError);
  EXPECT_THROW((void)one_vs_rest(items, -1), InputError);
  EXPECT_THROW((void)one_vs_rest(one_vs_rest(items, 1), 1), InputError);
}

}  // namespace
}  // namespace plumb
