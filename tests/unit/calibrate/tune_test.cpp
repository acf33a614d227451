#include "calibrate/tune.hpp"

#include <gtest/gtest.h>

#include "parametric.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using test::fit;
using test::simulate;
using test::to_items;
using test::VoteForm;

double option(const Step& step, const std::string& name) {
  for (const auto& [key, value] : step.fit.options)
    if (key == name) return std::get<double>(value);
  return -1;
}

TEST(Tune, TheLogLossIsTheNaiveOne) {
  const auto s = simulate({.n = 100, .classes = 4, .raters = 3, .vary = true, .sharpen = 2});
  const Items items = to_items(s, VoteForm::counts);
  const Step step = fit("temperature", items, {});
  EXPECT_NEAR(detail::log_loss(items, step, 2).mean(),
              static_cast<double>(test::naive_objective(step, s, test::naive_logits(s))), 1e-12);
}

// The choice is the grid's best by a fit and a score done here by hand.
TEST(Tune, PicksTheBestOfTheGridAndRefits) {
  const Items items = to_items(simulate({.n = 120, .classes = 4, .groups = 30}), VoteForm::labels);
  for (const int folds : {0, 3}) {
    FitOptions options{.tune = true, .seed = 7};
    if (folds > 0) options.folds = folds;
    const auto fold_of = split_folds(items, folds == 0 ? 5 : folds, 7);
    double best = 1e300, chosen_b = 0, chosen_w = 0;
    for (const double b : {0.1, 1.0, 10.0})
      for (const double w : {0.1, 1.0, 10.0}) {
        double sum = 0, mass = 0;
        for (int f = 0; f < std::max(folds, 1); ++f) {
          const Items held = items.gather(fold_rows(fold_of, f, true));
          const Items rest = items.gather(fold_rows(fold_of, f, false));
          EXPECT_EQ(rest.size() + held.size(), items.size());
          const auto l = detail::log_loss(held, fit("matrix", rest, {.lambda_b = b, .lambda_w = w}), 1);
          sum += l.sum;
          mass += l.mass;
        }
        if (sum / mass < best) best = sum / mass, chosen_b = b, chosen_w = w;
      }
    const Step step = fit("matrix", items, options);
    EXPECT_EQ(option(step, "lambda_b"), chosen_b);
    EXPECT_EQ(option(step, "lambda_w"), chosen_w);
    EXPECT_NEAR(option(step, "held_out_nll"), best, 1e-12);
    EXPECT_EQ(step.parameters, fit("matrix", items, {.lambda_b = chosen_b, .lambda_w = chosen_w}).parameters);
  }
}

TEST(Tune, GivenStrengthsStay) {
  EXPECT_EQ(detail::strength_grid({}, true).size(), 9u);
  EXPECT_EQ(detail::strength_grid({}, false).size(), 3u);
  EXPECT_EQ(detail::strength_grid({.lambda_b = 2}, true).size(), 3u);
  EXPECT_EQ(detail::strength_grid({.lambda_b = 2, .lambda_w = 3}, true).size(), 1u);
}

TEST(Tune, NegativeStrengthsAreRefused) {
  const Items items = to_items(simulate({.n = 30, .classes = 3}), VoteForm::labels);
  EXPECT_THROW((void)fit("vector", items, {.lambda_b = -1}), InputError);
  EXPECT_THROW((void)fit("matrix", items, {.lambda_w = std::nan("")}), InputError);
}

}  // namespace
}  // namespace plumb
