#include "plumb/metrics/raters/log_decomposition.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

struct Parts {
  ReliabilityTable table;
  EventLogLoss loss;
  Scores scores;
  double nll = NAN;
};

Parts parts_of(const Simulated& s, const ScoreOptions& options = {},
               std::span<const std::uint32_t> times = {}) {
  const Items items = to_items(s, VoteForm::counts);
  ItemBlock block;
  read_items(items, 0, items.size(), block);
  Forecasts f;
  project(block, Event::event, f);
  ForecastsView view = f.view();
  view.times = times;
  TableBuilder builder(test::equal_width(15));
  builder.update(view);
  Parts r;
  r.table = builder.finish();
  EventLogTerms terms;
  event_log_terms(f.view(), options, terms);
  update(r.loss, terms, times);
  finish_log_decomposition(r.table, r.loss, options, r.scores);
  ScoreTerms score;
  score_terms(block, options, score);
  ProperScores proper;
  update(proper, score, times);
  Scores all;
  finish(proper, options, false, all);
  r.nll = all.at("nll").value.value_or(NAN);
  return r;
}

struct NaiveBin {
  test::Real w = 0, p = 0, y = 0;
};

/// Event probability and votes for it, by item, straight from the definition.
void naive(const Simulated& s, test::Real& calibration, test::Real& loss) {
  std::vector<NaiveBin> bins(15);
  test::Real total = 0;
  loss = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    int event = 1;
    if (s.classes > 2) {
      event = 0;
      for (int k = 1; k < s.classes; ++k)
        if (test::probability(s, i, k) > test::probability(s, i, event)) event = k;
    }
    const test::Real p = test::probability(s, i, event);
    const test::Real w = s.weight.empty() ? 1 : test::Real(s.weight[i]);
    const auto n = static_cast<test::Real>(s.votes[i].size());
    const test::Real h = test::votes_for_class(s, i, event);
    NaiveBin& c = bins[static_cast<std::size_t>(std::min(static_cast<int>(static_cast<double>(p) * 15), 14))];
    c.w += w * n;
    c.p += w * n * p;
    c.y += w * h;
    total += w * n;
    loss -= w * (h * std::log(p) + (n - h) * std::log(1 - p));
  }
  loss /= total;
  calibration = 0;
  for (const NaiveBin& c : bins) {
    if (c.w == 0) continue;
    const test::Real y = c.y / c.w, p = c.p / c.w;
    if (y > 0) calibration += c.w / total * y * std::log(y / p);
    if (y < 1) calibration += c.w / total * (1 - y) * std::log((1 - y) / (1 - p));
  }
}

TEST(LogDecomposition, AgreesWithTheDefinition) {
  for (const int classes : {2, 4})
    for (const bool weighted : {false, true}) {
      Simulated s = test::simulate(
          {.n = 600, .classes = classes, .raters = 4, .vary = true, .sharpen = 1.8, .seed = 91});
      if (weighted) test::add_weights(s, 92);
      const Parts r = parts_of(s);
      test::Real calibration = 0, loss = 0;
      naive(s, calibration, loss);
      EXPECT_NEAR(*r.scores.at("log_calibration").value, static_cast<double>(calibration), test::kSums);
      EXPECT_NEAR(*r.scores.at("log_refinement").value, static_cast<double>(loss - calibration), test::kSums);
    }
}

TEST(LogDecomposition, BinaryPartsAddUpToTheLogLoss) {
  Simulated s = test::simulate({.n = 600, .raters = 4, .vary = true, .sharpen = 1.8, .seed = 93});
  const Parts r = parts_of(s);
  EXPECT_NEAR(*r.scores.at("log_calibration").value + *r.scores.at("log_refinement").value, r.nll,
              test::kSums);
}

TEST(LogDecomposition, CalibratedBinsCostNothing) {
  Simulated s;  // p = 3/4 in one bin, three of four votes for it
  s.z = {0.75};
  s.votes = {{1, 1, 1, 0}};
  const Parts r = parts_of(s);
  EXPECT_NEAR(*r.scores.at("log_calibration").value, 0.0, 1e-15);
  EXPECT_NEAR(*r.scores.at("log_refinement").value, -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-15);
}

TEST(LogDecomposition, VotesOnProbabilityZeroAreSaid) {
  Simulated s;
  s.z = {0.0, 0.5};
  s.votes = {{1, 0, 1}, {1}};
  const Parts r = parts_of(s);
  EXPECT_FALSE(r.scores.at("log_calibration"));
  EXPECT_FALSE(r.scores.at("log_refinement"));
  EXPECT_EQ(r.loss.zero, 2u);
  EXPECT_NE(r.scores.at("log_refinement").why.find("2 votes fall on probability 0"), std::string::npos);
  const Parts clipped = parts_of(s, {1e-6});
  EXPECT_EQ(clipped.loss.clipped, 3u);
  EXPECT_NEAR(*clipped.scores.at("log_calibration").value + *clipped.scores.at("log_refinement").value,
              clipped.nll, test::kSums);
  // Certain and right costs nothing and needs no clip.
  s.z = {0.0, 1.0};
  s.votes = {{0, 0}, {1}};
  const Parts certain = parts_of(s);
  EXPECT_EQ(certain.scores.at("log_calibration").value, 0.0);
  EXPECT_EQ(certain.scores.at("log_refinement").value, 0.0);
}

TEST(LogDecomposition, NoVotesAreUndefined) {
  Simulated s;
  s.z = {0.3};
  s.votes = {{}};
  const Parts r = parts_of(s);
  EXPECT_EQ(r.scores.at("log_calibration").why, kNoVotes);
  EXPECT_EQ(r.scores.at("log_refinement").why, kNoVotes);
}

TEST(LogDecomposition, MergeAndTimes) {
  const Simulated s = test::simulate({.n = 300, .classes = 3, .raters = 3, .seed = 94});
  std::vector<std::size_t> a, b, twice;
  std::vector<std::uint32_t> times;
  for (std::size_t i = 0; i < s.size(); ++i) {
    (i % 3 == 0 ? a : b).push_back(i);
    times.push_back(static_cast<std::uint32_t>(i % 3));
    twice.insert(twice.end(), i % 3, i);
  }
  EventLogLoss merged = parts_of(test::take(s, b)).loss;
  merge(merged, parts_of(test::take(s, a)).loss);
  EXPECT_EQ(merged, parts_of(s).loss);
  const Parts drawn = parts_of(s, {}, times), repeated = parts_of(test::take(s, twice));
  EXPECT_NEAR(*drawn.scores.at("log_refinement").value, *repeated.scores.at("log_refinement").value,
              test::kSums);
  EXPECT_EQ(drawn.scores.at("log_calibration").value, repeated.scores.at("log_calibration").value);
}

}  // namespace
}  // namespace plumb
