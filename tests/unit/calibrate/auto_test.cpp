#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

TEST(Auto, ACalibratedModelIsLeftAlone) {
  some::Data d = some::simulate(600, 2, 1, 21);
  RandomStream r(22, Purpose::kSample);
  for (std::size_t i = 0; i < 600; ++i) {
    d.logits[i] = 1.5 * r.normal();
    const bool one = r.uniform() < 1 / (1 + std::exp(-d.logits[i]));
    d.counts[2 * i] = one ? 0 : 1;
    d.counts[2 * i + 1] = one ? 1 : 0;
  }
  const AutoChoice c = fit_auto(d.items(), {});
  EXPECT_EQ(c.steps.front().method, "none");
}

TEST(Auto, AnOverconfidentModelIsRepairedSimply) {
  some::Data d = some::simulate(600, 3, 1, 23);
  RandomStream r(24, Purpose::kSample);
  for (std::size_t i = 0; i < 600; ++i) {
    double e[3], sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double t = 1.5 * r.normal();
      d.logits[3 * i + k] = 3 * t;
      sum += e[k] = std::exp(t);
    }
    double u = r.uniform() * sum;
    std::size_t k = 0;
    while (k < 2 && u >= e[k]) u -= e[k++];
    for (std::size_t j = 0; j < 3; ++j) d.counts[3 * i + j] = j == k ? 1 : 0;
  }
  const AutoChoice c = fit_auto(d.items(), {});
  // A temperature, or what is built on one and by chance more than a standard error ahead.
  EXPECT_TRUE(c.steps.front().method == "temperature" || c.steps.front().method.starts_with("structured"))
      << c.steps.front().method;
  EXPECT_NEAR(scalar_parameter(c.steps.front(), "T"), 3, 0.3);
}

TEST(Auto, TheLeagueIsInOrderAndHasOneChoice) {
  const AutoChoice c = fit_auto(some::simulate(300, 3, 3, 25).items(), {});
  int chosen = 0;
  bool none = false;
  for (std::size_t i = 0; i < c.league.size(); ++i) {
    if (i > 0 && c.league[i].why.empty()) {
      EXPECT_GE(c.league[i].nll, c.league[i - 1].nll);
    }
    if (c.league[i].chosen) {
      ++chosen;
      EXPECT_TRUE(c.league[i].within);
      EXPECT_EQ(c.steps.front().method, c.league[i].method);
    }
    none = none || c.league[i].method == "none";
    EXPECT_NE(c.league[i].method, "alpha");
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_TRUE(none);
  EXPECT_EQ(c.league.front().gain_se, 0);
}

// The league's number for temperature, made again by hand from folds.
TEST(Auto, HeldOutLogLossByHand) {
  const Items items = some::simulate(200, 3, 3, 26).items();
  const AutoChoice c = fit_auto(items, {});
  const std::vector<double> z = cross_fit("temperature", items, {}, 5);
  VoteBlock v;
  items.votes.read(0, items.size(), v);
  double loss = 0, votes = 0, squares = 0;
  std::vector<double> by_item, mass;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    double one = 0;
    for (std::uint32_t k = 0; k < 3; ++k)
      one -= v.hits(i, k) * std::log(z[static_cast<std::size_t>(3 * i) + k]);
    by_item.push_back(one);
    mass.push_back(v.votes(i));
    loss += one;
    votes += v.votes(i);
  }
  for (std::size_t i = 0; i < mass.size(); ++i) squares += std::pow(by_item[i] - loss / votes * mass[i], 2);
  for (const LeagueRow& row : c.league) {
    if (row.method != "temperature") continue;
    EXPECT_NEAR(row.nll, loss / votes, 1e-12);
    EXPECT_NEAR(row.se, std::sqrt(squares * 200 / 199) / votes, 1e-12);
  }
}

TEST(CrossFit, NoUnitIsSeenByItsOwnModel) {
  some::Data d = some::simulate(90, 3, 3, 27);
  for (std::int64_t i = 0; i < d.n; ++i) d.group[static_cast<std::size_t>(i)] = i / 3;
  const Items items = d.items();
  const auto before = cross_fit("isotonic", items, {}, 3);
  // Other votes of one group change the answers of others, not its own.
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) d.counts[3 * i + k] = k == 2 ? 9 : 0;
  const auto after = cross_fit("isotonic", d.items(), {}, 3);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(before[i], after[i]);
  EXPECT_NE(before, after);
}

}  // namespace
}  // namespace plumb
