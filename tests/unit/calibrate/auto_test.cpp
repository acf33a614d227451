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
  RandomStream r(22, Purpose::sample);
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
  RandomStream r(24, Purpose::sample);
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
      EXPECT_GE(c.league[i].gain, c.league[i].method == "none" ? 0 : c.league[i].gain_se);
      EXPECT_EQ(c.steps.front().method, c.league[i].method);
    }
    none = none || c.league[i].method == "none";
    EXPECT_NE(c.league[i].method, "alpha");
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_TRUE(none);
}

// The league's number for temperature, made again by hand from folds.
TEST(Auto, HeldOutLogLossByHand) {
  const Items items = some::simulate(200, 3, 3, 26).items();
  const AutoChoice c = fit_auto(items, {});
  constexpr std::uint32_t kRepeats = 4;
  std::vector<double> by_item(200), mass;
  VoteBlock v;
  items.votes.read(0, items.size(), v);
  for (std::uint32_t r = 0; r < kRepeats; ++r) {
    const std::vector<int> fold = split_folds(items, 5, 0, r);
    for (int f = 0; f < 5; ++f) {
      const auto rest = fold_rows(fold, f, false), held = fold_rows(fold, f, true);
      const Step step = some::fit("temperature", items.gather(rest), {.prior_votes = kPriorVotes});
      PredictionBlock z;
      Pipeline(model_of(step, 3)).apply(items.gather(held).predictions, 0, std::ssize(held), z);
      for (std::size_t i = 0; i < held.size(); ++i)
        for (std::uint32_t k = 0; k < 3; ++k)
          by_item[static_cast<std::size_t>(held[i])] -=
              v.hits(held[i], k) * std::log(z.z[3 * i + k]) / kRepeats;
    }
  }
  double loss = 0, votes = 0, squares = 0;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    const double one = by_item[static_cast<std::size_t>(i)];
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

TEST(Auto, WhereNothingIsWrongNothingIsChanged) {
  some::Data d = some::simulate(60, 3, 1, 31);
  for (std::size_t i = 0; i < 60; ++i) {
    const auto top =
        std::max_element(d.logits.begin() + 3 * i, d.logits.begin() + 3 * (i + 1)) - d.logits.begin();
    for (std::size_t k = 0; k < 3; ++k)
      d.counts[3 * i + k] = 3 * i + k == static_cast<std::size_t>(top) ? 1 : 0;
  }
  const AutoChoice c = fit_auto(d.items(), {});
  EXPECT_EQ(c.steps.front().method, "none");
  EXPECT_NE(c.steps.front().fit.warnings.back().find("left unchanged"), std::string::npos);
}

// 40 patients of ten equal items each:
// item by item the fits know every answer, patient by patient they do not.
TEST(Auto, FoldsGoByGroup) {
  some::Data one = some::simulate(40, 2, 1, 51), d;
  RandomStream r(52, Purpose::sample);
  for (std::int64_t i = 0; i < 40; ++i) {
    one.logits[static_cast<std::size_t>(i)] = r.normal();
    const bool up = r.uniform() < 1 / (1 + std::exp(-one.logits[static_cast<std::size_t>(i)]));
    for (int copy = 0; copy < 10; ++copy) d.take(one, i, {up ? 0 : 1, up ? 1 : 0});
  }
  Items grouped = d.items(), loose = grouped;
  loose.groups = {};
  EXPECT_EQ(fit_auto(grouped, {}).steps.front().method, "none");
  EXPECT_NE(fit_auto(loose, {}).steps.front().method, "none");
}

TEST(Auto, FewestParametersFirst) {
  const auto parameters = [](const char* method, int k) { return find_calibrator(method)->parameters(k); };
  EXPECT_EQ(parameters("none", 2), 0);
  EXPECT_EQ(parameters("temperature", 100), 1);
  EXPECT_EQ(parameters("platt", 2), 2);
  EXPECT_EQ(parameters("beta", 2), 3);
  EXPECT_EQ(parameters("vector", 10), 20);
  EXPECT_EQ(parameters("structured-vector", 10), 21);
  EXPECT_EQ(parameters("matrix", 10), 110);
  EXPECT_EQ(parameters("histogram", 2), 15);
  EXPECT_EQ(parameters("isotonic", 10), 150);
  EXPECT_EQ(parameters("structured-matrix", 10), 111);
}

TEST(Auto, FewVotesForAParameterLeaveAMethodOut) {
  for (const LeagueRow& row : fit_auto(some::simulate(100, 8, 1, 32).items(), {}).league)
    EXPECT_EQ(row.why.starts_with("wants "), row.parameters > 10) << row.method;
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
