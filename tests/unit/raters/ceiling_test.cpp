#include "plumb/raters/ceiling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

/// One score of a forecast against one vote, as the definitions say.
double naive_score(const std::string& key, const std::vector<double>& z, int vote) {
  const int k = static_cast<int>(z.size());
  if (key == "agreement") return std::max_element(z.begin(), z.end()) - z.begin() == vote;
  double out = 0, below = 0;
  for (int c = 0; c < k; ++c) {
    below += z[c];
    if (key == "brier") out += (z[c] - (c == vote)) * (z[c] - (c == vote));
    if (key == "rps" && c + 1 < k) out += (below - (vote <= c)) * (below - (vote <= c)) / (k - 1.0);
  }
  return out;
}

TEST(Ceiling, AgreesWithEachPairOfVotes) {
  for (const int classes : {2, 4}) {
    const Simulated s = test::simulate({.n = 200, .classes = classes, .raters = 5, .vary = true, .seed = 61});
    const auto rows = human_ceiling(to_items(s, VoteForm::ratings), true, 0.95);
    ASSERT_EQ(rows.size(), 5u);
    for (const CeilingRow& row : rows) {
      ASSERT_EQ(row.scores.size(), 3u);
      for (const CeilingScore& score : row.scores) {
        double human = 0, model = 0, items = 0, squares = 0;
        std::vector<double> differences;
        for (std::size_t i = 0; i < s.size(); ++i) {
          const auto& votes = s.votes[i];
          if (static_cast<int>(votes.size()) <= row.rater || votes.size() < 2) continue;
          std::vector<double> z, label(classes, 0.0);
          for (int c = 0; c < classes; ++c)
            z.push_back(classes == 2 ? (c == 1 ? s.z[i] : 1 - s.z[i]) : s.z[i * classes + c]);
          label[votes[row.rater]] = 1;
          double h = 0, m = 0;
          for (std::size_t v = 0; v < votes.size(); ++v) {
            if (static_cast<int>(v) == row.rater) continue;
            h += naive_score(score.key, label, votes[v]) / (votes.size() - 1.0);
            m += naive_score(score.key, z, votes[v]) / (votes.size() - 1.0);
          }
          items += 1;
          human += h;
          model += m;
          differences.push_back(m - h);
        }
        EXPECT_EQ(row.items, static_cast<std::int64_t>(items));
        EXPECT_NEAR(score.rater, human / items, 1e-12) << score.key;
        EXPECT_NEAR(score.model, model / items, 1e-12) << score.key;
        const double mean = (model - human) / items;
        for (const double d : differences) squares += (d - mean) * (d - mean);
        const double half = 1.959963984540054 * std::sqrt(squares / (items - 1) / items);
        EXPECT_NEAR(*score.low, mean - half, 1e-9);
        EXPECT_NEAR(*score.high, mean + half, 1e-9);
      }
    }
  }
}

TEST(Ceiling, RefusesUnknownRaters) {
  const Simulated s = test::simulate({.n = 20, .classes = 3, .raters = 3, .seed = 62});
  EXPECT_THROW((void)human_ceiling(to_items(s, VoteForm::counts), false, 0.95), InputError);
}

}  // namespace
}  // namespace plumb
