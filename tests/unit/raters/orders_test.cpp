#include "plumb/raters/orders.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;
using Real = long double;
using Counts = std::vector<std::uint32_t>;

/// P of each multiset of k votes, vote after vote from Polya's urn (alpha 0: independent votes).
std::map<Counts, Real> naive_forecast(const std::vector<Real>& z, Real alpha, int k) {
  std::map<Counts, Real> now{{Counts(z.size(), 0), 1}};
  for (int v = 0; v < k; ++v) {
    std::map<Counts, Real> next;
    for (const auto& [counts, p] : now)
      for (std::size_t c = 0; c < z.size(); ++c) {
        Counts more = counts;
        ++more[c];
        next[more] += p * (alpha > 0 ? (alpha * z[c] + counts[c]) / (alpha + v) : z[c]);
      }
    now = next;
  }
  return now;
}

/// Shares of all choices of k of the votes, one choice at a time.
std::map<Counts, Real> naive_targets(const std::vector<int>& votes, std::size_t classes, int k) {
  std::map<Counts, Real> out;
  Real choices = 0;
  for (unsigned set = 0; set < (1u << votes.size()); ++set) {
    if (__builtin_popcount(set) != k) continue;
    Counts counts(classes, 0);
    for (std::size_t v = 0; v < votes.size(); ++v)
      if (set >> v & 1) ++counts[votes[v]];
    out[counts] += 1;
    choices += 1;
  }
  for (auto& [counts, share] : out) share /= choices;
  return out;
}

struct NaiveLosses {
  Real loss = 0, plugin = 0, debiased = 0;
  int items = 0;
};

/// `asks`: null for all multisets; otherwise one column, the multisets for which it holds.
NaiveLosses naive_orders(const Simulated& s, int k, bool (*asks)(const Counts&) = nullptr) {
  struct Cell {
    Real n = 0, f = 0, mu = 0, mm = 0;
  };
  std::map<std::pair<Counts, int>, Cell> cells;
  NaiveLosses out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (static_cast<int>(s.votes[i].size()) < k) continue;
    ++out.items;
    std::vector<Real> z;
    for (int c = 0; c < s.classes; ++c)
      z.push_back(s.classes == 2 ? (c == 1 ? s.z[i] : 1 - s.z[i]) : s.z[i * s.classes + c]);
    std::map<Counts, Real> f = naive_forecast(z, s.concentration.empty() ? 0 : s.concentration[i], k);
    std::map<Counts, Real> mu = naive_targets(s.votes[i], s.classes, k);
    if (asks != nullptr) {
      std::map<Counts, Real> one_f{{{}, 0}}, one_mu{{{}, 0}};
      for (const auto& [counts, p] : f) one_f[{}] += asks(counts) ? p : 0;
      for (const auto& [counts, p] : mu) one_mu[{}] += asks(counts) ? p : 0;
      f = one_f;
      mu = one_mu;
    }
    for (const auto& [counts, p] : f) {
      Cell& cell = cells[{counts, std::min(14, static_cast<int>(static_cast<double>(p) * 15))}];
      const Real m = mu[counts];
      cell.n += 1;
      cell.f += p;
      cell.mu += m;
      cell.mm += m * m;
      out.loss += p * p - 2 * p * m + m;
    }
  }
  out.loss /= out.items;
  for (const auto& [at, c] : cells) {
    const Real f = c.f / c.n, mu = c.mu / c.n;
    out.plugin += c.n / out.items * (f - mu) * (f - mu);
    if (c.n > 1)
      out.debiased += c.n / out.items * ((c.mu * c.mu - c.mm) / (c.n * c.n - c.n) - 2 * mu * f + f * f);
  }
  return out;
}

TEST(Orders, AgreeWithEnumeratedChoices) {
  for (const int classes : {2, 4})
    for (const bool concentrated : {false, true})
      for (const int k : {1, 2, 3}) {
        Simulated s = test::simulate(
            {.n = 250, .classes = classes, .raters = 6, .vary = true, .heterogeneity = 3, .seed = 41});
        if (concentrated) s.concentration.assign(s.size(), 2.5);
        OrdersOptions o;
        o.orders = {k};
        const OrderLosses got = evaluate_orders(to_items(s, VoteForm::counts), o).front();
        const NaiveLosses want = naive_orders(s, k);
        EXPECT_EQ(got.key, "order_" + std::to_string(k));
        EXPECT_EQ(got.items, want.items);
        EXPECT_NEAR(*got.loss.value, static_cast<double>(want.loss), 1e-12) << k;
        EXPECT_NEAR(*got.plugin.value, static_cast<double>(want.plugin), 1e-12) << k;
        EXPECT_NEAR(*got.debiased.value, static_cast<double>(want.debiased), 1e-12) << k;
      }
}

TEST(Orders, QuestionsAreSumsOverMultisets) {
  Simulated s =
      test::simulate({.n = 250, .classes = 3, .raters = 6, .vary = true, .heterogeneity = 3, .seed = 42});
  Items items = to_items(s, VoteForm::counts);
  items.class_names = {"cat", "dog", "fox in box"};
  OrdersOptions o;
  o.statistics = {"3 votes: all agree", "2 votes: not all agree", "4 votes: at least 2 for fox in box"};
  const auto got = evaluate_orders(items, o);
  const NaiveLosses want[] = {
      naive_orders(s, 3, [](const Counts& c) { return *std::max_element(c.begin(), c.end()) == 3; }),
      naive_orders(s, 2, [](const Counts& c) { return *std::max_element(c.begin(), c.end()) < 2; }),
      naive_orders(s, 4, [](const Counts& c) { return c[2] >= 2; })};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(got[j].columns, 1);
    EXPECT_NEAR(*got[j].loss.value, static_cast<double>(want[j].loss), 1e-12) << j;
    EXPECT_NEAR(*got[j].debiased.value, static_cast<double>(want[j].debiased), 1e-12) << j;
  }
  for (const char* bad : {"all agree", "3 votes: agree", "3 votes: at least 2", "3 votes: at least 4 for cat",
                          "3 votes: at least 2 for cow", "0 votes: all agree", "3 votes: at least x for cat"})
    EXPECT_THROW((void)parse_question(bad, 3, items.class_names), InputError) << bad;
}

TEST(Orders, MultisetsAreWhole) {
  const Multisets ways(10, 5);
  EXPECT_EQ(ways.size(), 2002);
  std::vector<double> p(ways.size(), 0.0), z{.3, .2, .1, .1, .05, .05, .05, .05, .05, .05};
  for (const double alpha : {0.0, 0.5, 30.0}) {
    std::fill(p.begin(), p.end(), 0.0);
    ways.add_forecast(z, alpha, 1, p);
    double sum = 0;
    for (const double x : p) sum += x;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_THROW(Multisets(100, 4), InputError);
  EXPECT_THROW(Multisets(3, 0), InputError);
}

TEST(Orders, IntervalsAndThreads) {
  const Simulated s = test::simulate({.n = 1500, .classes = 3, .raters = 4, .heterogeneity = 3, .seed = 43});
  OrdersOptions one, many;
  one.orders = many.orders = {2};
  one.bootstrap = many.bootstrap = 20;
  one.threads = 1;
  many.threads = 4;
  const OrderLosses a = evaluate_orders(to_items(s, VoteForm::counts), one).front(),
                    b = evaluate_orders(to_items(s, VoteForm::counts), many).front();
  EXPECT_EQ(a.debiased.value, b.debiased.value);
  EXPECT_EQ(a.debiased.low, b.debiased.low);
  EXPECT_LT(*a.debiased.low, *a.debiased.high);
  EXPECT_FALSE(a.plugin.low);
  const OrderLosses none = evaluate_orders(to_items(s, VoteForm::counts), {.orders = {5}}).front();
  EXPECT_FALSE(none.debiased.value);
  EXPECT_EQ(none.debiased.why, "no item has 5 votes");
}

}  // namespace
}  // namespace plumb
