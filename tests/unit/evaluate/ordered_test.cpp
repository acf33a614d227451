#include "plumb/evaluate/ordered.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

EvaluateOptions plain() {
  EvaluateOptions o;
  o.threads = 1;
  return o;
}

double value(const OrderedResult& r, const char* key) { return *find_result(r.metrics, key).value; }

struct NaiveOrdered {
  long double rps = 0, emd = 0, plugin = 0, squared = 0, votes = 0, items = 0, pairs = 0;
};

/// Vote by vote, threshold by threshold.
NaiveOrdered naive_ordered(const Simulated& s) {
  NaiveOrdered out;
  const int k = s.classes;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto& votes = s.votes[i];
    const long double w = s.weight.empty() ? 1 : s.weight[i], n = votes.size();
    long double noise = 0, squared = 0;
    for (int c = 0; c + 1 < k; ++c) {
      long double below = 0, share = 0;
      for (int j = 0; j <= c; ++j) below += s.z[i * k + j];
      for (const int v : votes) share += (v <= c) / n;
      for (const int v : votes) out.rps += w * (below - (v <= c)) * (below - (v <= c)) / (k - 1);
      out.emd += w * std::abs(below - share);
      squared += (below - share) * (below - share);
      if (n > 1) noise += share * (1 - share) / (n - 1);
    }
    out.plugin += w * squared;
    out.votes += w * n;
    out.items += w;
    if (n > 1) {
      out.squared += w * (squared - noise);
      out.pairs += w;
    }
  }
  out.rps /= out.votes;
  out.emd /= out.items;
  out.plugin /= out.items;
  out.squared /= out.pairs;
  return out;
}

constexpr double kRounding = 1e-12;  // sums of a few hundred doubles

TEST(Ordered, AgreesWithTheDefinitions) {
  for (const int classes : {3, 6}) {
    Simulated s = test::simulate({.n = 300, .classes = classes, .raters = 5, .vary = true, .seed = 71});
    for (std::size_t i = 0; i < s.size(); ++i) s.weight.push_back(1.0 + i % 3);
    const OrderedResult r = evaluate_ordered(to_items(s, VoteForm::counts), plain());
    const NaiveOrdered naive = naive_ordered(s);
    EXPECT_NEAR(value(r, "rps"), static_cast<double>(naive.rps), kRounding);
    EXPECT_NEAR(value(r, "emd"), static_cast<double>(naive.emd), kRounding);
    EXPECT_NEAR(value(r, "emd_squared_plugin"), static_cast<double>(naive.plugin), kRounding);
    EXPECT_NEAR(value(r, "emd_squared"), static_cast<double>(naive.squared), kRounding);
    ASSERT_EQ(r.thresholds.size(), classes - 1u);
  }
}

// The score of all thresholds together is the mean of their Brier scores.
TEST(Ordered, RpsIsTheMeanBrierScoreOfTheThresholds) {
  const Simulated s = test::simulate({.n = 200, .classes = 5, .raters = 3, .seed = 72});
  const OrderedResult r = evaluate_ordered(to_items(s, VoteForm::counts), plain());
  double brier = 0, ece = 0;
  for (const OrderedThreshold& t : r.thresholds) {
    brier += *find_result(t.metrics, "brier").value / 4;
    ece += *find_result(t.metrics, "ece").value / 4;
    EXPECT_GE(t.observed, 0);
    EXPECT_NEAR(*find_result(t.metrics, "oe_ratio").value, t.observed / t.forecast, 1e-9);
  }
  EXPECT_NEAR(value(r, "rps"), brier, kRounding);
  EXPECT_NEAR(value(r, "ece_thresholds"), ece, kRounding);
  for (std::size_t t = 1; t < r.thresholds.size(); ++t)
    EXPECT_LE(r.thresholds[t].observed, r.thresholds[t - 1].observed);
}

TEST(Ordered, TheReverseOrderChangesNothing) {
  const Simulated s = test::simulate({.n = 150, .classes = 4, .raters = 4, .vary = true, .seed = 73});
  Simulated back = s;
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (int c = 0; c < 4; ++c) back.z[i * 4 + c] = s.z[i * 4 + 3 - c];
    for (int& v : back.votes[i]) v = 3 - v;
  }
  const OrderedResult a = evaluate_ordered(to_items(s, VoteForm::counts), plain()),
                      b = evaluate_ordered(to_items(back, VoteForm::counts), plain());
  for (const char* key : {"rps", "emd", "emd_squared"}) EXPECT_NEAR(value(a, key), value(b, key), kRounding);
}

// Of a forecast one class off for every vote: probability moves by one class.
TEST(Ordered, OneClassOff) {
  Simulated s;
  s.classes = 4;
  s.z = {0, 1, 0, 0, 0, 0, 1, 0};
  s.votes = {{0, 0}, {3, 3}};
  const OrderedResult r = evaluate_ordered(to_items(s, VoteForm::counts), plain());
  EXPECT_EQ(value(r, "emd"), 1);
  EXPECT_NEAR(value(r, "rps"), 1.0 / 3, kRounding);
  EXPECT_EQ(value(r, "emd_squared"), 1);
}

TEST(Ordered, SingleVotesSayNothingAboutACrowd) {
  const Simulated s = test::simulate({.n = 40, .classes = 3, .seed = 74});
  const OrderedResult r = evaluate_ordered(to_items(s, VoteForm::labels), plain());
  EXPECT_FALSE(find_result(r.metrics, "emd_squared").value);
  EXPECT_NE(find_result(r.metrics, "emd_squared").why.find("two votes"), std::string::npos);
  EXPECT_TRUE(find_result(r.metrics, "rps").low);
  EXPECT_THROW((void)evaluate_ordered(to_items(test::simulate({.n = 40}), VoteForm::labels), plain()),
               InputError);
}

TEST(Ordered, SameBitsForTheOrderOfItems) {
  const Simulated s = test::simulate({.n = 500, .classes = 4, .raters = 3, .groups = 40, .seed = 75});
  const Simulated other = take(s, test::shuffled(s.size(), 5));
  const OrderedResult a = evaluate_ordered(to_items(s, VoteForm::counts), plain()),
                      b = evaluate_ordered(to_items(other, VoteForm::counts), plain());
  for (const auto& [key, m] : a.metrics) EXPECT_EQ(m.value, find_result(b.metrics, key).value) << key;
}

}  // namespace
}  // namespace plumb
