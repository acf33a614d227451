// Comparison: paired draws, differences and p-values against literal replicates, wins.
#include "plumb/evaluate/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/interval.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

Items sharpened(double by, std::int64_t n = 400) {
  // The same votes and the same ranking of classes; only the confidence differs.
  return to_items(simulate({.n = n, .classes = 3, .raters = 3, .sharpen = by, .seed = 4}), VoteForm::counts);
}

EvaluateOptions few(int bootstrap = 40) {
  EvaluateOptions o;
  o.bootstrap = bootstrap;
  o.metrics = {"accuracy",        "agreement",         "nll",  "brier", "ece",
               "ece_l2_debiased", "brier_uncertainty", "auroc"};
  return o;
}

const ComparedMetric& named(const Comparison& c, const std::string& key) {
  for (const ComparedMetric& m : c.metrics)
    if (m.key == key) return m;
  throw std::out_of_range(key);
}

TEST(Compare, ValuesAreThoseOfEvaluate) {
  const Items a = sharpened(1), b = sharpened(2);
  const Comparison c = compare({{"a", a}, {"b", b}}, few());
  EvaluateOptions plain = few(0);
  const Result ra = evaluate(a, plain), rb = evaluate(b, plain);
  ASSERT_EQ(c.metrics.size(), ra.metrics.size());
  for (std::size_t k = 0; k < c.metrics.size(); ++k) {
    EXPECT_EQ(c.metrics[k].values[0].value, ra.metrics[k].second.value) << c.metrics[k].key;
    EXPECT_EQ(c.metrics[k].values[1].value, rb.metrics[k].second.value) << c.metrics[k].key;
  }
}

TEST(Compare, IntervalsOfEachModelAreThoseOfEvaluate) {  // the same Poisson streams
  const Items a = sharpened(1), b = sharpened(2);
  const Comparison c = compare({{"a", a}, {"b", b}}, few());
  const Result r = evaluate(b, few());
  for (std::size_t k = 0; k < c.metrics.size(); ++k) {
    EXPECT_EQ(c.metrics[k].values[1].low, r.metrics[k].second.low) << c.metrics[k].key;
    EXPECT_EQ(c.metrics[k].values[1].high, r.metrics[k].second.high) << c.metrics[k].key;
  }
}

TEST(Compare, VerdictsAreThoseOfEvaluate) {  // whatever was asked for; one vote, several votes, groups
  const auto binary = [](double by, int raters, int groups) {
    return to_items(simulate({.n = 400, .raters = raters, .sharpen = by, .groups = groups, .seed = 6}),
                    raters > 1 ? VoteForm::counts : VoteForm::labels);
  };
  for (const auto& [raters, groups] : {std::pair(1, 0), std::pair(3, 0), std::pair(1, 30), std::pair(1, 5)}) {
    const Items a = binary(1, raters, groups), b = binary(3, raters, groups);
    EvaluateOptions o{.metrics = {"nll"}, .bootstrap = 40};
    const Comparison c = compare({{"a", a}, {"b", b}}, o);
    ASSERT_EQ(c.judged.size(), 2u);
    for (const auto& [name, items] : {std::pair("a", &a), std::pair("b", &b)}) {
      const Verdict own = evaluate(*items, o).verdict, &here = *c.verdict_of(name);
      EXPECT_EQ(here.verdict, own.verdict) << name << raters << groups;
      EXPECT_EQ(here.estimate, own.estimate);
      EXPECT_EQ(here.low, own.low);
      EXPECT_EQ(here.high, own.high);
      EXPECT_EQ(here.p_value, own.p_value);
      EXPECT_EQ(here.needed, own.needed);
      EXPECT_EQ(here.why, own.why);
    }
  }
  const Comparison none = compare({{"a", sharpened(1)}, {"b", sharpened(2)}}, few(0));
  EXPECT_EQ(none.verdict_of("a")->verdict, "");
  EXPECT_NE(none.verdict_of("a")->why, "");
  EXPECT_EQ(none.verdict_of("c"), nullptr);
}

TEST(Compare, DifferencesArePaired) {
  // Literal replicates: Brier scores of each item, weighted by the drawn counts.
  const Items a = sharpened(1), b = sharpened(2);
  const Comparison c = compare({{"a", a}, {"b", b}}, few());
  const auto item_scores = [](const Items& items) {
    ItemBlock block;
    read_items(items, 0, items.size(), block);
    std::vector<double> out;
    for (std::int64_t i = 0; i < block.size; ++i) {
      double sum = 0;
      for (std::uint32_t v = 0; v < 3; ++v)
        for (std::uint32_t k = 0; k < 3; ++k) {
          const double d = block.z.z[static_cast<std::size_t>(i) * 3 + k] - (k == v ? 1 : 0);
          sum += block.votes.hits(i, v) * d * d;
        }
      out.push_back(sum / 3);
    }
    return out;
  };
  const auto x = item_scores(a), y = item_scores(b);
  std::vector<double> drawn;
  for (std::uint32_t r = 0; r < 40; ++r) {
    double weight = 0, sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double w = random_poisson(0, r, i);
      weight += w;
      sum += w * (y[i] - x[i]);
    }
    drawn.push_back(sum / weight);
  }
  const Bounds want = percentile_bounds(drawn, 0.95);
  const Difference& d = named(c, "brier").differences.at(0);
  EXPECT_NEAR(*d.low, want.low, 1e-12);
  EXPECT_NEAR(*d.high, want.high, 1e-12);
  EXPECT_NEAR(*d.value, *named(c, "brier").values[1].value - *named(c, "brier").values[0].value, 1e-15);
}

TEST(Compare, PValuesAndIntervalsTellTheSame) {
  std::vector<double> around;  // 0.5 + a grid of +-1
  for (int i = 0; i < 199; ++i) around.push_back(0.5 + (i - 99) / 99.0);
  const Difference percentile = difference_of(0.5, around, Interval::percentile, 0.95);
  // Replicates <= 0: those with i <= 49.
  EXPECT_NEAR(*percentile.p_value, 2 * 51.0 / 200, 1e-12);
  const Difference normal = difference_of(0.5, around, Interval::normal, 0.95);
  const double error = standard_deviation(around);
  EXPECT_NEAR(*normal.high - *normal.low, 2 * 1.959963984540054 * error, 1e-12);
  EXPECT_NEAR(*normal.p_value, std::erfc(0.5 / error / std::sqrt(2)), 1e-12);
  EXPECT_NEAR(*normal.low + *normal.high, 1, 1e-12);
  around.push_back(std::numeric_limits<double>::quiet_NaN());  // a replicate without a value is left out
  EXPECT_EQ(difference_of(0.5, around, Interval::percentile, 0.95).p_value, percentile.p_value);
  EXPECT_EQ(*difference_of(0, std::vector<double>(50, 0.0), Interval::percentile, 0.95).p_value, 1);
  EXPECT_EQ(*difference_of(0, std::vector<double>(50, 0.0), Interval::normal, 0.95).p_value, 1);
  EXPECT_FALSE(difference_of(1, {}, Interval::percentile, 0.95).p_value.has_value());
}

TEST(Compare, RootsAreTestedAsSquares) {  // p <= 0.05 exactly where the interval leaves out 0
  const test::Simulated data = test::simulate({.n = 300, .classes = 2, .raters = 1, .seed = 3});
  test::Simulated other = data;
  for (double& p : other.z) p = 0.25 + 0.5 * p;
  const Comparison c = compare({{"a", test::to_items(data, test::VoteForm::labels)},
                                {"b", test::to_items(other, test::VoteForm::labels)}},
                               {.metrics = {"ece_l2_debiased"}, .bootstrap = 100});
  const ComparedMetric& m = named(c, "ece_l2_debiased");
  const Difference& d = m.differences[0];
  EXPECT_NEAR(*d.value, std::abs(*m.values[1].value) - std::abs(*m.values[0].value), 1e-15);
  EXPECT_NEAR((*d.low + *d.high) / 2, *d.value, 1e-12);
  EXPECT_EQ(*d.p_value <= 0.05, *d.low > 0 || *d.high < 0);
}

TEST(Compare, DebiasedSquaresHaveNormalIntervalsOthersPercentile) {
  const Comparison c = compare({{"a", sharpened(1)}, {"b", sharpened(2)}}, few());
  EXPECT_EQ(named(c, "ece").interval, "percentile");
  EXPECT_EQ(named(c, "nll").interval, "percentile");
  EXPECT_EQ(named(c, "ece_l2_debiased").interval, "normal");
}

TEST(Compare, AReferenceTakesTheDifferencesOfAllOthers) {
  const std::vector<NamedModel> models{{"a", sharpened(1)}, {"b", sharpened(2)}, {"c", sharpened(3)}};
  const Comparison all = compare(models, few()), some = compare(models, few(), "b");
  EXPECT_FALSE(all.reference.has_value());
  ASSERT_EQ(some.reference, 1u);
  for (std::size_t k = 0; k < all.metrics.size(); ++k) {
    const auto& d = some.metrics[k].differences;
    ASSERT_EQ(d.size(), 2u);
    EXPECT_EQ(d[0].from, 1u);
    EXPECT_EQ(d[0].to, 0u);
    EXPECT_EQ(d[1].to, 2u);
    EXPECT_EQ(*d[0].value, -*all.metrics[k].differences[0].value);
    EXPECT_EQ(d[1].p_value, all.metrics[k].differences[2].p_value);
    EXPECT_LE(d[1].adjusted, all.metrics[k].differences[2].adjusted) << "fewer comparisons";
  }
  EXPECT_THROW((void)compare(models, few(), "d"), InputError);
}

TEST(Compare, AdjustedPValuesAreNeverSmaller) {
  const Comparison c = compare({{"a", sharpened(1)}, {"b", sharpened(1.1)}, {"c", sharpened(3)}}, few(99));
  for (const ComparedMetric& m : c.metrics)
    for (const Difference& d : m.differences) {
      EXPECT_EQ(d.adjusted.has_value(), m.better != Better::neither) << m.key;
      EXPECT_GE(d.adjusted.value_or(2), *d.p_value) << m.key;
    }
  EXPECT_LE(*named(c, "nll").differences[1].adjusted, 0.05) << "a difference that nobody could miss";
}

TEST(Compare, ModelsMustShareTheirVotes) {
  Items fewer = to_items(simulate({.n = 400, .classes = 3, .raters = 2, .seed = 4}), VoteForm::counts);
  EXPECT_THROW((void)compare({{"a", sharpened(1)}, {"b", fewer}}, few()), InputError);
}

TEST(Compare, AModelDoesNotBeatItself) {
  const Items a = sharpened(1.5);
  const Comparison c = compare({{"a", a}, {"again", a}}, few());
  for (const ComparedMetric& m : c.metrics) {
    EXPECT_FALSE(m.best.has_value()) << m.key;
    EXPECT_EQ(*m.differences[0].value, 0);
    EXPECT_EQ(*m.differences[0].p_value, 1) << m.key;
  }
  EXPECT_EQ(c.wins[0].best + c.wins[1].best, 0);
}

TEST(Compare, WinsFollowTheDirectionOfEachMetric) {
  const Comparison c =
      compare({{"calibrated", sharpened(1)}, {"sure", sharpened(4)}, {"very_sure", sharpened(8)}}, few());
  EXPECT_EQ(c.models[*named(c, "nll").best], "calibrated");
  EXPECT_TRUE(named(c, "nll").clear);
  EXPECT_EQ(c.models[*named(c, "ece_l2_debiased").best], "calibrated") << "nearest to 0";
  EXPECT_FALSE(named(c, "accuracy").best.has_value()) << "the same answers: a tie";
  EXPECT_FALSE(named(c, "brier_uncertainty").best.has_value()) << "no way is good";
  EXPECT_EQ(named(c, "nll").differences.size(), 3u);
  std::int64_t best = 0;
  for (const Wins& w : c.wins) best += w.best;
  std::int64_t decided = 0;
  for (const ComparedMetric& m : c.metrics) decided += m.best.has_value();
  EXPECT_EQ(best, decided);
}

TEST(Compare, SameNumbersForAnyThreads) {
  EvaluateOptions o = few(12);
  o.threads = 1;
  const std::vector<NamedModel> models{{"a", sharpened(1)}, {"b", sharpened(2)}};
  const Comparison one = compare(models, o);
  o.threads = 5;
  const Comparison many = compare(models, o);
  for (std::size_t k = 0; k < one.metrics.size(); ++k) {
    EXPECT_EQ(one.metrics[k].differences[0].low, many.metrics[k].differences[0].low);
    EXPECT_EQ(one.metrics[k].differences[0].p_value, many.metrics[k].differences[0].p_value);
  }
}

TEST(Compare, ChanceIsNotCalledAWin) {
  // Two noisy copies of one model: in few of many trials may the difference look real.
  int called = 0;
  constexpr int kTrials = 60;
  for (int t = 0; t < kTrials; ++t) {
    Simulated s = simulate({.n = 150, .seed = static_cast<std::uint64_t>(100 + t)});
    Simulated a = s, b = s;
    RandomStream rng(static_cast<std::uint64_t>(t), Purpose::demo, 9);
    for (std::size_t i = 0; i < s.size(); ++i) {
      a.z[i] = std::clamp(s.z[i] + 0.1 * (rng.uniform() - 0.5), 0.0, 1.0);
      b.z[i] = std::clamp(s.z[i] + 0.1 * (rng.uniform() - 0.5), 0.0, 1.0);
    }
    EvaluateOptions o;
    o.bootstrap = 60;
    o.metrics = {"brier"};
    const Comparison c =
        compare({{"a", to_items(a, VoteForm::labels)}, {"b", to_items(b, VoteForm::labels)}}, o);
    called += *c.metrics[0].differences[0].p_value <= 0.05;
  }
  EXPECT_LE(called, 9) << "of " << kTrials << "; 3 are expected, 9 are four standard errors off";
}

TEST(Compare, BadModelsAreRefused) {
  const Items a = sharpened(1);
  EXPECT_THROW((void)compare({{"a", a}}, few()), InputError);
  EXPECT_THROW((void)compare({{"a", a}, {"a", a}}, few()), InputError);
  EXPECT_THROW((void)compare({{"a", a}, {"b", sharpened(1, 300)}}, few()), InputError);
  const Items binary = to_items(simulate({.n = 400, .seed = 4}), VoteForm::labels);
  EXPECT_THROW((void)compare({{"a", a}, {"b", binary}}, few()), InputError);
}

}  // namespace
}  // namespace plumb::test
