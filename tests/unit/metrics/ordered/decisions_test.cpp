#include "plumb/metrics/ordered/decisions.hpp"

#include <gtest/gtest.h>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// Reference: four counts of votes, by the definition.
TEST(Decisions, AreTheFourCounts) {
  const std::vector<double> thresholds{0.001, 0.1, 0.25, 0.5, 0.5 + 1e-12, 0.9, 0.9999};
  for (const ColumnOptions& o : kinds()) {
    Column c = random_column(o);
    c.p.front() = c.p.size() > 2 ? c.p.front() : 0.25;  // a forecast on a threshold
    const std::vector<Decision> got = decisions(c.view(), thresholds);
    ASSERT_EQ(got.size(), thresholds.size());
    for (std::size_t k = 0; k < thresholds.size(); ++k) {
      double tp = 0, fp = 0, fn = 0, tn = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        const double hits = c.gain(i), misses = c.mass(i) - c.gain(i);
        (c.p[i] >= thresholds[k] ? tp : fn) += hits;
        (c.p[i] >= thresholds[k] ? fp : tn) += misses;
      }
      const double t = thresholds[k], n = tp + fp + fn + tn;
      const auto expect = [&](const std::optional<double>& value, double a, double b) {
        ASSERT_EQ(value.has_value(), b > 1e-9) << "seed " << o.seed;
        if (value) {
          EXPECT_NEAR(*value, a / b, 1e-9) << "seed " << o.seed << " threshold " << t;
        }
      };
      expect(got[k].sensitivity(), tp, tp + fn);
      expect(got[k].specificity(), tn, tn + fp);
      if (std::min(tp + fp, tn + fn) > 1e-9) {
        expect(got[k].ppv(), tp, tp + fp);
        expect(got[k].npv(), tn, tn + fn);
      }
      EXPECT_NEAR(*got[k].net_benefit(), tp / n - fp / n * t / (1 - t), 1e-9 / (1 - t));
      EXPECT_NEAR(*got[k].treat_all(), (tp + fn) / n - (fp + tn) / n * t / (1 - t), 1e-9 / (1 - t));
    }
  }
}

// Vickers and Elkin's reading: at a threshold below every forecast the model treats all.
TEST(Decisions, BelowAllForecastsTheModelTreatsAll) {
  const Column c = random_column({.n = 100, .seed = 2});
  const std::vector<double> low{1e-6};
  const Decision d = decisions(c.view(), low).front();
  EXPECT_EQ(*d.net_benefit(), *d.treat_all());
  EXPECT_EQ(*d.sensitivity(), 1);
  EXPECT_FALSE(d.npv());
}

TEST(Decisions, OfNothing) {
  const std::vector<double> half{0.5};
  const Decision d = decisions({}, half).front();
  EXPECT_FALSE(d.sensitivity());
  EXPECT_FALSE(d.net_benefit());
}

}  // namespace
}  // namespace plumb::test
