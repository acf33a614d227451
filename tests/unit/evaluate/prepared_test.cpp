// One scoring path: draws agree with literal resamples, whatever the loop around them.
#include "evaluate/prepared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/numeric/random.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

using namespace detail;

Items three_classes(std::int64_t n = 300) {
  return to_items(simulate({.n = n, .classes = 3, .raters = 4, .vary = true, .sharpen = 1.6, .seed = 21}),
                  VoteForm::counts);
}

EvaluateOptions all_metrics() {
  EvaluateOptions o;
  o.metrics = {"all"};
  o.bandwidth = 0.05;
  return o;
}

Selection selected(const Items& items, const EvaluateOptions& o) {
  return select_metrics(o, task_kind(items));
}

TEST(Prepared, AProductThatWasNotAskedForIsALogicError) {
  const StreamSums sums;
  const Products products(sums, Product::event_table, {});
  EXPECT_NO_THROW((void)products.event_table());
  EXPECT_THROW((void)products.class_tables(), std::logic_error);
  EXPECT_THROW((void)products.proper_score("nll"), std::logic_error);
  EXPECT_THROW((void)products.event_column(), std::logic_error);
  EXPECT_THROW((void)products.kde(), std::logic_error);
}

TEST(Prepared, MemoryIsLookedAtBeforeTheWork) {
  const Items items = three_classes();
  EvaluateOptions o{.bootstrap = 20};  // draws need the forecasts one by one
  o.memory = 1000;
  try {
    (void)evaluate(items, o);
    FAIL() << "300 rows need more than 1000 bytes";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("300 rows need about"), std::string::npos) << e.what();
  }
  o.bootstrap = 0;
  o.metrics = {"accuracy", "nll", "brier", "ece"};
  EXPECT_NO_THROW((void)evaluate(items, o));
  o.metrics = {};
  o.memory = 1 << 30;
  EXPECT_NO_THROW((void)evaluate(items, o));
}

/// Where the sorted column does not fit into memory, a ladder takes its place: no weights, no draws.
TEST(Prepared, ALadderWhereMemoryIsShort) {
  for (const VoteForm form : {VoteForm::labels, VoteForm::ratings}) {
    test::Simulated all = test::simulate({.n = 3000, .classes = 2, .raters = 4, .vary = true, .seed = 8});
    if (form == VoteForm::labels)
      for (auto& v : all.votes) v.resize(1);
    const Items items = test::to_items(all, form);
    EvaluateOptions o;
    EvaluateState roomy_state, tight_state;
    const Result roomy = evaluate(items, o, &roomy_state);
    o.memory = 1000;
    const Result tight = evaluate(items, o, &tight_state);
    EXPECT_TRUE(roomy_state == tight_state);
    const auto setting = std::find_if(tight.settings.begin(), tight.settings.end(),
                                      [](const auto& s) { return s.first == "ladder"; });
    ASSERT_NE(setting, tight.settings.end());
    EXPECT_EQ(std::get<std::string>(setting->second), "distinct p");
    int same = 0;
    for (const auto& [key, m] : roomy.metrics) {
      ASSERT_EQ(tight[key].value.has_value(), m.value.has_value()) << key;
      if (m.value) {
        EXPECT_NEAR(*tight[key].value, *m.value, 1e-9 * (1 + std::fabs(*m.value))) << key;
      }
      same += m.value.has_value();
    }
    EXPECT_GT(same, 30);
    ASSERT_EQ(tight.consensus.size(), roomy.consensus.size());
    for (std::size_t i = 0; i < roomy.consensus.size(); ++i) {
      const auto& [key, m] = roomy.consensus[i];
      EXPECT_EQ(tight.consensus[i].first, key);
      if (find_metric(key)->room == Room::streaming) {
        EXPECT_EQ(tight.consensus[i].second.value, m.value) << key;
      } else {
        EXPECT_NE(tight.consensus[i].second.why.find("ties"), std::string::npos) << key;
      }
    }
  }
  EvaluateOptions o{.bootstrap = 20};
  o.memory = 1000;
  EXPECT_THROW((void)evaluate(test::to_items(test::simulate({.n = 300}), VoteForm::labels), o), InputError);
}

TEST(Prepared, LaddersOfClassesWhereMemoryIsShort) {
  const Items items =
      test::to_items(test::simulate({.n = 3000, .classes = 3, .raters = 4, .seed = 9}), VoteForm::ratings);
  EvaluateOptions o{.metrics = {"ece_kde_classwise", "ece_kde", "ks", "auroc", "aurc", "smece", "brier"}};
  const Result roomy = evaluate(items, o);
  o.memory = 1000;
  const Result tight = evaluate(items, o);
  EXPECT_FALSE(tight.notes.empty());
  for (const auto& [key, m] : roomy.metrics)
    EXPECT_NEAR(*tight[key].value, *m.value, 1e-9 * (1 + std::fabs(*m.value))) << key;
  const auto by_class = [](const Result& r) {
    for (const auto& [key, values] : r.per_class)
      if (key == "ece_kde_classwise") return values;
    throw std::out_of_range("ece_kde_classwise");
  };
  ASSERT_EQ(by_class(tight).size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(*by_class(tight)[k], *by_class(roomy)[k], 1e-9);
  o.metrics = {"ece_kde_canonical", "ks"};  // pairs of items are not on a ladder
  EXPECT_THROW((void)evaluate(items, o), InputError);
}

TEST(Prepared, EveryRowOfTheRegistryHasItsRun) {
  for (const MetricRow& row : metrics()) {
    EXPECT_EQ(run_of(row).key, row.key);
    const ProductSet some = run_of(row).needs(true) | run_of(row).needs(false);
    EXPECT_TRUE(some.any(kStreamingProducts) == (row.room == Room::streaming)) << row.key;
  }
}

TEST(Prepared, CountsAreRowsRepeated) {
  // A draw that takes row i so many times scores like items in which it stands so often, for every metric
  // that does not tell copies from items.
  const Items items = three_classes();
  const EvaluateOptions o = all_metrics();
  const Selection keys = selected(items, o).part(
      [](const MetricRow& row) { return !row.by_item && row.cost != Cost::quadratic; });
  std::vector<std::uint32_t> counts;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    counts.push_back(random_poisson(3, 0, static_cast<std::uint64_t>(i)));
    rows.insert(rows.end(), counts.back(), i);
  }
  Progress progress;
  const Draw draw{0, counts, {}};
  const Prepared prepared(items, keys, o, true);
  const Drawn drawn = prepared.score(keys, std::span(&draw, 1), 1, progress).front();
  const Items repeated = items.gather(rows);
  const Observed literal = Prepared(repeated, keys, o, false).observe(progress);
  for (const MetricRow* row : keys.rows) {
    const std::string key(row->key);
    ASSERT_EQ(drawn.scores.at(key).value.has_value(), literal.scores.at(key).value.has_value()) << key;
    if (literal.scores.at(key)) {
      EXPECT_NEAR(*drawn.scores.at(key).value, *literal.scores.at(key).value, 1e-12) << key;
    }
  }
}

TEST(Prepared, PoissonDrawsAreCountsByUnit) {
  const Items items = three_classes();
  const EvaluateOptions o = all_metrics();
  const Selection keys = selected(items, o);
  std::vector<std::uint32_t> counts;
  for (std::int64_t i = 0; i < items.size(); ++i)
    counts.push_back(random_poisson(o.seed, 5, static_cast<std::uint64_t>(i)));
  Progress progress;
  const Prepared prepared(items, keys, o, true);
  const std::vector<Draw> draws{{5, {}, {}}, {5, counts, {}}};
  const auto drawn = prepared.score(keys, draws, 2, progress);
  for (const auto& [key, estimate] : drawn[0].scores)
    EXPECT_EQ(estimate.value, drawn[1].scores.at(key).value) << key;
}

// Of few groups the tables and curves of each are made once; counts by row go the long way.
TEST(Prepared, FewGroupsAreDrawnAsTheirRows) {
  for (const int classes : {2, 3})
    for (const int raters : {1, 4}) {
      const Items items = to_items(
          simulate(
              {.n = 700, .classes = classes, .raters = raters, .vary = raters > 1, .groups = 5, .seed = 8}),
          raters == 1 ? VoteForm::labels : VoteForm::counts);
      const EvaluateOptions o = all_metrics();
      const Selection keys =
          selected(items, o).part([](const MetricRow& row) { return row.cost != Cost::quadratic; });
      const Units units(items);
      constexpr int kDraws = 24;
      std::vector<std::vector<std::uint32_t>> counts(kDraws);
      std::vector<Draw> by_row;
      for (int r = 0; r < kDraws; ++r) {
        for (std::int64_t i = 0; i < items.size(); ++i)
          counts[r].push_back(random_poisson(o.seed, static_cast<std::uint32_t>(r), units.unit_of(i)));
        by_row.push_back({static_cast<std::uint32_t>(r), counts[r], {}});
      }
      Progress progress;
      const Bands bands{0.05, {}};
      const Prepared prepared(items, keys, o, true);
      const auto few = prepared.score(keys, numbered_draws(kDraws), 2, progress, &bands);
      const auto rows = prepared.score(keys, by_row, 2, progress, &bands);
      for (int r = 0; r < kDraws; ++r) {
        for (const auto& [key, estimate] : rows[r].scores)
          ASSERT_EQ(few[r].scores.at(key).value, estimate.value) << key << ", " << classes << " classes";
        EXPECT_EQ(few[r].event.residual, rows[r].event.residual);
        EXPECT_EQ(few[r].classes.weight, rows[r].classes.weight);
        const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
          return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                            [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
        };
        EXPECT_TRUE(same(few[r].kde_curve, rows[r].kde_curve));
        EXPECT_TRUE(same(few[r].smooth_curve, rows[r].smooth_curve));
      }
    }
}

TEST(Prepared, ADrawOfEveryRowOnceIsTheData) {
  const Items items = three_classes();
  const EvaluateOptions o = all_metrics();
  const Selection keys = selected(items, o);
  const std::vector<std::uint32_t> once(items.size(), 1);
  Progress progress;
  const Prepared prepared(items, keys, o, true);
  const Draw draw{0, once, {}};
  const Drawn drawn = prepared.score(keys, std::span(&draw, 1), 1, progress).front();
  const Observed observed = prepared.observe(progress);
  EXPECT_EQ(drawn.scores.size() + 1, observed.scores.size()) << "all but the quadratic one";
  for (const auto& [key, estimate] : drawn.scores)
    EXPECT_EQ(estimate.value, observed.scores.at(key).value) << key;
}

TEST(Prepared, TheStateOfAnEvaluationIsThatOfAPassOfItsOwn) {
  for (const VoteForm form : {VoteForm::labels, VoteForm::counts, VoteForm::ratings}) {
    const Items items = to_items(
        simulate({.n = 250, .classes = 3, .raters = form == VoteForm::labels ? 1 : 3, .seed = 8}), form);
    for (const bool consensus : {true, false}) {
      EvaluateOptions o;
      o.metrics = {"ece", "ece_kde"};
      o.bandwidth = 0.1;
      o.bootstrap = 3;
      o.consensus = consensus;
      EvaluateState state;
      const Result with = evaluate(items, o, &state), without = evaluate(items, o);
      EXPECT_TRUE(state == evaluate_state(items, o));
      EXPECT_EQ(serialize(state), serialize(evaluate_state(items, o)));
      ASSERT_EQ(with.tables.size(), without.tables.size()) << "what a state needs is not shown";
      EXPECT_EQ(with.notes, without.notes);
      for (std::size_t k = 0; k < with.metrics.size(); ++k)
        EXPECT_EQ(with.metrics[k].second.low, without.metrics[k].second.low);
    }
  }
}

TEST(Prepared, ProgressRunsOnceToTheEnd) {
  EvaluateOptions o = all_metrics();
  o.bootstrap = 6;
  double last = 0;
  o.progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
  };
  (void)evaluate(three_classes(), o);
  EXPECT_NEAR(last, 1, 1e-9);
}

TEST(Prepared, AStopTokenEndsTheWork) {
  EvaluateOptions o = all_metrics();
  o.bootstrap = 50;
  std::stop_source source;
  o.cancel = source.get_token();
  int told = 0;
  o.progress = [&](double) {
    if (++told == 3) source.request_stop();
  };
  EXPECT_THROW((void)evaluate(three_classes(), o), Cancelled);
  EXPECT_LE(told, 3 + 16) << "what was under way may still be told";
  EXPECT_THROW((void)evaluate(three_classes(), o), Cancelled) << "and nothing starts any more";
}

}  // namespace
}  // namespace plumb::test
