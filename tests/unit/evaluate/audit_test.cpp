// The audit of slices: sums of the other items, differences, ranks.
#include "plumb/evaluate/audit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/rest_draws.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/slicing.hpp"
#include "plumb/resample/resample.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

constexpr double kRounding = 1e-10;  // sums in another order

Names every(std::int64_t n, std::int64_t slices, const char* file) {
  std::vector<std::int64_t> code(n);
  for (std::int64_t i = 0; i < n; ++i) code[i] = (i * i + i / 7) % slices;
  return Names(Rows(array_of(code, {n}, file)));
}

Items sliced(int classes, int raters, bool weights, int groups = 0, int rounding = 0) {
  test::Simulated s = test::simulate({.n = 400,
                                      .classes = classes,
                                      .raters = raters,
                                      .vary = raters > 1,
                                      .sharpen = 1.4,
                                      .rounding = rounding,
                                      .groups = groups,
                                      .seed = 9});
  if (weights)
    for (std::size_t i = 0; i < s.size(); ++i) s.weight.push_back(i % 5 == 0 ? 0.0 : 0.5 + 0.25 * (i % 4));
  Items items = test::to_items(s, raters > 1 ? test::VoteForm::counts : test::VoteForm::labels);
  items.by = {every(items.size(), 3, "a.npy"), every(items.size(), 4, "b.npy")};
  return items;
}

std::vector<std::int64_t> rows_of(const Names& way, std::uint32_t code, bool inside) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < way.size(); ++i)
    if ((way.code(i) == code) == inside) out.push_back(i);
  return out;
}

/// Reference: the slice and the rest, each evaluated as items of their own.
TEST(RestDraws, AreTheMetricsOfTheOtherItems) {
  for (const auto& [classes, raters, weights, rounding] :
       {std::tuple{2, 1, false, 0}, {2, 1, true, 8}, {3, 4, false, 0}, {2, 3, true, 8}}) {
    Items items = sliced(classes, raters, weights, 0, rounding);
    const std::vector<Names> ways = std::exchange(items.by, {});
    std::vector<std::string> keys{"accuracy", "agreement", "nll", "brier", "auroc"};
    if (classes == 2) keys.emplace_back("oe_ratio");
    const EvaluateOptions o{.metrics = keys, .consensus = false};
    const detail::RestSums sums = detail::RestDraws(items, ways, o).observed();
    for (std::size_t w = 0; w < ways.size(); ++w)
      for (std::uint32_t c = 0; c < ways[w].distinct().size(); ++c)
        for (const bool inside : {true, false}) {
          const Result alone = evaluate(items.gather(rows_of(ways[w], c, inside)), o);
          const detail::SliceSums& slice = sums.slices[w][c];
          const detail::RestValues got =
              detail::rest_values(inside ? slice : detail::rest_of(sums.all, slice));
          for (std::size_t k = 0; k < detail::kRestKeys.size(); ++k)
            for (const std::string& key : keys)
              if (key == detail::kRestKeys[k] && alone[key].value) {
                EXPECT_NEAR(got[k], *alone[key].value, kRounding)
                    << key << " inside " << inside << " raters " << raters;
              }
        }
  }
}

/// Reference: a draw is the items repeated as often as they were drawn.
TEST(RestDraws, ADrawRepeatsItsUnits) {
  for (const int groups : {0, 30}) {
    Items items = sliced(2, 1, false, groups);
    const std::vector<Names> ways = std::exchange(items.by, {});
    const EvaluateOptions o{.metrics = {"brier", "auroc"}, .seed = 4, .consensus = false};
    const detail::RestDraws draws(items, ways, o);
    detail::RestDraws::Buffers buffers;
    const Units units(items);
    for (const std::uint32_t replicate : {0u, 5u}) {
      const detail::RestSums sums = draws.draw(replicate, buffers);
      std::vector<std::int64_t> rows;
      for (std::int64_t i = 0; i < items.size(); ++i)
        for (std::uint32_t t = 0; ways[0].code(i) != 1 && t < random_poisson(4, replicate, units.unit_of(i));
             ++t)
          rows.push_back(i);
      const Result rest = evaluate(items.gather(rows), o);
      const detail::RestValues got = detail::rest_values(detail::rest_of(sums.all, sums.slices[0][1]));
      EXPECT_NEAR(got[3], *rest["brier"].value, kRounding);
      EXPECT_NEAR(got[6], *rest["auroc"].value, kRounding);
    }
  }
}

const Table& table_of(const Result& r, const std::string& name) {
  for (const auto& [key, t] : r.tables)
    if (key == name) return t;
  throw std::logic_error("no table " + name);
}

/// 1,200 items in four sites; the chances of the last are far from their forecasts.
Items one_bad_site() {
  RandomStream rng(3, Purpose::demo, 1);
  std::vector<double> p;
  std::vector<std::int64_t> y, site;
  for (int i = 0; i < 1200; ++i) {
    p.push_back(0.1 + 0.8 * rng.uniform());
    site.push_back(i % 4);
    y.push_back(rng.uniform() < (i % 4 == 3 ? std::sqrt(p.back()) : p.back()) ? 1 : 0);
  }
  test::Simulated s;
  s.z = p;
  for (const std::int64_t one : y) s.votes.push_back({static_cast<int>(one)});
  Items items = test::to_items(s, test::VoteForm::labels);
  items.by = {Names(Rows(array_of(site, {1200}, "site.npy")))};
  return items;
}

TEST(Audit, FindsTheSliceThatIsOff) {
  const Result r = audit(one_bad_site(), {.evaluate = {.bootstrap = 100, .seed = 2}});
  EXPECT_EQ(r.command, "audit");
  const Table& ranks = table_of(r, "audit_ranks");
  ASSERT_EQ(ranks.rows.size(), 4u);
  EXPECT_EQ(std::get<std::string>(ranks.rows[0][2]), "3");
  for (const auto& row : table_of(r, "audit").rows) {
    if (std::get<std::string>(row[0]) != "gap") continue;
    const bool bad = std::get<std::string>(row[2]) == "3";
    EXPECT_EQ(std::get<bool>(row[10]), bad || std::get<double>(row[9]) < 0) << std::get<std::string>(row[2]);
    EXPECT_NEAR(std::get<double>(row[7]), std::get<double>(row[5]) - std::get<double>(row[6]), 1e-15);
    if (bad) {
      EXPECT_GT(std::get<double>(row[8]), 0.05);
    }
  }
}

/// Reference: the slice and the rest, each evaluated as items of their own.
TEST(Audit, DifferencesOfMetricsWhoseSumsDoNotAddUp) {
  for (const auto& [groups, weights] : {std::pair{0, false}, {40, true}}) {
    Items items = sliced(2, 3, weights, groups);
    const std::vector<std::string> keys{"calibration_slope", "auprc", "el", "ece_l2_debiased"};
    const Result r =
        audit(items, {.evaluate = {.metrics = keys, .bootstrap = 30, .seed = 2}, .min_items = 20});
    const std::vector<Names> ways = std::exchange(items.by, {});
    std::size_t seen = 0, bounded = 0;
    for (const auto& row : table_of(r, "audit").rows) {
      const auto key = std::get<std::string>(row[0]);
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
      const std::size_t w = std::get<std::string>(row[1]) == ways[0].title() ? 0 : 1;
      const auto& names = ways[w].distinct();
      const auto code = static_cast<std::uint32_t>(
          std::find(names.begin(), names.end(), std::get<std::string>(row[2])) - names.begin());
      const EvaluateOptions o{.metrics = {key}, .consensus = false};
      const double inside = *evaluate(items.gather(rows_of(ways[w], code, true)), o)[key].value;
      const double outside = *evaluate(items.gather(rows_of(ways[w], code, false)), o)[key].value;
      EXPECT_NEAR(std::get<double>(row[5]), inside, kRounding) << key;
      EXPECT_NEAR(std::get<double>(row[6]), outside, kRounding) << key;
      EXPECT_NEAR(std::get<double>(row[7]), inside - outside, kRounding) << key;
      ++seen;
      if (!std::holds_alternative<double>(row[8])) continue;
      ++bounded;
      EXPECT_LT(std::get<double>(row[8]), inside - outside) << key;
      EXPECT_GT(std::get<double>(row[9]), inside - outside) << key;
    }
    EXPECT_EQ(seen, keys.size() * 7);
    EXPECT_GT(bounded, keys.size() * 5);
  }
}

TEST(Audit, SmallSlicesComeLastWithoutIntervals) {
  Items items = one_bad_site();
  std::vector<std::int64_t> code(1200, 0);
  for (int i = 0; i < 20; ++i) code[i] = 1;  // far too few
  items.by = {Names(Rows(array_of(code, {1200}, "ward.npy")))};
  const Result r = audit(items, {.evaluate = {.bootstrap = 40}, .min_items = 50});
  const Table& ranks = table_of(r, "audit_ranks");
  EXPECT_EQ(std::get<std::string>(ranks.rows[1][2]), "1");
  EXPECT_TRUE(std::get<bool>(ranks.rows[1][4]));
  for (const GroupResult& g : r.per_group) EXPECT_EQ(g.intervals.empty(), g.group == "1");
  for (const auto& row : table_of(r, "audit").rows)
    EXPECT_EQ(std::holds_alternative<double>(row[8]), std::get<std::string>(row[2]) == "0");
  EXPECT_NE(
      std::find_if(r.notes.begin(), r.notes.end(),
                   [](const std::string& n) { return n.find("fewer than 50 items") != std::string::npos; }),
      r.notes.end());
}

TEST(Audit, IsTheSameForAnyNumberOfThreads) {
  Items items = sliced(2, 3, true, 40);
  AuditOptions o{.evaluate = {.bootstrap = 30, .seed = 6, .threads = 1}, .cross = 2, .min_items = 20};
  const Result one = audit(items, o);
  o.evaluate.threads = 4;
  const Result four = audit(items, o);
  EXPECT_EQ(table_of(one, "audit").rows, table_of(four, "audit").rows);
  EXPECT_EQ(table_of(one, "audit_ranks").rows, table_of(four, "audit_ranks").rows);
  EXPECT_EQ(one.per_group.size(), four.per_group.size());
}

TEST(Audit, RefusesWhatItCannotDo) {
  Items items = one_bad_site();
  EXPECT_THROW(static_cast<void>(audit(items, {.evaluate = {.bootstrap = 0}})), InputError);
  EXPECT_THROW(static_cast<void>(audit(items, {.cross = 2})), InputError);
  EXPECT_THROW(static_cast<void>(audit(items, {.rank = "ks"})), InputError);
  EXPECT_THROW(static_cast<void>(audit(items, {.rank = "no such key"})), InputError);
  items.by = {};
  EXPECT_THROW(static_cast<void>(audit(items, {})), InputError);
}

}  // namespace
}  // namespace plumb
