// Measures against their definitions in long double; outcomes for votes, top five, items without votes.
#include "plumb/uncertainty/measures.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

// A dozen terms of size one, each off by a unit in the last place.
constexpr double kRounding = 1e-13;

struct Task {
  std::vector<std::vector<double>> samples;  // N x K each
  std::vector<std::int64_t> labels;
  std::int64_t n, k;
  [[nodiscard]] double z(std::size_t s, std::int64_t i, std::int64_t c) const {
    return samples[s][static_cast<std::size_t>(i * k + c)];
  }
  [[nodiscard]] double mean(std::int64_t i, std::int64_t c) const {
    double sum = 0;
    for (std::size_t s = 0; s < samples.size(); ++s) sum += z(s, i, c);
    return sum / static_cast<double>(samples.size());
  }
  [[nodiscard]] Items items() const {
    Items out;
    std::vector<Rows> rows;
    for (const auto& s : samples) rows.emplace_back(array_of(s, {n, k}, "sample.npy"));
    out.predictions = Predictions(rows, Scale::probability);
    out.votes = Votes::from_labels(Rows(array_of(labels, {n}, "labels.npy")), static_cast<int>(k));
    return out;
  }
};

Task make(std::int64_t n, std::int64_t k, int samples, std::uint64_t seed = 1) {
  RandomStream rng(seed, Purpose::demo, 3);
  Task t{{}, {}, n, k};
  t.samples.resize(static_cast<std::size_t>(samples));
  for (auto& s : t.samples)
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0;
      std::vector<double> row;
      for (std::int64_t c = 0; c < k; ++c) sum += row.emplace_back(rng.gamma(0.6));
      for (const double x : row) s.push_back(x / sum);
    }
  for (std::int64_t i = 0; i < n; ++i)
    t.labels.push_back(static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(k))));
  return t;
}

const Measure& named(const Measured& m, const std::string& name) {
  for (const Measure& x : m.measures)
    if (x.name == name) return x;
  throw std::out_of_range(name);
}

double entropy(const std::vector<double>& row) {
  long double h = 0;
  for (const double x : row) h -= x > 0 ? x * std::log(static_cast<long double>(x)) : 0;
  return static_cast<double>(h);
}

/// || 1/S sum (p_s - m)(p_s - m)^T ||_F.
double frobenius(const Task& t, std::int64_t i) {
  const auto count = static_cast<long double>(t.samples.size());
  long double sum = 0;
  for (std::int64_t a = 0; a < t.k; ++a)
    for (std::int64_t b = 0; b < t.k; ++b) {
      long double c = 0;
      for (std::size_t s = 0; s < t.samples.size(); ++s)
        c += (t.z(s, i, a) - t.mean(i, a)) * (t.z(s, i, b) - t.mean(i, b)) / count;
      sum += c * c;
    }
  return static_cast<double>(std::sqrt(sum));
}

TEST(Measures, AllOfThemAgainstTheirDefinitions) {
  for (const auto& [k, samples] : {std::pair{7, 4}, {3, 8}, {12, 2}}) {  // variance by samples and by classes
    const Task t = make(60, k, samples);
    const Measured m = measure_items(t.items(), {}, 1, 2);
    ASSERT_EQ(m.measures.size(), std::size(kMeasures));
    for (std::int64_t i = 0; i < t.n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::vector<double> mean;
      for (std::int64_t c = 0; c < k; ++c) mean.push_back(t.mean(i, c));
      long double expected = 0;
      for (int s = 0; s < samples; ++s) {
        std::vector<double> row;
        for (std::int64_t c = 0; c < k; ++c) row.push_back(t.z(static_cast<std::size_t>(s), i, c));
        expected += entropy(row) / static_cast<long double>(samples);
      }
      const double label = mean[static_cast<std::size_t>(t.labels[at])];
      EXPECT_NEAR(named(m, "entropy").values[at], entropy(mean), kRounding);
      EXPECT_NEAR(named(m, "expected_entropy").values[at], static_cast<double>(expected), kRounding);
      EXPECT_NEAR(named(m, "mutual_information").values[at], entropy(mean) - static_cast<double>(expected),
                  kRounding);
      EXPECT_NEAR(named(m, "variance").values[at], frobenius(t, i), kRounding);
      EXPECT_NEAR(named(m, "loss").values[at], -std::log(label), kRounding * (1 - std::log(label)));
      std::vector<double> down = mean;
      std::sort(down.rbegin(), down.rend());
      EXPECT_NEAR(named(m, "u1").values[at], -std::log(down[0]), kRounding);
      if (k > 5) {
        EXPECT_NEAR(named(m, "u5").values[at], -std::log(down[0] + down[1] + down[2] + down[3] + down[4]),
                    kRounding);
      }
      EXPECT_EQ(m.outcomes.hits[at], label == down[0] ? 1 : 0);
      EXPECT_EQ(m.outcomes.wrong[at], label == down[0] ? 0 : 1);
    }
    if (k <= 5) {
      EXPECT_NE(named(m, "u5").why, "");
    }
  }
}

TEST(Measures, BinaryVarianceIsTwiceThatOfP) {
  Items items;
  items.predictions = Predictions({Rows(array_of(std::vector<double>{.2, .9}, {2}, "a")),
                                   Rows(array_of(std::vector<double>{.6, .9}, {2}, "b"))},
                                  Scale::probability);
  items.votes = Votes::from_labels(Rows(array_of(std::vector<std::int64_t>{0, 1}, {2}, "y")), 2);
  const Measured m = measure_items(items, {}, 1, 1);
  EXPECT_NEAR(named(m, "variance").values[0], 2 * .04, kRounding);
  EXPECT_NEAR(named(m, "variance").values[1], 0, kRounding);
  EXPECT_NEAR(named(m, "entropy").values[0], entropy({.4, .6}), kRounding);
  EXPECT_EQ(m.outcomes.hits, (std::vector<double>{1, 1}));
}

TEST(Measures, CertainAndImpossible) {
  Items items;
  items.predictions =
      Predictions({Rows(array_of(std::vector<double>{1, 0, 0, 0, 1, 0}, {2, 3}, "z"))}, Scale::probability);
  items.votes = Votes::from_labels(Rows(array_of(std::vector<std::int64_t>{0, 0}, {2}, "y")), 3);
  const Measured m = measure_items(items, {}, 1, 1);
  EXPECT_EQ(named(m, "entropy").values, (std::vector<double>{0, 0}));
  EXPECT_EQ(named(m, "u1").values, (std::vector<double>{0, 0}));
  EXPECT_FALSE(std::signbit(named(m, "u1").values[0]));
  EXPECT_EQ(named(m, "loss").values[0], 0);
  EXPECT_TRUE(std::isinf(named(m, "loss").values[1]));
}

TEST(Measures, VotesThatAgree) {
  const Simulated s = simulate({.n = 200, .classes = 8, .raters = 5, .vary = true, .seed = 3});
  const Items items = to_items(s, VoteForm::counts);
  for (const int top : {1, 5}) {
    const Measured m = measure_items(items, std::vector<std::string>{"u1"}, top, 3);
    for (std::size_t i = 0; i < s.size(); ++i) {
      std::vector<std::pair<double, int>> order;
      for (int c = 0; c < 8; ++c) order.emplace_back(-s.z[i * 8 + static_cast<std::size_t>(c)], c);
      std::sort(order.begin(), order.end());
      double hits = 0;
      int count[8] = {};
      for (const int v : s.votes[i]) {
        ++count[v];
        for (int t = 0; t < top; ++t) hits += order[static_cast<std::size_t>(t)].second == v;
      }
      const int most = *std::max_element(count, count + 8);
      bool wrong = true;  // none of the classes with most votes is among the top ones
      for (int t = 0; t < top; ++t) wrong = wrong && count[order[static_cast<std::size_t>(t)].second] != most;
      EXPECT_EQ(m.outcomes.hits[i], hits);
      EXPECT_EQ(m.outcomes.trials[i], static_cast<double>(s.votes[i].size()));
      EXPECT_EQ(m.outcomes.wrong[i], wrong ? 1 : 0);
    }
  }
}

TEST(Measures, ItemsWithoutVotesAreLeftOut) {
  Items items;
  items.predictions =
      Predictions({Rows(array_of(std::vector<double>{.1, .6, .8}, {3}, "p"))}, Scale::probability);
  items.votes =
      Votes::from_counts(Rows(array_of(std::vector<std::int64_t>{1, 0, 0, 0, 2, 1}, {3, 2}, "c")), 2);
  const Measured m = measure_items(items, {}, 1, 1);
  ASSERT_EQ(m.outcomes.size(), 2u);
  EXPECT_EQ(m.outcomes.row_of(1), 2);
  EXPECT_EQ(m.outcomes.hits, (std::vector<double>{1, 1}));
  EXPECT_EQ(m.outcomes.trials, (std::vector<double>{1, 3}));
  EXPECT_EQ(m.outcomes.votes, 4);
  const Measure own =
      own_measure("mine", Rows(array_of(std::vector<double>{7, 8, 9}, {3}, "m")), items, m.outcomes);
  EXPECT_EQ(own.values, (std::vector<double>{7, 9}));
}

TEST(Measures, BadInputIsSaid) {
  const Task t = make(5, 4, 1);
  const Items items = t.items();
  const auto message = [&](auto call) {
    try {
      call();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no complaint");
  };
  EXPECT_NE(
      message([&] { (void)measure_items(items, std::vector<std::string>{"entropi"}, 1, 1); }).find("entropy"),
      std::string::npos);
  EXPECT_NE(message([&] {
              (void)measure_items(items, std::vector<std::string>{"variance"}, 1, 1);
            }).find(".samples"),
            std::string::npos);
  EXPECT_NE(message([&] { (void)measure_items(items, {}, 5, 1); }).find(".top 5"), std::string::npos);
  const Measured m = measure_items(items, {}, 1, 1);
  const double nan = std::nan("");
  EXPECT_NE(message([&] {
              (void)own_measure("mine", Rows(array_of(std::vector<double>{1, 2, nan, 4, 5}, {5}, "s.npy")),
                                items, m.outcomes);
            }).find("row 2"),
            std::string::npos);
}

}  // namespace
}  // namespace plumb::test
