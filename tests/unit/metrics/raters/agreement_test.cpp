#include "plumb/metrics/raters/agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "unit/metrics/passes.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using test::Real;
using test::Simulated;
using test::VoteForm;

Simulated from_counts(const std::vector<std::vector<int>>& rows) {
  Simulated s;
  s.classes = static_cast<int>(rows.front().size());
  for (const auto& row : rows) {
    auto& votes = s.votes.emplace_back();
    for (std::size_t k = 0; k < row.size(); ++k)
      votes.insert(votes.end(), static_cast<std::size_t>(row[k]), static_cast<int>(k));
    if (s.classes == 2) {
      s.z.push_back(0.5);
    } else {
      s.z.insert(s.z.end(), row.size(), 1.0 / static_cast<double>(row.size()));
    }
  }
  return s;
}

Scores scores(const Simulated& s) {
  Scores out;
  finish_agreement(rater_agreement(to_items(s, VoteForm::counts), 1), out);
  return out;
}

double value(const Scores& s, const char* key) {
  const Estimate& e = s.at(key);
  EXPECT_TRUE(e) << key << ": " << e.why;
  return e.value.value_or(NAN);
}

constexpr double kPrinted = 0.0005;  // three decimals are printed

// Golden: ten subjects, fourteen raters, five categories;
// the textbook example of Fleiss' kappa (0.378, 0.213, 0.210).
TEST(Agreement, FleissExample) {
  const Scores out = scores(from_counts({{0, 0, 0, 0, 14},
                                         {0, 2, 6, 4, 2},
                                         {0, 0, 3, 5, 6},
                                         {0, 3, 9, 2, 0},
                                         {2, 2, 8, 1, 1},
                                         {7, 7, 0, 0, 0},
                                         {3, 2, 6, 3, 0},
                                         {2, 5, 3, 2, 2},
                                         {6, 5, 2, 1, 0},
                                         {0, 2, 2, 3, 7}}));
  EXPECT_NEAR(value(out, "rater_agreement"), 0.378, kPrinted);
  EXPECT_NEAR(value(out, "fleiss_kappa"), 0.210, kPrinted);
}

// Golden: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve
// units, data missing; nominal alpha 0.743.
TEST(Agreement, KrippendorffExample) {
  constexpr int none = 0;
  const int observer[4][12] = {{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
                               {1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
                               {none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
                               {1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none}};
  std::vector<std::vector<int>> counts(12, std::vector<int>(5));
  for (const auto& row : observer)
    for (std::size_t u = 0; u < 12; ++u)
      if (row[u] != none) ++counts[u][static_cast<std::size_t>(row[u] - 1)];
  const Scores out = scores(from_counts(counts));
  EXPECT_NEAR(value(out, "krippendorff_alpha"), 0.743, kPrinted);
  EXPECT_EQ(out.at("krippendorff_alpha").items, 11);  // unit 12 has one value and pairs with nothing
}

// Golden: two observers, ten units, two values (section A of the same): alpha 0.095.
TEST(Agreement, KrippendorffTwoObserversExample) {
  const int a[] = {0, 1, 0, 0, 0, 0, 0, 0, 1, 0};
  const int b[] = {1, 1, 1, 0, 0, 1, 0, 0, 0, 0};
  std::vector<std::vector<int>> counts(10, std::vector<int>(2));
  for (std::size_t u = 0; u < 10; ++u) {
    ++counts[u][static_cast<std::size_t>(a[u])];
    ++counts[u][static_cast<std::size_t>(b[u])];
  }
  EXPECT_NEAR(value(scores(from_counts(counts)), "krippendorff_alpha"), 0.095, kPrinted);
}

/// Krippendorff's alpha through its matrix of coincidences, pair by pair;
/// a class against the rest when `about` >= 0.
Real naive_alpha(const Simulated& s, int about) {
  const auto code = [about](int v) { return about < 0 ? v : static_cast<int>(v == about); };
  const std::size_t k = static_cast<std::size_t>(about < 0 ? s.classes : 2);
  std::vector<std::vector<Real>> o(k, std::vector<Real>(k));
  Real votes = 0;  // the correction for small samples counts votes, whatever their weights
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto& v = s.votes[i];
    const Real w = s.weight.empty() ? 1 : Real(s.weight[i]);
    if (v.size() > 1 && w > 0) votes += static_cast<Real>(v.size());
    for (std::size_t a = 0; a < v.size(); ++a)
      for (std::size_t b = 0; b < v.size(); ++b)
        if (a != b && v.size() > 1)
          o[static_cast<std::size_t>(code(v[a]))][static_cast<std::size_t>(code(v[b]))] +=
              w / (static_cast<Real>(v.size()) - 1);
  }
  std::vector<Real> margin(k);
  Real n = 0, observed = 0, expected = 0;
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t d = 0; d < k; ++d) {
      margin[c] += o[c][d];
      if (c != d) observed += o[c][d];
    }
  for (const Real m : margin) n += m;
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t d = 0; d < k; ++d)
      if (c != d) expected += margin[c] * margin[d];
  return 1 - (n - n / votes) * observed / expected;
}

struct NaiveKappa {
  Real agreement, kappa, specific;
};
NaiveKappa naive_kappa(const Simulated& s, int about) {
  Real total = 0, agree = 0, both = 0;
  std::vector<Real> share(static_cast<std::size_t>(s.classes));
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto& v = s.votes[i];
    const Real w = s.weight.empty() ? 1 : Real(s.weight[i]);
    if (v.size() < 2) continue;
    const Real pairs = static_cast<Real>(v.size() * (v.size() - 1));
    total += w;
    for (const int c : v) share[static_cast<std::size_t>(c)] += w / static_cast<Real>(v.size());
    for (std::size_t a = 0; a < v.size(); ++a)
      for (std::size_t b = 0; b < v.size(); ++b) {
        if (a == b) continue;
        agree += w / pairs * (about < 0 ? v[a] == v[b] : (v[a] == about) == (v[b] == about));
        both += w / pairs * (v[a] == about && v[b] == about);
      }
  }
  Real chance = 0;
  for (const Real x : share) chance += x / total * (x / total);
  if (about >= 0) {
    const Real p = share[static_cast<std::size_t>(about)] / total;
    chance = p * p + (1 - p) * (1 - p);
  }
  const Real specific = about < 0 ? 0 : both / share[static_cast<std::size_t>(about)];
  return {agree / total, (agree / total - chance) / (1 - chance), specific};
}

TEST(Agreement, AgreesWithEnumeratedPairs) {
  for (const int classes : {2, 4})
    for (const bool weighted : {false, true}) {
      Simulated s = test::simulate(
          {.n = 300, .classes = classes, .raters = 7, .vary = true, .heterogeneity = 2, .seed = 15});
      if (weighted) test::add_weights(s, 16);
      const Agreement a = rater_agreement(to_items(s, VoteForm::counts), 1);
      Scores out;
      finish_agreement(a, out);
      const NaiveKappa all = naive_kappa(s, -1);
      EXPECT_NEAR(value(out, "rater_agreement"), static_cast<double>(all.agreement), test::kSums);
      EXPECT_NEAR(value(out, "fleiss_kappa"), static_cast<double>(all.kappa), test::kSums);
      EXPECT_NEAR(value(out, "krippendorff_alpha"), static_cast<double>(naive_alpha(s, -1)), test::kSums);
      const ClassScores by_class = agreement_classes(a);
      for (int k = 0; k < classes; ++k) {
        const NaiveKappa one = naive_kappa(s, k);
        const auto at = static_cast<std::size_t>(k);
        EXPECT_NEAR(*by_class[0].second[at], static_cast<double>(one.agreement), test::kSums);
        EXPECT_NEAR(*by_class[1].second[at], static_cast<double>(one.kappa), test::kSums);
        EXPECT_NEAR(*by_class[2].second[at], static_cast<double>(naive_alpha(s, k)), test::kSums);
        EXPECT_NEAR(*by_class[3].second[at], static_cast<double>(one.specific), test::kSums);
      }
    }
}

TEST(Agreement, UnanimousAndUndefined) {
  const Scores unanimous = scores(from_counts({{3, 0}, {0, 2}, {0, 5}}));
  for (const auto& [key, e] : unanimous) EXPECT_EQ(e.value, 1.0) << key;
  const Scores one_class = scores(from_counts({{3, 0}, {2, 0}}));
  EXPECT_EQ(one_class.at("rater_agreement").value, 1.0);
  EXPECT_FALSE(one_class.at("fleiss_kappa"));
  EXPECT_FALSE(one_class.at("krippendorff_alpha"));
  EXPECT_FALSE(one_class.at("fleiss_kappa").why.empty());
  for (const auto& [key, e] : scores(from_counts({{1, 0}, {0, 1}, {0, 0}}))) {
    EXPECT_FALSE(e) << key;
    EXPECT_EQ(e.why, "no item has two votes or more") << key;
  }
  const ClassScores none = agreement_classes(Agreement(3));
  for (const auto& [key, values] : none) EXPECT_EQ(values, (std::vector<std::optional<double>>(3))) << key;
}

TEST(Agreement, SameBitsForAnyOrderThreadsSplitAndUnitWeights) {
  Simulated s = test::simulate({.n = 5000, .classes = 4, .raters = 9, .vary = true, .seed = 17});
  const Agreement one = rater_agreement(to_items(s, VoteForm::counts), 1);
  EXPECT_EQ(one, rater_agreement(to_items(s, VoteForm::counts), 8));
  EXPECT_EQ(one, rater_agreement(to_items(s, VoteForm::ratings), 2));
  const auto rows = test::shuffled(s.size(), 3);
  Agreement merged(4);
  merge(merged,
        rater_agreement(to_items(test::take(s, {rows.begin(), rows.begin() + 100}), VoteForm::counts), 1));
  merge(merged,
        rater_agreement(to_items(test::take(s, {rows.begin() + 100, rows.end()}), VoteForm::counts), 1));
  EXPECT_EQ(one, merged);
  s.weight.assign(s.size(), 1.0);
  EXPECT_EQ(one, rater_agreement(to_items(s, VoteForm::counts), 1));
  EXPECT_THROW(merge(merged, Agreement(3)), std::invalid_argument);
}

TEST(Agreement, TimesAreTheRowSeveralTimes) {
  const Simulated s = test::simulate({.n = 200, .classes = 3, .raters = 5, .vary = true, .seed = 18});
  const Items items = to_items(s, VoteForm::counts);
  VoteBlock votes;
  items.votes.read(0, items.size(), votes);
  std::vector<std::uint32_t> times;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < s.size(); ++i) {
    times.push_back(static_cast<std::uint32_t>(i % 4));
    rows.insert(rows.end(), i % 4, i);
  }
  Agreement drawn(3);
  update(drawn, votes, {}, times);
  Agreement repeated = rater_agreement(to_items(test::take(s, rows), VoteForm::counts), 1);
  repeated.items = drawn.items;  // distinct items, as elsewhere
  EXPECT_EQ(drawn, repeated);
}

}  // namespace
}  // namespace plumb
