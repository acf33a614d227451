#include "plumb/calibrate/sets.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

/// The probability of every class.
std::vector<double> row_of(const Simulated& s, std::size_t i) {
  if (s.classes == 2) return {1 - s.z[i], s.z[i]};
  return {s.z.begin() + i * s.classes, s.z.begin() + (i + 1) * s.classes};
}

/// The definitions, class by class.
double naive_score(const std::vector<double>& z, std::size_t k, const SetOptions& o) {
  if (o.score == SetScore::lac) return 1 - z[k];
  double sum = 0;
  int rank = 0;
  for (const double x : z)
    if (x >= z[k]) {
      sum += x;
      ++rank;
    }
  return sum + (o.score == SetScore::raps ? o.lambda * std::max(0, rank - 5) : 0);
}

/// Every score of the data is tried, smallest first, against the condition as it is written.
double naive_tau(const Simulated& s, const SetOptions& o, double level) {
  std::vector<double> candidates;
  std::vector<std::vector<double>> score(s.size());
  for (std::size_t i = 0; i < s.size(); ++i)
    for (int k = 0; k < s.classes; ++k) {
      score[i].push_back(naive_score(row_of(s, i), k, o));
      candidates.push_back(score[i].back());
    }
  std::sort(candidates.begin(), candidates.end());
  std::vector<double> members(s.group.empty() ? 0 : 1000);
  for (const auto g : s.group) members[g] += 1;
  double units = 0;
  for (const double m : members) units += m > 0;
  if (s.group.empty()) units = static_cast<double>(s.size());
  for (const double tau : candidates) {
    long double miss = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      long double out = 0;
      for (const int v : s.votes[i]) out += score[i][v] > tau + 1e-12;
      miss += out / s.votes[i].size() / (s.group.empty() ? 1 : members[s.group[i]]);
    }
    if ((miss + 1) / (units + 1) <= 1 - level + 1e-12L) return tau;
  }
  return 1e9;
}

TEST(Sets, ThresholdIsTheSmallestThatMeetsTheCondition) {
  for (const int classes : {2, 8})
    for (const SetScore score : {SetScore::lac, SetScore::aps, SetScore::raps})
      for (const int groups : {0, 12}) {
        const Simulated s = test::simulate(
            {.n = 90, .classes = classes, .raters = 5, .vary = true, .groups = groups, .seed = 21});
        SetOptions o;
        o.score = score;
        o.levels = {0.5, 0.8, 0.9, 0.99};
        const Step step = fit_sets(to_items(s, VoteForm::counts), o);
        const auto tau = parameter(step, "tau", {4, 1});
        for (std::size_t l = 0; l < o.levels.size(); ++l)
          EXPECT_NEAR(tau[l], naive_tau(s, o, o.levels[l]), 1e-12)
              << classes << " classes, level " << o.levels[l] << ", groups " << groups;
      }
}

// Split conformal: of one label per item, the ceil((n + 1) level)-th smallest score.
TEST(Sets, SingleLabels) {
  const Simulated s = test::simulate({.n = 49, .classes = 3, .seed = 22});
  SetOptions o;
  o.levels = {0.9, 0.98, 0.99};
  const Step step = fit_sets(to_items(s, VoteForm::labels), o);
  std::vector<double> scores;
  for (std::size_t i = 0; i < s.size(); ++i) scores.push_back(1 - row_of(s, i)[s.votes[i][0]]);
  std::sort(scores.begin(), scores.end());
  const auto tau = parameter(step, "tau", {3, 1});
  EXPECT_EQ(tau[0], scores[44]);  // 0.9 * 50 = 45
  EXPECT_EQ(tau[1], scores[48]);
  EXPECT_EQ(tau[2], 1e9);  // 0.99 * 50 > 49
  EXPECT_EQ(step.fit.warnings.size(), 1u);
}

std::vector<double> membership(const Step& step, const Items& items, int threads) {
  CalibrationModel model;
  model.task = items.binary() ? "binary" : "multiclass";
  model.classes = items.classes();
  model.steps = {step};
  std::vector<double> out;
  apply_sets(model, items.predictions, {}, threads, [&](std::int64_t, std::span<const double> rows) {
    out.insert(out.end(), rows.begin(), rows.end());
  });
  return out;
}

TEST(Sets, HoldTheClassesBelowTheThreshold) {
  const Simulated s = test::simulate({.n = 9000, .classes = 7, .raters = 3, .seed = 23});
  const Items items = to_items(s, VoteForm::counts);
  SetOptions o;
  o.score = SetScore::raps;
  o.levels = {0.7, 0.95};
  const Step step = fit_sets(items, o);
  const auto tau = parameter(step, "tau", {2, 1});
  const std::vector<double> in_set = membership(step, items, 1);
  ASSERT_EQ(in_set.size(), s.size() * 14);
  EXPECT_EQ(in_set, membership(step, items, 3));
  double held = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (int l = 0; l < 2; ++l)
      for (int k = 0; k < 7; ++k) {
        const double score = naive_score(row_of(s, i), k, o);
        if (std::abs(score - tau[l]) < 1e-9) continue;
        EXPECT_EQ(in_set[(i * 2 + l) * 7 + k], score <= tau[l]) << i;
      }
    for (const int v : s.votes[i]) held += in_set[i * 14 + v] / s.votes[i].size();
  }
  EXPECT_GE(held / s.size(), 0.7);  // on the data themselves
  EXPECT_LT(held / s.size(), 0.71);
}

TEST(Sets, ByClassUsesOneVotePerItem) {
  const Simulated s = test::simulate({.n = 300, .classes = 3, .seed = 24});
  SetOptions o;
  o.by_class = true;
  const Step step = fit_sets(to_items(s, VoteForm::labels), o);
  const auto tau = parameter(step, "tau", {1, 3});
  for (int k = 0; k < 3; ++k) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.votes[i][0] == k) scores.push_back(1 - row_of(s, i)[k]);
    std::sort(scores.begin(), scores.end());
    const auto rank = static_cast<std::size_t>(std::ceil(0.9 * (scores.size() + 1) - 1e-9));
    EXPECT_EQ(tau[k], scores[rank - 1]);
  }
}

TEST(Sets, SameBitsForThreadsAndOrder) {
  const Simulated s = test::simulate({.n = 6000, .classes = 4, .raters = 7, .vary = true, .seed = 25});
  SetOptions one, many;
  one.score = many.score = SetScore::aps;
  one.threads = 1;
  many.threads = 6;
  const Step a = fit_sets(to_items(s, VoteForm::counts), one);
  EXPECT_EQ(a.parameters, fit_sets(to_items(s, VoteForm::counts), many).parameters);
  const Simulated other = test::take(s, test::shuffled(s.size(), 5));
  EXPECT_EQ(a.parameters, fit_sets(to_items(other, VoteForm::counts), many).parameters);
}

TEST(Sets, EqualProbabilitiesAreHeldTogether) {
  Simulated s;
  s.classes = 3;
  s.z = {0.4, 0.3, 0.3};
  s.votes = {{0}};
  SetOptions o;
  o.score = SetScore::aps;
  o.levels = {0.5};
  const std::vector<double> in_set =
      membership(fit_sets(to_items(s, VoteForm::labels), o), to_items(s, VoteForm::labels), 1);
  EXPECT_EQ(in_set, (std::vector<double>{1, 0, 0}));
}

TEST(Sets, Refusals) {
  Simulated s = test::simulate({.n = 20, .classes = 3, .seed = 26});
  SetOptions o;
  o.levels = {1.0};
  EXPECT_THROW((void)fit_sets(to_items(s, VoteForm::labels), o), InputError);
  o.levels = {0.9};
  s.weight.assign(s.size(), 1.0);
  EXPECT_THROW((void)fit_sets(to_items(s, VoteForm::labels), o), InputError);
}

/// Every third item of slice "a".
Names some_slices(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.emplace_back(i % 3 == 0 ? "a" : "b");
  return Names(Rows(array_of(std::move(names), {static_cast<std::int64_t>(n)}, "items.csv:site")));
}

TEST(Sets, BySliceIsTheFitOnEachSlice) {
  for (const int groups : {0, 20}) {
    const Simulated s =
        test::simulate({.n = 240, .classes = 3, .raters = 4, .vary = true, .groups = groups, .seed = 26});
    Items items = to_items(s, VoteForm::counts);
    items.by = {some_slices(s.size())};
    SetOptions o;
    o.levels = {0.7, 0.9};
    o.by_slice = true;
    const Step step = fit_sets(items, o);
    const auto tau = parameter(step, "tau", {2, 2});
    o.by_slice = false;
    for (int slice = 0; slice < 2; ++slice) {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < s.size(); ++i)
        if ((i % 3 == 0) == (slice == 0)) rows.push_back(i);
      const auto own = fit_sets(to_items(take(s, rows), VoteForm::counts), o);
      EXPECT_EQ(tau[slice], parameter(own, "tau", {2, 1})[0]);
      EXPECT_EQ(tau[2 + slice], parameter(own, "tau", {2, 1})[1]);
    }
  }
}

TEST(Sets, EachSliceHasItsThreshold) {
  const Simulated s =
      test::simulate({.n = 240, .classes = 2, .raters = 4, .seed = 27});  // as many slices as classes
  Items items = to_items(s, VoteForm::counts);
  items.by = {some_slices(s.size())};
  SetOptions o;
  o.by_slice = true;
  CalibrationModel model;
  model.name = "m.json";
  model.task = "binary";
  model.classes = 2;
  model.steps = {fit_sets(items, o)};
  EXPECT_EQ(set_slices(model), (std::vector<std::string>{"a", "b"}));
  const auto tau = parameter(model.steps.back(), "tau", {1, 2});
  apply_sets(model, items.predictions, items.by.front(), 2, [&](std::int64_t, std::span<const double> rows) {
    for (std::size_t i = 0; i < s.size(); ++i)
      for (int k = 0; k < 2; ++k)
        EXPECT_EQ(rows[2 * i + k], 1 - row_of(s, i)[k] <= tau[i % 3 == 0 ? 0 : 1] ? 1 : 0);
  });
  const auto complaint = [&](const Names& slices) -> std::string {
    try {
      apply_sets(model, items.predictions, slices, 1, [](std::int64_t, std::span<const double>) {});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(complaint({}).find("slice"), std::string::npos);
  std::vector<std::string> other(s.size(), "c");
  const Names unknown(Rows(array_of(std::move(other), {240}, "new.csv:site")));
  EXPECT_NE(complaint(unknown).find("\"c\""), std::string::npos) << complaint(unknown);
  o.by_class = true;
  EXPECT_THROW((void)fit_sets(items, o), InputError);
}

}  // namespace
}  // namespace plumb
