// Any split into batches and any order of merging gives the bytes of one pass.
#include "plumb/api/accumulator.hpp"

#include <gtest/gtest.h>

#include "plumb/plumb.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::VoteForm;

Items part(const Items& items, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = begin; i < end; ++i) rows.push_back(i);
  return items.gather(rows);
}

TEST(Accumulator, AnySplitGivesTheBitsOfOnePass) {
  for (const int classes : {2, 4})
    for (const VoteForm form : {VoteForm::labels, VoteForm::counts, VoteForm::ratings}) {
      const Items items = test::to_items(
          test::simulate(
              {.n = 197, .classes = classes, .raters = form == VoteForm::labels ? 1 : 4, .sharpen = 2}),
          form);
      const EvaluateOptions options{.bins = 10, .bandwidth = classes == 2 ? 0.05 : 0};
      Accumulator whole(options);
      whole.update(items);
      for (const std::int64_t step : {1, 64, 196}) {
        Accumulator forward(options), left(options), right(options);
        for (std::int64_t at = 0; at < 197; at += step) {
          const Items batch = part(items, at, std::min<std::int64_t>(197, at + step));
          forward.update(batch);
          (at % 2 == 0 ? left : right).update(batch);
        }
        EXPECT_EQ(forward.to_bytes(), whole.to_bytes()) << step;
        right.merge(Accumulator::from_bytes(left.to_bytes()));
        EXPECT_EQ(right.to_bytes(), whole.to_bytes()) << step;
      }
      const Result one = evaluate(items, options), streamed = whole.finish();
      for (const auto& [key, m] : streamed.metrics) {
        if (m.value) {
          EXPECT_EQ(m.value, one[key].value) << key;
        } else {
          EXPECT_NE(m.why, "") << key;
        }
      }
      EXPECT_TRUE(streamed["ece"].value);
      EXPECT_TRUE(streamed["ks"].value);
    }
}

TEST(Accumulator, EmptyIsTheIdentity) {
  const Items items = make_items({.probs = std::vector{0.25, 0.75}, .labels = std::vector{0, 1}});
  Accumulator a, empty;
  a.update(items);
  const std::string bytes = a.to_bytes();
  a.merge(empty);
  EXPECT_EQ(a.to_bytes(), bytes);
  empty.merge(a);
  EXPECT_EQ(empty.to_bytes(), bytes);
  const std::vector<double> none;
  a.update(make_items({.probs = none, .labels = none}));
  EXPECT_EQ(a.to_bytes(), bytes);
  a.merge(a);
  empty.update(items);
  EXPECT_EQ(a.to_bytes(), empty.to_bytes());
  EXPECT_THROW((void)Accumulator().finish(), InputError);
  EXPECT_THROW((void)Accumulator().to_bytes(), InputError);
}

TEST(Accumulator, RefusesWhatSumsCannotGive) {
  EXPECT_THROW(RegressionAccumulator({.bootstrap = 100}), InputError);
  const Items items = make_items({.probs = std::vector{0.25, 0.75}, .labels = std::vector{0, 1}});
  EXPECT_THROW(Accumulator({.bootstrap = 100}).update(items), InputError);  // units without a name
  Accumulator mass({.binning = Binning::mass}), ten({.bins = 10}), five({.bins = 5});
  EXPECT_THROW(mass.update(items), InputError);
  ten.update(items);
  five.update(items);
  const std::string before = ten.to_bytes();
  EXPECT_THROW(ten.merge(five), InputError);
  EXPECT_EQ(ten.to_bytes(), before);
  EXPECT_THROW((void)Accumulator::from_bytes("nonsense"), InputError);
  EXPECT_THROW((void)RegressionAccumulator::from_bytes(before), InputError);
}

TEST(Accumulator, TheStateKeepsItsOptions) {
  const Items items = make_items({.probs = std::vector{0.25, 0.75}, .labels = std::vector{0, 1}});
  Accumulator a({.bins = 7, .clip = 0.01});
  a.update(items);
  Accumulator again = Accumulator::from_bytes(a.to_bytes(), {.metrics = {"ece"}});
  again.update(items);
  a.update(items);
  EXPECT_EQ(again.to_bytes(), a.to_bytes());
  EXPECT_EQ(again.finish().metrics.size(), 1u);
}

TEST(RegressionAccumulator, AnySplitGivesTheBitsOfOnePass) {
  std::vector<float> mean, variance, targets;
  for (int i = 0; i < 1000; ++i) {
    mean.push_back(static_cast<float>(i % 13) / 7);
    variance.push_back(0.1F + static_cast<float>(i % 5));
    targets.push_back(static_cast<float>((i * 37) % 29) / 9);
  }
  const auto batch = [&](std::int64_t begin, std::int64_t end) {
    const auto n = end - begin;
    return make_regression_items({.mean = {mean.data() + begin, {n}},
                                  .variance = {variance.data() + begin, {n}},
                                  .targets = {targets.data() + begin, {n}}});
  };
  const RegressionOptions options{.range = RegressionRange{0, 5}};
  RegressionAccumulator whole(options), parts(options), other(options);
  whole.update(batch(0, 1000));
  for (std::int64_t at = 0; at < 1000; at += 70)
    (at % 140 == 0 ? parts : other).update(batch(at, std::min<std::int64_t>(1000, at + 70)));
  parts.merge(RegressionAccumulator::from_bytes(other.to_bytes()));
  EXPECT_EQ(parts.to_bytes(), whole.to_bytes());
  const Result one = evaluate(batch(0, 1000), options);
  EXPECT_EQ(parts.finish()["uce"].value, one["uce"].value);
  EXPECT_EQ(parts.finish()["nll"].value, one["nll"].value);
}

}  // namespace
}  // namespace plumb
