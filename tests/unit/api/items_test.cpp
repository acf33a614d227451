// Items from the public interface against items made with the core's types: the same values to the last bit.
#include "plumb/api/items.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/plumb.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

void expect_same(const Result& a, const Result& b) {
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (const auto& [key, m] : a.metrics) {
    EXPECT_EQ(m.value, b[key].value) << key;
    EXPECT_EQ(m.low, b[key].low) << key;
    EXPECT_EQ(m.high, b[key].high) << key;
    EXPECT_EQ(m.p_value, b[key].p_value) << key;
    EXPECT_EQ(m.why, b[key].why) << key;
  }
}

template <class T>
std::vector<T> labels_of(const Simulated& s) {
  std::vector<T> out;
  for (const auto& v : s.votes) out.push_back(static_cast<T>(v.at(0)));
  return out;
}

std::vector<unsigned short> counts_of(const Simulated& s) {
  std::vector<unsigned short> out(s.size() * s.classes);
  for (std::size_t i = 0; i < s.size(); ++i)
    for (const int v : s.votes[i]) ++out[i * s.classes + v];
  return out;
}

std::string refusal(const ItemColumns& columns) {
  try {
    (void)make_items(columns);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(MakeItems, EqualsTheCoreBitForBit) {
  for (const int classes : {2, 4}) {
    Simulated s = test::simulate({.n = 200, .classes = classes, .sharpen = 2, .groups = 40});
    s.weight.assign(s.size(), 1);
    s.weight[7] = 2.5;
    const EvaluateOptions options{.metrics = {"ece", "ks", "nll", "ece_classwise"}, .bootstrap = 20};
    const Result core = evaluate(test::to_items(s, VoteForm::labels), options);
    const int columns = classes == 2 ? 1 : classes;
    const auto labels = labels_of<signed char>(s);
    expect_same(
        core,
        evaluate(
            make_items({.probs = {s.z, columns}, .labels = labels, .weights = s.weight, .groups = s.group}),
            options));
    // Column-major predictions, every second number of the labels' memory.
    std::vector<double> turned(s.z.size());
    const auto n = std::ssize(labels);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < columns; ++k) turned[k * n + i] = s.z[i * columns + k];
    std::vector<std::uint64_t> spaced(2 * n, 99);
    for (std::int64_t i = 0; i < n; ++i) spaced[2 * i] = labels[i];
    expect_same(core, evaluate(make_items({.probs = {turned.data(), {n, columns}, {1, n}},
                                           .labels = {spaced.data(), {n}, {2}},
                                           .weights = std::vector<double>(s.weight),
                                           .groups = std::span(s.group)}),
                               options));
  }
}

TEST(MakeItems, SeveralRaters) {
  const Simulated s = test::simulate({.n = 300, .classes = 3, .raters = 5, .vary = true});
  const Result core = evaluate(test::to_items(s, VoteForm::counts), {});
  const auto counts = counts_of(s);
  expect_same(core, evaluate(make_items({.probs = {s.z, 3}, .counts = {counts, 3}})));
  std::vector<std::vector<float>> ratings;
  for (const auto& v : s.votes) {
    ratings.emplace_back(v.begin(), v.end());
    ratings.back().resize(5, -1);
  }
  expect_same(evaluate(test::to_items(s, VoteForm::ratings), {}),
              evaluate(make_items({.probs = {s.z, 3}, .ratings = ratings})));
}

TEST(MakeItems, ScalesAndSamplesAreSaidByName) {
  const std::vector<float> x{0.25F, 0.5F, 0.75F, 0.5F};
  const std::vector<bool> y{false, true, true, false};
  const Items probs = make_items({.probs = x, .labels = y}), logits = make_items({.logits = x, .labels = y});
  EXPECT_EQ(probs.predictions.scale(), Scale::probability);
  EXPECT_EQ(logits.predictions.scale(), Scale::logit);
  EXPECT_EQ(probabilities(probs), (std::vector<double>{0.25, 0.5, 0.75, 0.5}));
  EXPECT_GT(probabilities(logits)[0], 0.5);
  const std::vector<double> two{0.25, 0.5, 0.75, 0.75, 0.0, 0.25};  // S x N
  const Items samples = make_items({.samples = {two, {2, 3}}});
  EXPECT_EQ(samples.predictions.samples(), 2);
  EXPECT_EQ(probabilities(samples), (std::vector<double>{0.5, 0.25, 0.5}));
  EXPECT_EQ(make_items({.sample_logits = {two, {2, 1, 3}}}).classes(), 3);
  EXPECT_EQ(probabilities(make_items({.probs = {std::vector{1, 1, 2}, 3}, .normalize = true})),
            (std::vector<double>{0.25, 0.25, 0.5}));
}

TEST(MakeItems, NamesAndTruth) {
  const std::vector<double> p{0.25, 0.5, 0.75};
  const std::vector<std::string> y{"ill", "well", "ill"}, site{"A", "B", "A"};
  const Items items = make_items({.probs = p,
                                  .labels = y,
                                  .truth = p,
                                  .concentration = std::vector{2.0, 3.0, 4.0},
                                  .groups = std::vector{3, 1, 3},
                                  .by = site,
                                  .classes = {"well", "ill"}});
  EXPECT_EQ(items.by.front().name(1), "B");
  EXPECT_EQ(items.groups.distinct(), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(items.class_names.back(), "ill");
  EXPECT_EQ(items.truth.rows(), 3);
  EXPECT_EQ(items.concentration.size(), 1u);
  EXPECT_EQ(evaluate(items, {.metrics = {"mse_p"}})["mse_p"].value, 0);
}

TEST(MakeItems, RefusesInOneSentence) {
  const std::vector<double> p{0.25, 0.5, 0.75, 0.5};
  const std::vector<int> y{0, 1}, four{0, 1, 1, 0};
  EXPECT_EQ(refusal({}), "no predictions given; set .probs or .logits");
  EXPECT_EQ(refusal({.probs = p, .logits = p}), ".probs and .logits cannot be combined; give one of them");
  EXPECT_EQ(refusal({.probs = p, .labels = four, .ratings = four}),
            ".labels and .ratings cannot be combined; give one of them");
  EXPECT_EQ(refusal({.probs = p, .labels = y}),
            "probs has 4 values but labels has 2 rows; if that is 2 columns per item, write {probs, 2}");
  EXPECT_EQ(refusal({.probs = p, .labels = std::vector{1, 0, 1}}),
            "probs has 4 rows but labels has 3 rows; both must describe the same items in the same order");
  EXPECT_NE(refusal({.probs = p, .labels = four, .weights = y}), "");
  EXPECT_NE(refusal({.probs = p, .labels = four, .groups = y}), "");
  EXPECT_NE(refusal({.probs = p, .labels = four, .by = {p, 2}}), "");
  EXPECT_NE(refusal({.probs = p, .labels = std::vector<std::string>{"a", "b", "a", "b"}}), "");
  EXPECT_NE(refusal({.probs = p, .labels = four, .classes = {"one"}}), "");
  EXPECT_NE(refusal({.samples = p}), "");
  EXPECT_NE(refusal({.probs = {static_cast<const float*>(nullptr), {4}}}), "");
  // Values are checked when they are read.
  const Items bad = make_items({.probs = std::vector{0.5, 2.0}, .labels = y});
  EXPECT_THROW((void)evaluate(bad), InputError);
  EXPECT_THROW((void)probabilities(bad), InputError);
  EXPECT_THROW((void)evaluate(make_items({.probs = p})), InputError);  // no votes
  EXPECT_THROW((void)evaluate(make_items({.probs = {p, 2}, .labels = std::vector{0, 2}})), InputError);
}

TEST(MakeItems, Empty) {
  const std::vector<float> none;
  const Items items = make_items({.probs = {none, 3}, .labels = std::vector<int>{}});
  EXPECT_EQ(items.size(), 0);
  EXPECT_TRUE(probabilities(items).empty());
  EXPECT_THROW((void)evaluate(items), InputError);
  EXPECT_THROW((void)fit("temperature", items), InputError);
}

TEST(Result, UnknownKeysAreRefusedWithTheNearest) {
  const Result r = evaluate(make_items({.probs = std::vector{0.25, 0.5}, .labels = std::vector{0, 1}}),
                            {.metrics = {"ece", "brier"}});
  EXPECT_EQ(r["ece"].value, 0.375);
  static_assert(std::is_reference_v<decltype(r["ece"])>);
  static_assert(!std::is_reference_v<decltype(Result()["ece"])>, "a metric outlives the temporary result");
  try {
    (void)r["ecce"];
    FAIL() << "there is no such key";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "the result has no metric \"ecce\" (did you mean \"ece\"?); it has brier, ece");
  }
  EXPECT_THROW((void)Result()["ece"], InputError);
}

TEST(ApiItems, WhatIsMissingIsSaidNotCrashed) {
  EXPECT_THROW((void)evaluate(Items{}), InputError);
  EXPECT_THROW((void)uncertainty(Items{}), InputError);
  EXPECT_THROW((void)compare({{"a", Items{}}, {"b", Items{}}}), InputError);
  const std::vector<double> p{0.2, 0.7, 1.0, 0.4};
  const std::vector<int> y{0, 1, 0, 1};
  const Items items = make_items({.probs = p, .labels = y});
  EXPECT_THROW((void)evaluate(items, {.bandwidth = -1}), InputError);
  EXPECT_THROW((void)evaluate(items, {.bandwidth = std::nan("")}), InputError);
  EXPECT_THROW((void)Model(CalibrationModel{.task = "binary", .classes = 2}).apply(items), InputError);
  static_assert(!std::is_constructible_v<Data, std::initializer_list<double>>,
                "it would not outlive its line");
  const MetricResult nll = evaluate(items, {.metrics = {"nll"}})["nll"];
  EXPECT_EQ(nll.reason(), "1 vote falls on probability 0: give .clip 1e-12");
}

}  // namespace
}  // namespace plumb
