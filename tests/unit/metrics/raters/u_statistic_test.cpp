#include "plumb/metrics/raters/u_statistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/data/check.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "unit/metrics/passes.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using Counts = std::vector<std::uint32_t>;

/// Products of a few binomial coefficients, in double.
constexpr double kProducts = 1e-13;

/// Every subset of `order` raters, one by one (eq. 38 as printed).
double over_subsets(const VoteStatistic& s, const Counts& counts) {
  std::vector<std::size_t> votes;
  for (std::size_t k = 0; k < counts.size(); ++k) votes.insert(votes.end(), counts[k], k);
  double yes = 0, all = 0;
  for (std::uint32_t set = 0; set < (1u << votes.size()); ++set) {
    if (__builtin_popcount(set) != s.order) continue;
    Counts sub(counts.size());
    for (std::size_t j = 0; j < votes.size(); ++j)
      if (set >> j & 1) ++sub[votes[j]];
    all += 1;
    yes += s.phi(sub);
  }
  return yes / all;
}

const std::vector<Counts> kHistograms = {{3, 0, 0}, {1, 1, 1},  {2, 1, 0}, {0, 5, 7},
                                         {4, 4, 4}, {0, 0, 13}, {6, 2, 3}};

TEST(UStatistic, AgreesWithEveryChoiceOfRaters) {
  for (const Counts& counts : kHistograms)
    for (const int order : {1, 2, 3})
      for (const VoteStatistic& s : {any_differ(order), votes_for(1, 1, order), votes_for(0, order, order)})
        EXPECT_NEAR(u_statistic(s, counts), over_subsets(s, counts), kProducts)
            << order << " of " << testing::PrintToString(counts);
}

TEST(UStatistic, TwoRatersDifferInClosedForm) {
  for (const Counts& counts : kHistograms) {
    double n = 0, differ = 0;
    for (const std::uint32_t y : counts) n += y;
    for (const std::uint32_t y : counts) differ += y * (n - y);
    EXPECT_NEAR(u_statistic(any_differ(2), counts), differ / (n * (n - 1)), kProducts);
  }
}

TEST(UStatistic, OneOfThreeDiffersByHand) {
  // Votes a a a b: of the four choices of three, three hold b.
  EXPECT_DOUBLE_EQ(u_statistic(any_differ(3), Counts{3, 1}), 0.75);
  EXPECT_DOUBLE_EQ(u_statistic(any_differ(3), Counts{3, 0}), 0.0);
  EXPECT_DOUBLE_EQ(u_statistic(any_differ(3), Counts{1, 1, 1}), 1.0);
}

TEST(UStatistic, CostDoesNotGrowWithTheVotes) {
  const double n = 4e6, y = 1e6;
  const double same = y * (y - 1) * (y - 2) + 3 * y * (3 * y - 1) * (3 * y - 2);
  EXPECT_NEAR(u_statistic(any_differ(3), Counts{1000000, 3000000}), 1 - same / (n * (n - 1) * (n - 2)),
              kProducts);
}

TEST(UStatistic, TooFewVotesOrTooManyHistogramsAreRefused) {
  EXPECT_THROW((void)u_statistic(any_differ(3), Counts{1, 1}), InputError);
  EXPECT_THROW((void)u_statistic(any_differ(0), Counts{1, 1}), InputError);
  EXPECT_THROW((void)u_statistic(any_differ(20), Counts(100, 5)), InputError);
}

TEST(UStatistic, ForecastsInClosedForm) {
  const std::vector<double> z{0.5, 0.2, 0.3, 0.0};
  const auto moment = [&](int power, double alpha) {
    double sum = 0;
    for (const double p : z) {
      double m = 1;
      for (int j = 0; j < power; ++j) m *= std::isinf(alpha) ? p : (alpha * p + j) / (alpha + j);
      sum += m;
    }
    return sum;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double alpha : {0.3, 1.0, 12.0, 1e6, infinity})
    for (const int order : {2, 3, 5})
      EXPECT_NEAR(forecast_statistic(any_differ(order), z, alpha), 1 - moment(order, alpha), kProducts)
          << order << " raters, alpha_0 = " << alpha;
  for (const int order : {2, 3})
    EXPECT_NEAR(forecast_statistic(any_differ(order), z), 1 - moment(order, infinity), kProducts);
  // Mimori 2021, eq. 49.
  EXPECT_NEAR(forecast_statistic(any_differ(2), z, 3.0), 0.75 * (1 - 0.25 - 0.04 - 0.09), kProducts);
  // Two of three for class 0: 3 z^2 (1 - z) + z^3.
  EXPECT_NEAR(forecast_statistic(votes_for(0, 2, 3), z), 3 * 0.25 * 0.5 + 0.125, kProducts);
}

TEST(UStatistic, IsUnbiased) {
  constexpr int kDraws = 4000;
  const std::vector<double> z{0.6, 0.3, 0.1};
  RandomStream rng(5, Purpose::demo, 93);
  double sum = 0, squares = 0;
  for (int d = 0; d < kDraws; ++d) {
    Counts counts(3);
    for (int v = 0; v < 4; ++v) {
      const double u = rng.uniform();
      ++counts[u < 0.6 ? 0 : u < 0.9 ? 1 : 2];
    }
    const double x = u_statistic(any_differ(3), counts);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  const double error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
  EXPECT_LT(std::abs(mean - forecast_statistic(any_differ(3), z)), 4 * error);
}

ShareTables tables(const VoteStatistic& s, const test::Simulated& data) {
  const Items items = to_items(data, test::VoteForm::counts);
  ItemBlock block;
  read_items(items, 0, items.size(), block);
  std::vector<double> forecast;
  statistic_forecasts(s, block, {}, forecast);
  ShareTerms terms;
  statistic_terms(s, block, forecast, test::equal_width(15), terms);
  ShareBuilder builder({test::equal_width(15)});
  builder.update(terms);
  return builder.finish();
}

TEST(UStatistic, OrderTwoIsTheDisagreement) {
  for (const int classes : {2, 4}) {
    test::Simulated data =
        test::simulate({.n = 300, .classes = classes, .raters = 5, .vary = true, .seed = 81});
    test::add_weights(data, 82);
    const StatisticLosses out = statistic_losses(tables(any_differ(2), data));
    Scores expected;
    finish_disagreement(disagreement(to_items(data, test::VoteForm::counts), {},
                                     disagreement_edges(classes, test::equal_width(15)), 1),
                        expected);
    EXPECT_NEAR(*out.loss.value, *expected.at("disagreement_loss").value, test::kSums);
    EXPECT_NEAR(*out.cl.value, *expected.at("disagreement_cl").value, test::kSums);
    EXPECT_NEAR(*out.cl_plugin.value, *expected.at("disagreement_cl_plugin").value, test::kSums);
    EXPECT_EQ(out.loss.items, expected.at("disagreement_loss").items);
  }
}

TEST(UStatistic, ItemsWithTooFewVotesAreLeftOut) {
  const test::Simulated data =
      test::simulate({.n = 300, .classes = 3, .raters = 4, .vary = true, .seed = 83});
  std::int64_t enough = 0;
  for (const auto& v : data.votes) enough += v.size() >= 3;
  const ShareTables t = tables(any_differ(3), data);
  EXPECT_EQ(statistic_losses(t).loss.items, enough);
  EXPECT_EQ(t.left_out, 300u - static_cast<std::uint64_t>(enough));
  const StatisticLosses none = statistic_losses(tables(any_differ(5), data));
  EXPECT_FALSE(none.loss);
  EXPECT_EQ(none.cl.why, "no item has enough votes");
}

}  // namespace
}  // namespace plumb
