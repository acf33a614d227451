#include "plumb/metrics/raters/label_histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "plumb/metrics/streaming/proper_scores.hpp"
#include "plumb/numeric/simd.hpp"
#include "unit/metrics/passes.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

constexpr int kBins = 15;

ShareTables tables(const Simulated& s, VoteForm form = VoteForm::counts, int threads = 1, int bins = kBins) {
  return label_histogram(to_items(s, form), classwise_edges(s.classes, test::equal_width(bins)), threads);
}

Scores scores(const ShareTables& t) {
  Scores out;
  finish_label_histogram(t, out);
  return out;
}

double value(const Scores& s, const char* key) {
  const Estimate& e = s.at(key);
  EXPECT_TRUE(e) << key << ": " << e.why;
  return e.value.value_or(NAN);
}

// Golden: two items with z = (1/2, 1/2) and votes (1, 1) and (0, 2), worked by hand.
TEST(LabelHistogram, TwoItemsByHand) {
  Simulated s;
  s.z = {0.5, 0.5};
  s.votes = {{0, 1}, {1, 1}};
  const Scores out = scores(tables(s));
  EXPECT_DOUBLE_EQ(value(out, "lsq"), 0.5);
  EXPECT_DOUBLE_EQ(value(out, "el_plugin"), 0.25);
  EXPECT_DOUBLE_EQ(value(out, "el"), 0.0);
  EXPECT_DOUBLE_EQ(value(out, "il"), 0.5);
  EXPECT_DOUBLE_EQ(value(out, "cl_plugin"), 0.125);
  EXPECT_DOUBLE_EQ(value(out, "cl"), 0.0);
  EXPECT_DOUBLE_EQ(value(out, "dl_plugin"), 0.125);
  EXPECT_DOUBLE_EQ(value(out, "dl"), 0.0);
  EXPECT_DOUBLE_EQ(value(out, "rl"), 0.5);
}

TEST(LabelHistogram, AgreesWithThePapersSums) {
  for (const int classes : {2, 3, 10})
    for (const int raters : {1, 2, 5, 40})
      for (const bool weighted : {false, true}) {
        Simulated s = test::simulate({.n = 400,
                                      .classes = classes,
                                      .raters = raters,
                                      .vary = true,
                                      .sharpen = 1.6,
                                      .heterogeneity = 4,
                                      .seed = 11});
        if (weighted) test::add_weights(s, 12);
        const ShareTables t = tables(s);
        const Scores out = scores(t);
        SCOPED_TRACE(std::to_string(classes) + " classes, up to " + std::to_string(raters) + " votes" +
                     (weighted ? ", weights" : ""));
        for (const auto& [key, expected] : test::naive_histogram(s, kBins)) {
          // The root of a small number magnifies its error; the others are sums.
          const double tolerance = key == "ce" || key == "de" ? 1e-9 : test::kSums;
          EXPECT_NEAR(value(out, key.c_str()), static_cast<double>(expected), tolerance) << key;
        }
        for (const auto& [key, values] : label_histogram_classes(t)) {
          ASSERT_EQ(values.size(), static_cast<std::size_t>(classes));
          for (int k = 0; k < classes; ++k) {
            const auto expected = test::naive_histogram_class(s, k, kBins);
            const auto it = expected.find(key);
            if (it == expected.end()) continue;
            EXPECT_NEAR(values[static_cast<std::size_t>(k)].value_or(NAN), static_cast<double>(it->second),
                        test::kSums)
                << key << " of class " << k;
          }
        }
      }
}

TEST(LabelHistogram, LabelsCountsAndRatingsGiveTheSameTables) {
  const Simulated many = test::simulate({.n = 300, .classes = 4, .raters = 6, .vary = true, .seed = 3});
  EXPECT_EQ(tables(many, VoteForm::counts), tables(many, VoteForm::ratings));
  const Simulated one = test::simulate({.n = 300, .classes = 4, .seed = 3});
  EXPECT_EQ(tables(one, VoteForm::counts), tables(one, VoteForm::labels));
}

TEST(LabelHistogram, PartsAddUp) {
  for (const int classes : {2, 5}) {
    Simulated s =
        test::simulate({.n = 3000, .classes = classes, .raters = 5, .vary = true, .sharpen = 2, .seed = 5});
    test::add_weights(s, 6);
    const ShareTables t = tables(s);
    const std::vector<ShareLosses> by_class = share_losses(t, Population::several);
    ShareLosses sum;
    for (const ShareLosses& l : by_class) {
      EXPECT_NEAR(l.lsq, l.el + l.il, test::kSums);
      EXPECT_NEAR(l.el, l.cl + l.dl(), test::kSums);
      EXPECT_NEAR(l.el_plugin, l.cl_plugin + l.dl_plugin(), test::kSums);
      sum += l;
    }
    const Scores out = scores(t);
    EXPECT_NEAR(sum.el, value(out, "el"), test::kSums);
    EXPECT_NEAR(sum.il, value(out, "il"), test::kSums);
    EXPECT_NEAR(sum.dl(), value(out, "dl"), test::kSums);
    EXPECT_NEAR(value(out, "lsq"), value(out, "cl") + value(out, "rl"), test::kSums);
    // Classes and bins add up to the totals.
    for (const auto& [key, values] : label_histogram_classes(t)) {
      if (key == "ce" || key == "de") continue;
      double total = 0;
      for (const auto& v : values) total += v.value();
      EXPECT_NEAR(total, value(out, key.c_str()), test::kSums) << key;
    }
    double lsq = 0, cl = 0, dl = 0, il = 0;
    std::uint64_t items = 0;
    for (const HistogramRow& r : label_histogram_rows(t)) {
      lsq += r.lsq.value_or(0);
      cl += r.cl.value_or(0);
      dl += r.dl.value_or(0);
      il += r.il.value_or(0);
      items += r.items;
      if (r.items > 0) {
        EXPECT_NEAR(*r.gap, *r.mean_p - *r.mean_mu, test::kSums);
      }
    }
    EXPECT_NEAR(lsq, value(out, "lsq"), test::kSums);
    EXPECT_NEAR(cl, value(out, "cl"), test::kSums);
    EXPECT_NEAR(dl, value(out, "dl"), test::kSums);
    EXPECT_NEAR(il, value(out, "il"), test::kSums);
    EXPECT_EQ(items, share_items(t, Population::all) * static_cast<std::uint64_t>(classes));
  }
}

// With one vote per item lsq is the multiclass Brier score, and cl the debiased reliability of Broecker 2012.
TEST(LabelHistogram, OneVoteEverywhere) {
  const Simulated s = test::simulate({.n = 500, .classes = 3, .sharpen = 1.5, .seed = 8});
  const Scores out = scores(tables(s, VoteForm::labels));
  ItemBlock block;
  const Items items = to_items(s, VoteForm::labels);
  read_items(items, 0, items.size(), block);
  ScoreTerms terms;
  score_terms(block, {}, terms);
  EXPECT_NEAR(value(out, "lsq"), std::accumulate(terms.brier.begin(), terms.brier.end(), 0.0) / 500,
              test::kSums);
  EXPECT_NEAR(value(out, "cl"), static_cast<double>(test::naive_histogram(s, kBins)["cl"]), test::kSums);
  for (const char* key : {"el_plugin", "el", "dl_plugin", "dl", "de", "il"}) {
    EXPECT_FALSE(out.at(key)) << key;
    EXPECT_EQ(out.at(key).why, "no item has two votes or more") << key;
    EXPECT_EQ(out.at(key).items, 0) << key;
  }
}

TEST(LabelHistogram, ItemsTellsHowManyHaveTwoVotes) {
  Simulated s;
  s.classes = 3;
  s.z = {.2, .3, .5, .2, .3, .5, .2, .3, .5, .2, .3, .5};
  s.votes = {{0}, {1, 2}, {}, {2, 2, 2}};
  const ShareTables t = tables(s);
  const Scores out = scores(t);
  EXPECT_EQ(out.at("el").items, 2);
  EXPECT_EQ(out.at("il").items, 2);
  EXPECT_EQ(out.at("lsq").items, -1);
  EXPECT_EQ(share_items(t, Population::all), 3u);
  EXPECT_EQ(t.left_out, 1u);
}

TEST(LabelHistogram, NoVotesAndNoWeightAreUndefined) {
  Simulated s;
  s.z = {0.2, 0.9};
  s.votes = {{}, {}};
  for (const auto& [key, e] : scores(tables(s))) {
    EXPECT_FALSE(e) << key;
    EXPECT_FALSE(e.why.empty()) << key;
  }
  s.votes = {{1}, {0, 1}};
  s.weight = {0, 0};
  for (const auto& [key, e] : scores(tables(s))) EXPECT_FALSE(e) << key;
}

TEST(LabelHistogram, CertainForecastsAndLonelyBins) {
  Simulated s;
  s.z = {0.0, 1.0, 1.0};
  s.votes = {{0, 0}, {1, 1}, {1, 1}};
  const ShareTables t = tables(s);
  const Scores out = scores(t);
  for (const char* key : {"lsq", "el", "cl", "dl", "il", "cl_plugin"}) EXPECT_EQ(value(out, key), 0.0) << key;
}

TEST(LabelHistogram, LonelyBinsGiveNothingToTheDebiasedLoss) {
  Simulated s;
  s.z = {0.1, 0.9};
  s.votes = {{1, 1}, {0, 0}};
  const Scores out = scores(tables(s));
  EXPECT_NEAR(value(out, "cl_plugin"), 2 * 0.81, test::kSums);
  for (const char* key : {"cl", "ce"}) {
    EXPECT_FALSE(out.at(key)) << key;
    EXPECT_NE(out.at(key).why.find("no bin holds two items"), std::string::npos) << key;
  }
  EXPECT_NEAR(value(out, "dl"), value(out, "el"), test::kSums);
}

// Mimori 2021, figure 1: the predictor knows each item's probability, so that CL and DL are 0.
TEST(LabelHistogram, DebiasedLossesOfTheIdealPredictorAverageToZero) {
  constexpr double kStandardErrors = 4;  // a false alarm in 16,000 for each of 12 means
  for (const int votes : {2, 5})
    for (const auto& [n, runs] : {std::pair{100, 300}, std::pair{1000, 60}, std::pair{10000, 15}}) {
      struct Moments {
        double sum = 0, squares = 0;
        void add(double x) { sum += x, squares += x * x; }
        [[nodiscard]] double mean(int m) const { return sum / m; }
        [[nodiscard]] double error(int m) const {
          return std::sqrt((squares / m - mean(m) * mean(m)) / (m - 1));
        }
      };
      std::map<std::string, Moments> moments;
      for (int r = 0; r < runs; ++r) {
        RandomStream rng(1, Purpose::demo, static_cast<std::uint32_t>(r + 1000 * votes));
        Simulated s;
        for (int i = 0; i < n; ++i) {
          s.z.push_back(rng.uniform());
          auto& v = s.votes.emplace_back();
          for (int j = 0; j < votes; ++j) v.push_back(rng.uniform() < s.z.back() ? 1 : 0);
        }
        const Scores out = scores(tables(s));
        for (const char* key : {"cl", "dl", "cl_plugin", "dl_plugin"}) moments[key].add(value(out, key));
      }
      SCOPED_TRACE("N = " + std::to_string(n) + ", n = " + std::to_string(votes));
      for (const char* key : {"cl", "dl"})
        EXPECT_LT(std::abs(moments[key].mean(runs)), kStandardErrors * moments[key].error(runs)) << key;
      for (const char* key : {"cl_plugin", "dl_plugin"})
        EXPECT_GT(moments[key].mean(runs), kStandardErrors * moments[key].error(runs)) << key;
      // The plug-in DL stays where it is as N grows (appendix B.5):
      // two classes, E q(1 - q) / n = 1/6 / n, less CL's part.
      EXPECT_NEAR(moments["dl_plugin"].mean(runs) + moments["cl_plugin"].mean(runs), 2.0 / 6 / votes, 0.02);
    }
}

TEST(LabelHistogram, SameBitsForAnyOrderThreadsSplitAndTarget) {
  for (const bool weighted : {false, true}) {
    Simulated s = test::simulate({.n = 9000, .classes = 7, .raters = 4, .vary = true, .seed = 21});
    if (weighted) test::add_weights(s, 22);
    const ShareTables one = tables(s);
    EXPECT_EQ(one, tables(s, VoteForm::counts, 2));
    EXPECT_EQ(one, tables(s, VoteForm::counts, 16));
    EXPECT_EQ(one, tables(test::take(s, test::shuffled(s.size(), 4))));
    const auto rows = test::shuffled(s.size(), 5);
    ShareTables merged(one.edges);
    for (const auto& [from, to] :
         {std::pair<std::ptrdiff_t, std::ptrdiff_t>{0, 0}, {0, 17}, {17, 5000}, {5000, 9000}}) {
      if (from == to) {
        merge(merged, ShareTables(one.edges));
        continue;
      }
      merge(merged, tables(test::take(s, {rows.begin() + from, rows.begin() + to})));
    }
    EXPECT_EQ(one, merged);
    for (const std::string& target : simd_targets()) {
      force_simd_target(target);
      EXPECT_EQ(one, tables(s)) << target;
    }
    force_simd_target("");
  }
}

TEST(LabelHistogram, MergeRefusesOtherBins) {
  ShareTables a(classwise_edges(2, test::equal_width(15)));
  EXPECT_THROW(merge(a, ShareTables(classwise_edges(2, test::equal_width(10)))), std::invalid_argument);
}

TEST(LabelHistogram, ThresholdsCutTheBins) {
  const Simulated s = test::simulate({.n = 800, .classes = 3, .raters = 3, .sharpen = 1.4, .seed = 31});
  std::vector<BinEdges> edges = classwise_edges(3, test::equal_width(5));
  for (BinEdges& c : edges) {  // the same bins, written as thresholds; p = k / 5 itself does not occur
    c.equal_width = false;
    c.thresholds = {0.2, 0.4, 0.6, 0.8};
  }
  const Items items = to_items(s, VoteForm::counts);
  const Scores by_threshold = scores(label_histogram(items, edges, 1));
  const Scores by_width = scores(tables(s, VoteForm::counts, 1, 5));
  for (const auto& [key, e] : by_width) EXPECT_EQ(*e.value, value(by_threshold, key.c_str())) << key;
  edges[1].thresholds = {0.5};  // bins may differ by class
  EXPECT_NE(scores(label_histogram(items, edges, 1)).at("cl").value, by_width.at("cl").value);
}

}  // namespace
}  // namespace plumb
