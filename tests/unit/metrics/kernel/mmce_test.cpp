#include "plumb/metrics/kernel/mmce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "reference.hpp"

namespace plumb {
namespace {

using reference::Real;

// The recursion multiplies thousands of decaying factors; its error grows like the root of their number.
constexpr double kRecursion = 1e-13;

struct Column {
  std::vector<double> p, hits, trials, weight;
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, weight, {}, true}; }
};

Column make_column(const std::string& kind, std::size_t n) {
  Column c;
  c.p = reference::column(kind, n, 51);
  std::sort(c.p.begin(), c.p.end());
  RandomStream r(52, Purpose::demo);
  for (std::size_t i = 0; i < n; ++i) {
    c.trials.push_back(static_cast<double>(r.below(4)));
    c.hits.push_back(std::floor(r.uniform() * (c.trials[i] + 1)));
    c.weight.push_back(r.uniform());
  }
  return c;
}

// a[i] is the factor of a vote: sum_ij a_i a_j exp(-|p_i - p_j| / width).
template <class Factor>
double root_of_form(const ForecastsView& f, double width, Factor factor) {
  const std::vector<reference::Vote> v = reference::votes_of(f);
  Real sum = 0;
  for (const auto& a : v) {
    for (const auto& b : v) {
      sum += factor(a) * factor(b) * std::exp(-std::abs(static_cast<Real>(a.p) - b.p) / width);
    }
  }
  return static_cast<double>(std::sqrt(sum));
}

TEST(Mmce, AgreesWithTheDoubleSum) {
  for (const std::string& kind : reference::hostile()) {
    const Column c = make_column(kind, 150);
    for (double width : {0.4, 0.01}) {
      Real mass = 0, hits = 0, misses = 0;
      for (const auto& v : reference::votes_of(c.view()))
        mass += v.w, hits += v.w * v.y, misses += v.w * (1 - v.y);
      const double plain = root_of_form(c.view(), width, [&](const reference::Vote& v) -> Real {
        return v.w * (static_cast<Real>(v.y) - v.p) / mass;
      });
      const double weighted = root_of_form(c.view(), width, [&](const reference::Vote& v) -> Real {
        return v.y == 1 ? v.w * (1 - static_cast<Real>(v.p)) / hits : -v.w * static_cast<Real>(v.p) / misses;
      });
      EXPECT_NEAR(*mmce(c.view(), width).value, plain, kRecursion * (1 + plain)) << kind;
      EXPECT_NEAR(*mmce_weighted(c.view(), width).value, weighted, kRecursion * (1 + weighted)) << kind;
    }
  }
}

TEST(Mmce, GoldenOfTwoVotes) {
  const std::vector<double> p{0.2, 0.6}, y{1, 0};
  // residuals 0.8, -0.6; kernel exp(-1)
  const double want = std::sqrt((0.64 + 0.36 - 2 * 0.48 * std::exp(-1.0)) / 4);
  EXPECT_NEAR(*mmce({p, y, {}, {}, {}, true}).value, want, 1e-15);
  // a hit of factor 0.8 and a miss of factor -0.6, each the only one of its kind
  EXPECT_NEAR(*mmce_weighted({p, y, {}, {}, {}, true}).value, 2 * want, 1e-15);
}

TEST(Mmce, TiesInAnyOrderGiveTheSameBits) {
  Column c = make_column("rounded", 3000);
  const double one = *mmce(c.view()).value;
  std::vector<std::size_t> order = reference::shuffled(3000, 4);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return c.p[a] < c.p[b]; });
  const Column d{reference::gathered(c.p, order), reference::gathered(c.hits, order),
                 reference::gathered(c.trials, order), reference::gathered(c.weight, order)};
  EXPECT_EQ(one, *mmce(d.view()).value);
}

TEST(Mmce, WeightTwoIsTheRowTwice) {
  const Column c = make_column("uniform", 200);
  std::vector<double> p, y, n, two(200, 2.0);
  for (std::size_t i = 0; i < 200; ++i) {
    for (int k = 0; k < 2; ++k) p.push_back(c.p[i]), y.push_back(c.hits[i]), n.push_back(c.trials[i]);
  }
  EXPECT_NEAR(*mmce({p, y, n, {}, {}, true}).value, *mmce({c.p, c.hits, c.trials, two, {}, true}).value,
              1e-12);
}

TEST(Mmce, Edges) {
  const std::vector<double> none, p{0.0, 1.0}, y{0, 1}, no_votes{0, 0};
  EXPECT_FALSE(mmce({none, none, {}, {}, {}, true}));
  EXPECT_FALSE(mmce({p, y, no_votes, {}, {}, true}));
  EXPECT_EQ(*mmce({p, y, {}, {}, {}, true}).value, 0.0);  // right and certain
  EXPECT_EQ(*mmce_weighted({p, y, {}, {}, {}, true}).value, 0.0);
  const std::vector<double> all{1, 1};
  EXPECT_EQ(*mmce_weighted({p, all, {}, {}, {}, true}).value, 0.5);  // no misses: hits alone
}

// Outcomes redrawn on one column: to the bit what the function says of each.
TEST(Mmce, DrawsShareWhatDependsOnTheForecasts) {
  for (const std::string& kind : reference::hostile()) {
    for (const bool single : {true, false}) {
      Column c = make_column(kind, 700);
      c.weight.clear();
      if (single) c.trials.clear();
      const MmceDraws draws(c.view());
      for (std::uint64_t seed = 1; seed < 6; ++seed) {
        RandomStream r(seed, Purpose::demo);
        for (std::size_t i = 0; i < c.hits.size(); ++i)
          c.hits[i] = std::floor(r.uniform() * (c.view().trials_of(i) + 1));
        ASSERT_EQ(draws(c.view()).value, mmce(c.view()).value) << kind << ", seed " << seed;
      }
    }
  }
  Column none = make_column("uniform", 20);
  none.weight.clear();
  none.trials.assign(20, 0);
  none.hits.assign(20, 0);
  EXPECT_FALSE(MmceDraws(none.view())(none.view()));
  const Column weighted = make_column("uniform", 50);
  EXPECT_EQ(MmceDraws(weighted.view())(weighted.view()).value, mmce(weighted.view()).value);
}

}  // namespace
}  // namespace plumb
