#include "plumb/data/forecasts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "plumb/data/confidence.hpp"
#include "unit/data/complaint.hpp"

namespace plumb {
namespace {

using Column = std::vector<double>;

Rows column(Column values, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size());
  return Rows(array_of(std::move(values), {n}, name));
}
Rows matrix(Column values, std::int64_t width, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size()) / width;
  return Rows(array_of(std::move(values), {n, width}, name));
}

ItemBlock block_of(const Items& items) {
  ItemBlock block;
  read_items(items, 0, items.size(), block);
  return block;
}

void expect_same(const Forecasts& a, const Forecasts& b) {
  EXPECT_EQ(a.p, b.p);
  EXPECT_EQ(a.hits, b.hits);
  EXPECT_EQ(a.trials, b.trials);
  EXPECT_EQ(a.weight, b.weight);
}

/// N items with K classes, R ratings each (some missing when R > 1), and weights. p has ties.
struct Sample {
  Items items;
  Column z, ratings, counts;
  std::int64_t n = 0;
  int classes = 0, raters = 0;
};
Sample sample(std::int64_t n, int classes, int raters, bool weights, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto below = [&](std::int64_t m) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(m));
  };
  Sample s;
  s.n = n;
  s.classes = classes;
  s.raters = raters;
  s.counts.resize(static_cast<std::size_t>(n * classes));
  Column w;
  for (std::int64_t i = 0; i < n; ++i) {
    Column row(static_cast<std::size_t>(classes));
    for (double& x : row) x = static_cast<double>(below(9));
    row[0] += 1;
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (const double x : row) s.z.push_back(x / sum);
    for (int r = 0; r < raters; ++r) {
      const bool rated = raters == 1 || below(3) > 0;
      const std::int64_t k = below(classes);
      s.ratings.push_back(rated ? static_cast<double>(k) : -1.0);
      if (rated) s.counts[static_cast<std::size_t>(i * classes + k)] += 1;
    }
    w.push_back(static_cast<double>(below(5)) / 4);
  }
  s.items.predictions = Predictions({matrix(s.z, classes, "p")}, Scale::probability);
  s.items.votes = Votes::from_ratings(matrix(s.ratings, raters, "r"), classes);
  if (weights) s.items.weights = column(w, "w");
  return s;
}

TEST(Forecasts, BinaryEvents) {
  Items items;
  items.predictions = Predictions({column({0.9, 0.5, 0.25, 0}, "p")}, Scale::probability);
  items.votes = Votes::from_labels(column({1, 0, 1, 0}, "y"), 2);
  Forecasts f;
  project(block_of(items), Event::positive, f);
  EXPECT_EQ(f.p, (Column{0.9, 0.5, 0.25, 0}));
  EXPECT_EQ(f.hits, (Column{1, 0, 1, 0}));
  EXPECT_TRUE(f.trials.empty() && f.weight.empty());
  Forecasts event;
  project(block_of(items), Event::event, event);
  expect_same(event, f);
  project(block_of(items), Event::top, f);
  EXPECT_EQ(f.p, (Column{0.9, 0.5, 0.75, 1}));
  EXPECT_EQ(f.hits, (Column{1, 1, 0, 1}));  // at 0.5 the top label is class 0
  project_class(block_of(items), 0, f);
  EXPECT_EQ(f.p, (Column{1 - 0.9, 0.5, 0.75, 1}));
  EXPECT_EQ(f.hits, (Column{0, 1, 0, 1}));
  project_class(block_of(items), 1, f);
  expect_same(f, event);
}

TEST(Forecasts, MulticlassEventIsTheTopLabel) {
  Items items;
  items.predictions = Predictions({matrix({0.2, 0.4, 0.4, 0.5, 0.25, 0.25}, 3, "p")}, Scale::probability);
  items.votes = Votes::from_counts(matrix({1, 2, 3, 0, 0, 0}, 3, "c"), 3);
  items.weights = column({2, 3}, "w");
  Forecasts f;
  project(block_of(items), Event::event, f);
  EXPECT_EQ(f.p, (Column{0.4, 0.5}));
  EXPECT_EQ(f.hits, (Column{2, 0}));  // ties: class 1; an item without votes has no hits and no trials
  EXPECT_EQ(f.trials, (Column{6, 0}));
  EXPECT_EQ(f.weight, (Column{2, 3}));
  project_class(block_of(items), 2, f);
  EXPECT_EQ(f.p, (Column{0.4, 0.25}));
  EXPECT_EQ(f.hits, (Column{3, 0}));
  EXPECT_THROW(project(block_of(items), Event::positive, f), std::invalid_argument);
  EXPECT_THROW(project_class(block_of(items), 3, f), std::invalid_argument);
  EXPECT_THROW(project_class(block_of(items), -1, f), std::invalid_argument);
}

/// Reference: hits and p counted by hand from the ratings.
TEST(Forecasts, AgainstNaiveProjection) {
  for (const int classes : {2, 3, 10, 40}) {
    const Sample s = sample(700, classes, 4, true, 23);
    Forecasts top, by_class;
    project(block_of(s.items), Event::top, top);
    const int k = classes - 1;
    project_class(block_of(s.items), k, by_class);
    for (std::int64_t i = 0; i < s.n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      Column row(s.z.begin() + i * classes, s.z.begin() + (i + 1) * classes);
      if (classes == 2) row[0] = 1 - row[1];  // binary tasks keep P(class 1) alone
      int best = 0;
      for (int j = 1; j < classes; ++j) {
        if (row[static_cast<std::size_t>(j)] > row[static_cast<std::size_t>(best)]) best = j;
      }
      double hits = 0, hits_k = 0, trials = 0;
      for (int r = 0; r < s.raters; ++r) {
        const double y = s.ratings[static_cast<std::size_t>(i * s.raters + r)];
        hits += y == best;
        hits_k += y == k;
        trials += y >= 0;
      }
      EXPECT_EQ(top.p[at], row[static_cast<std::size_t>(best)]);
      EXPECT_EQ(top.hits[at], hits);
      EXPECT_EQ(top.trials[at], trials);
      EXPECT_EQ(by_class.p[at], row[static_cast<std::size_t>(k)]);
      EXPECT_EQ(by_class.hits[at], hits_k);
    }
  }
}

/// Law: over the classes, hits add up to trials, and probabilities to 1.
TEST(Forecasts, ClassesAddUp) {
  constexpr double kRounding = 1e-12;  // sums of at most ten probabilities
  for (const int classes : {2, 3, 10}) {
    const Sample s = sample(100, classes, 3, false, 5);
    const ItemBlock block = block_of(s.items);
    Column p(100, 0.0), hits(100, 0.0);
    Forecasts f;
    for (int k = 0; k < classes; ++k) {
      project_class(block, k, f);
      for (std::size_t i = 0; i < 100; ++i) {
        p[i] += f.p[i];
        hits[i] += f.hits[i];
      }
    }
    EXPECT_EQ(hits, f.trials);
    for (const double sum : p) EXPECT_NEAR(sum, 1, kRounding);
  }
}

/// Law: labels, counts and ratings of the same votes give the same forecasts.
TEST(Forecasts, RepresentationOfVotesDoesNotMatter) {
  for (const int classes : {2, 3, 40}) {
    for (const int raters : {1, 3}) {
      Sample s = sample(200, classes, raters, true, 31);
      Forecasts ratings, counts;
      project(block_of(s.items), Event::event, ratings);
      s.items.votes = Votes::from_counts(matrix(s.counts, classes, "c"), classes);
      project(block_of(s.items), Event::event, counts);
      expect_same(ratings, counts);
      EXPECT_EQ(ratings.trials.empty(), raters == 1);
      if (raters > 1) continue;
      s.items.votes = Votes::from_labels(column(s.ratings, "y"), classes);
      project(block_of(s.items), Event::event, counts);
      expect_same(ratings, counts);
    }
  }
}

TEST(Forecasts, TopOneIsTheTopLabelAndTopAllIsCertain) {
  constexpr double kRounding = 1e-12;  // a sum of ten probabilities
  for (const int classes : {2, 3, 10}) {
    const Sample s = sample(120, classes, 3, true, 51);
    const ItemBlock block = block_of(s.items);
    Forecasts top, one;
    project(block, Event::top, top);
    project_top(block, 1, one);
    expect_same(one, top);
    project_top(block, classes + 3, one);
    EXPECT_EQ(one.hits, one.trials);
    for (const double p : one.p) {
      EXPECT_LE(p, 1);
      EXPECT_NEAR(p, 1, kRounding);
    }
    EXPECT_THROW(project_top(block, 0, one), std::invalid_argument);
  }
  Items items;
  items.predictions = Predictions({matrix({0.125, 0.25, 0.25, 0.25, 0.125}, 5, "p")}, Scale::probability);
  items.votes = Votes::from_counts(matrix({1, 10, 100, 1000, 10000}, 5, "c"), 5);
  Forecasts f;
  project_top(block_of(items), 2, f);  // ties: the lowest classes first
  EXPECT_EQ(f.p, Column{0.5});
  EXPECT_EQ(f.hits, Column{110});
  project_top(block_of(items), 4, f);
  EXPECT_EQ(f.p, Column{0.875});
  EXPECT_EQ(f.hits, Column{1111});
}

TEST(Forecasts, CollectEqualsOneBlockForAnyThreads) {
  for (const int classes : {2, 3}) {
    for (const int raters : {1, 3}) {
      const Sample s = sample(15000, classes, raters, raters == 3, 61);
      Forecasts whole;
      const ItemBlock block = block_of(s.items);
      for (const int threads : {1, 2, 16}) {
        project(block, Event::event, whole);
        expect_same(collect(s.items, Event::event, threads), whole);
        project(block, Event::top, whole);
        expect_same(collect(s.items, Event::top, threads), whole);
        project_class(block, 0, whole);
        expect_same(collect_class(s.items, 0, threads), whole);
      }
    }
  }
}

TEST(Forecasts, CollectNamesTheFirstBadRow) {
  Column p(20000, 0.5);
  p[9000] = 2;
  p[19000] = -1;
  Items items;
  items.predictions = Predictions({column(p, "p")}, Scale::probability);
  for (const int threads : {1, 2, 16}) {
    const std::string said = complaint([&] { (void)collect(items, Event::event, threads); });
    EXPECT_EQ(said.substr(0, 18), "p, row 9000 is 2; ") << threads;
  }
}

TEST(Forecasts, WithoutVotesEverythingIsZero) {
  Items items;
  items.predictions = Predictions({column({0.5, 0.75}, "p")}, Scale::probability);
  const Forecasts f = collect(items, Event::event, 1);
  EXPECT_EQ(f.hits, (Column{0, 0}));
  EXPECT_EQ(f.trials, (Column{0, 0}));
}

TEST(Forecasts, SortKeepsRowsTogether) {
  const Sample s = sample(5000, 3, 3, true, 71);
  const Forecasts f = collect(s.items, Event::event, 1);
  std::vector<std::uint32_t> order(f.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return f.p[a] < f.p[b]; });
  for (const int threads : {1, 2, 16}) {
    const SortedForecasts sorted = sort_forecasts(f, threads);
    EXPECT_EQ(sorted.order, order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(sorted.columns.p[i], f.p[order[i]]);
      ASSERT_EQ(sorted.columns.hits[i], f.hits[order[i]]);
      ASSERT_EQ(sorted.columns.trials[i], f.trials[order[i]]);
      ASSERT_EQ(sorted.columns.weight[i], f.weight[order[i]]);
    }
  }
  const SortedForecasts plain = sort_forecasts({{0.5, 0.25}, {1, 0}, {}, {}}, 1);
  EXPECT_TRUE(plain.columns.trials.empty() && plain.columns.weight.empty());
  EXPECT_EQ(plain.view().hits[0], 0);
  EXPECT_EQ(sort_forecasts({}, 1).columns.size(), 0u);
}

// (p, hits, trials, weight) of every row, in an order of their own.
std::vector<std::array<double, 4>> rows_of(const Forecasts& f) {
  std::vector<std::array<double, 4>> rows;
  for (std::size_t i = 0; i < f.size(); ++i)
    rows.push_back({f.p[i], f.hits[i], f.view().trials_of(i), f.weight.empty() ? 1.0 : f.weight[i]});
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Forecasts, SortInPlaceKeepsRowsTogether) {
  for (const int raters : {1, 3}) {
    const Sample s = sample(5000, 2, raters, raters > 1, 72);
    Forecasts f = collect(s.items, Event::event, 1);
    f.p[7] = f.p[8] = 0.0, f.p[9] = 1.0, f.p[10] = -0.0;
    for (const int threads : {1, 16}) {
      const Forecasts sorted = sort_in_place(f, threads);
      EXPECT_TRUE(std::is_sorted(sorted.p.begin(), sorted.p.end()));
      EXPECT_EQ(rows_of(sorted), rows_of(f));
    }
  }
  EXPECT_EQ(sort_in_place({}, 1).size(), 0u);
}

TEST(Forecasts, TheConfidenceIsMergedFromTheEvent) {
  for (const int raters : {1, 3}) {
    for (const int n : {1, 2, 5000, 200000}) {
      const Sample s = sample(n, 2, raters, raters > 1, 73);
      const Forecasts event = sort_in_place(collect(s.items, Event::positive, 1), 1);
      const Forecasts top = sort_in_place(collect(s.items, Event::top, 1), 1);
      for (const int threads : {1, 16}) {
        const Forecasts merged = confidence_of(event, threads);
        EXPECT_EQ(merged.p, top.p) << raters << " " << n;
        EXPECT_EQ(rows_of(merged), rows_of(top)) << raters << " " << n;
      }
    }
  }
}

TEST(Forecasts, StretchesOfTheConfidenceKeepEqualValuesTogether) {
  Forecasts f;  // many ties, and one that is longer than a stretch
  for (int i = 0; i < 60000; ++i) {
    f.p.push_back(i % 3 == 0 ? 0.25 : i % 1000 / 1000.0);
    f.hits.push_back(i % 7 == 0);
    f.weight.push_back(1 + i % 5);
  }
  f = sort_in_place(std::move(f), 1);
  const Forecasts whole = confidence_of(f, 1);
  const ConfidenceColumn column(f.view());
  EXPECT_GT(column.stretches(), 3);
  Forecasts all, stretch;
  for (std::int64_t s = 0; s < column.stretches(); ++s) {
    column.read(s, stretch);
    ASSERT_FALSE(stretch.p.empty());
    if (s > 0) {
      EXPECT_LT(all.p.back(), stretch.p.front());
    }
    all.p.insert(all.p.end(), stretch.p.begin(), stretch.p.end());
    all.hits.insert(all.hits.end(), stretch.hits.begin(), stretch.hits.end());
    all.weight.insert(all.weight.end(), stretch.weight.begin(), stretch.weight.end());
  }
  EXPECT_EQ(all.p, whole.p);
  EXPECT_EQ(all.hits, whole.hits);
  EXPECT_EQ(all.weight, whole.weight);
  for (const bool from_last : {false, true}) {
    std::vector<std::vector<double>> seen;
    column.each(from_last, 3, [&](const ForecastsView& v) { seen.emplace_back(v.p.begin(), v.p.end()); });
    ASSERT_EQ(std::ssize(seen), column.stretches());
    if (from_last) std::reverse(seen.begin(), seen.end());
    std::vector<double> joined;
    for (const auto& p : seen) joined.insert(joined.end(), p.begin(), p.end());
    EXPECT_EQ(joined, whole.p);
  }
  EXPECT_EQ(ConfidenceColumn({}).stretches(), 0);
  ConfidenceColumn({}).each(true, 2, [](const ForecastsView&) { FAIL(); });
}

TEST(Forecasts, SliceAndAccessors) {
  const Forecasts f{{0.1, 0.2, 0.3}, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const std::vector<std::uint32_t> times = {0, 2, 1};
  ForecastsView v = f.view();
  v.times = times;
  v.whole_counts = false;
  const ForecastsView part = v.slice(1, 2);
  EXPECT_EQ(part.size(), 2u);
  EXPECT_EQ(part.p[0], 0.2);
  EXPECT_EQ(part.hits[1], 3);
  EXPECT_EQ(part.trials_of(0), 5);
  EXPECT_EQ(part.weight_of(0), 16);
  EXPECT_FALSE(part.whole_counts);
  const ForecastsView bare{f.p, f.hits, {}, {}, {}, true};
  EXPECT_EQ(bare.slice(2, 1).trials_of(0), 1);
  EXPECT_EQ(bare.slice(2, 1).weight_of(0), 1);
}

}  // namespace
}  // namespace plumb
