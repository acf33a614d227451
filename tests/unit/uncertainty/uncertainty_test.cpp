// The whole: same bits for any rows and threads, suspects, intervals, groups, the law that ties u1
// to evaluate.
#include "plumb/uncertainty/uncertainty.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>

#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"
#include "plumb/numeric/progress.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

const MetricResult& score(const MeasureResult& m, const std::string& key) {
  for (const auto& [name, value] : m.scores)
    if (name == key) return value;
  throw std::out_of_range(key);
}
const MeasureResult& named(const UncertaintyResult& r, const std::string& name) {
  for (const MeasureResult& m : r.measures)
    if (m.name == name) return m;
  throw std::out_of_range(name);
}

Simulated task(bool weights) {
  Simulated s = simulate({.n = 800, .classes = 7, .raters = 4, .vary = true, .sharpen = 1.5, .seed = 11});
  for (std::size_t i = 0; weights && i < s.size(); ++i)
    s.weight.push_back(0.1 * static_cast<double>(1 + i % 5));
  return s;
}

void expect_equal(const UncertaintyResult& a, const UncertaintyResult& b, bool resampled) {
  EXPECT_EQ(a.accuracy, b.accuracy);
  ASSERT_EQ(a.measures.size(), b.measures.size());
  for (std::size_t i = 0; i < a.measures.size(); ++i) {
    const MeasureResult &x = a.measures[i], &y = b.measures[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.pooled_bins, y.pooled_bins);
    EXPECT_EQ(x.doubtful_bins, y.doubtful_bins);
    ASSERT_EQ(x.scores.size(), y.scores.size());
    for (std::size_t k = 0; k < x.scores.size(); ++k) {
      EXPECT_EQ(x.scores[k].second.value, y.scores[k].second.value) << x.name << " " << x.scores[k].first;
      if (!resampled) continue;
      EXPECT_EQ(x.scores[k].second.low, y.scores[k].second.low);
      EXPECT_EQ(x.scores[k].second.null_mean, y.scores[k].second.null_mean);
    }
    ASSERT_EQ(x.bins.size(), y.bins.size());
    for (std::size_t j = 0; j < x.bins.size(); ++j) {
      EXPECT_EQ(x.bins[j].hits, y.bins[j].hits);
      EXPECT_EQ(x.bins[j].error, y.bins[j].error);
    }
    for (std::size_t j = 0; j < x.thresholds.cuts.size(); ++j)
      EXPECT_EQ(x.thresholds.cuts[j].value, y.thresholds.cuts[j].value);
  }
}

TEST(Uncertainty, SameBitsForAnyThreads) {
  for (const bool weights : {false, true})
    for (const double coarse : {0.0, 0.4}) {
      UncertaintyOptions o;
      o.bins = 30;
      o.bootstrap = 8;
      o.permutations = 8;
      o.coarsen = coarse;
      o.threads = 1;
      const Items items = to_items(task(weights), VoteForm::counts);
      const UncertaintyResult one = uncertainty(items, {}, {}, o);
      o.threads = 4;
      expect_equal(one, uncertainty(items, {}, {}, o), true);
    }
}

TEST(Uncertainty, SameBitsForAnyRowOrder) {
  for (const bool weights : {false, true})
    for (const double coarse : {0.0, 0.4}) {
      UncertaintyOptions o;
      o.bins = 30;
      o.permutations = 0;
      o.coarsen = coarse;
      const Simulated s = task(weights);
      const UncertaintyResult a = uncertainty(to_items(s, VoteForm::counts), {}, {}, o);
      const UncertaintyResult b =
          uncertainty(to_items(take(s, shuffled(s.size(), 3)), VoteForm::counts), {}, {}, o);
      expect_equal(a, b, false);
    }
}

TEST(Uncertainty, U1IsTheRankingOfEvaluate) {
  // -log of the largest probability orders items as that probability does: the same areas, bit for bit.
  const Items items = to_items(task(false), VoteForm::counts);
  const SortedForecasts top = sort_forecasts(collect(items, Event::top, 1), 1);
  const UncertaintyResult r = uncertainty(items, {}, {}, {});
  EXPECT_EQ(*score(named(r, "u1"), "auroc_unbinned").value, *auroc(top.view()).value);
  EXPECT_EQ(*score(named(r, "u1"), "aurc").value, *risk_coverage(top.view()).aurc.value);
  EXPECT_EQ(*score(named(r, "u1"), "augrc").value, *risk_coverage(top.view()).augrc.value);
  // Bins forget little of the ranking.
  EXPECT_NEAR(*score(named(r, "u1"), "auroc").value, *auroc(top.view()).value, 0.01);
}

TEST(Uncertainty, RanksMeasuresAndSeesNoise) {
  const Simulated s = simulate({.n = 4000, .classes = 7, .sharpen = 1.5, .seed = 5});
  RandomStream rng(3, Purpose::demo);
  std::vector<double> noise;
  for (std::size_t i = 0; i < s.size(); ++i) noise.push_back(rng.uniform());
  UncertaintyOptions o;
  o.bins = 40;
  o.bootstrap = 40;
  const UncertaintyResult r = uncertainty(to_items(s, VoteForm::labels),
                                          {{"noise", Rows(array_of(noise, {4000}, "noise.npy"))}}, {}, o);
  EXPECT_EQ(r.measures.back().name, "noise");
  const MetricResult& useless = score(named(r, "noise"), "eor");
  EXPECT_NEAR(*useless.value, *useless.null_mean, 0.15) << "about what chance gives";
  EXPECT_GT(*useless.p_value, 0.01);
  EXPECT_EQ(*score(named(r, "entropy"), "eor").p_value, 1.0 / 101);
  EXPECT_LT(*score(named(r, "entropy"), "eor").low, *score(named(r, "entropy"), "eor").high);
  EXPECT_GE(*score(named(r, "loss"), "auroc").value, *score(named(r, "entropy"), "auroc").value);
}

TEST(Uncertainty, BootstrapSpreadOfAucIsThatOfTheItems) {
  // Groups of four identical rows: the interval must be about twice as wide as with items as units.
  Simulated s = simulate({.n = 500, .classes = 3, .sharpen = 1.3, .seed = 8});
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 500; ++i) rows.insert(rows.end(), 4, i);
  Simulated copies = take(s, rows);
  UncertaintyOptions o;
  o.bins = 10;
  o.bootstrap = 300;
  o.permutations = 0;
  const auto width = [&](const Simulated& data) {
    const MetricResult m =
        score(named(uncertainty(to_items(data, VoteForm::labels), {}, {}, o), "u1"), "auroc_unbinned");
    return *m.high - *m.low;
  };
  const double items = width(copies);
  for (std::size_t i = 0; i < rows.size(); ++i) copies.group.push_back(static_cast<std::int64_t>(rows[i]));
  EXPECT_NEAR(width(copies) / items, 2, 0.4);
}

TEST(Uncertainty, SuspectsAreWrongAndSure) {
  const Simulated s = simulate({.n = 300, .classes = 4, .sharpen = 2, .seed = 6});
  UncertaintyOptions o;
  o.suspects = 5;
  const Items items = to_items(s, VoteForm::labels);
  const UncertaintyResult r = uncertainty(items, {}, {}, o);
  ASSERT_EQ(r.suspects.size(), 5u);
  EXPECT_EQ(r.suspects_by, "u1");
  double last = -1;
  double largest = 0;
  for (const Suspect& x : r.suspects) {
    const auto i = static_cast<std::size_t>(x.row);
    EXPECT_EQ(x.label, s.votes[i][0]);
    EXPECT_NE(x.label, x.prediction);
    EXPECT_GE(x.score, last);
    last = x.score;
    largest = x.score;
  }
  // No wrong item outside the list is surer.
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double* row = s.z.data() + i * 4;
    const auto top = std::max_element(row, row + 4) - row;
    const bool listed = std::any_of(r.suspects.begin(), r.suspects.end(),
                                    [&](const Suspect& x) { return x.row == static_cast<std::int64_t>(i); });
    if (top != s.votes[i][0] && !listed) {
      EXPECT_GE(-std::log(row[top]), largest - 1e-12);
    }
  }
  o.suspects_by = "margin";
  EXPECT_THROW((void)uncertainty(items, {}, {}, o), InputError);
}

TEST(Uncertainty, TiedSuspectsAreSettledByName) {
  // Six wrong items of one score: the two first names come out, wherever their rows stand.
  const auto suspects = [](const std::vector<std::string>& ids) {
    Items items;
    items.predictions =
        Predictions({Rows(array_of(std::vector<double>(6, 0.9), {6}, "p"))}, Scale::probability);
    items.votes = Votes::from_labels(Rows(array_of(std::vector<std::int64_t>(6, 0), {6}, "y")), 2);
    const Names names(Rows(array_of(ids, {6}, "ids")));
    UncertaintyOptions o;
    o.suspects = 2;
    std::vector<std::string> out;
    for (const Suspect& s : uncertainty(items, {}, names, o).suspects) out.push_back(names.name(s.row));
    return out;
  };
  EXPECT_EQ(suspects({"f", "a10", "c", "a2", "e", "b"}), suspects({"b", "c", "e", "f", "a2", "a10"}));
}

TEST(Uncertainty, NothingWrongIsSaidNotFaked) {
  Items items;
  items.predictions =
      Predictions({Rows(array_of(std::vector<double>{.9, .8, .7}, {3}, "p"))}, Scale::probability);
  items.votes = Votes::from_labels(Rows(array_of(std::vector<std::int64_t>{1, 1, 1}, {3}, "y")), 2);
  const UncertaintyResult r = uncertainty(items, {}, {}, {});
  EXPECT_FALSE(score(named(r, "entropy"), "eor").value.has_value());
  EXPECT_FALSE(score(named(r, "entropy"), "auroc").value.has_value());
  EXPECT_EQ(*score(named(r, "entropy"), "aurc").value, 0);
  EXPECT_TRUE(r.suspects.empty());
  EXPECT_NE(named(r, "u5").why, "");
}

TEST(Uncertainty, TellsTheShareDoneAndStopsWhenAsked) {
  const Items items = to_items(task(false), VoteForm::labels);
  UncertaintyOptions o{.measures = {"u1", "entropy"}, .bootstrap = 3, .permutations = 5};
  std::vector<double> shares;
  o.progress = [&](double share) { shares.push_back(share); };
  (void)uncertainty(items, {}, {}, o);
  ASSERT_EQ(shares.size(), 16u);
  for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_EQ(shares[i], (i + 1) / 16.0);
  std::stop_source stop;
  o.cancel = stop.get_token();
  o.progress = [&](double share) {
    if (share >= 0.25) stop.request_stop();
    EXPECT_LT(share, 0.5);  // a replicate that is under way when the stop comes may still end
  };
  o.threads = 2;
  EXPECT_THROW((void)uncertainty(items, {}, {}, o), Cancelled);
}

TEST(Uncertainty, BadOptionsAreRefused) {
  const Items items = to_items(simulate({.n = 50, .seed = 2}), VoteForm::labels);
  const auto refused = [&](auto change) {
    UncertaintyOptions o;
    change(o);
    EXPECT_THROW((void)uncertainty(items, {}, {}, o), InputError);
  };
  refused([](UncertaintyOptions& o) { o.bins = 0; });
  refused([](UncertaintyOptions& o) { o.targets = {1.5}; });
  refused([](UncertaintyOptions& o) { o.base_rate = 1; });
  refused([](UncertaintyOptions& o) { o.coarsen = -1; });
  refused([](UncertaintyOptions& o) { o.top = 3; });
  refused([](UncertaintyOptions& o) { o.top = 5; });
  const Rows column(array_of(std::vector<double>(50, 1.0), {50}, "s"));
  EXPECT_THROW((void)uncertainty(items, {{"entropy", column}}, {}, {}), InputError);
}

}  // namespace
}  // namespace plumb::test
