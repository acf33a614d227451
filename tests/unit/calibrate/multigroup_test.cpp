// The calibrator that repairs named groups.
#include "plumb/calibrate/multigroup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/data/check.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/random.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

/// Four sites and two sexes; the log-odds of site 2 are off by `shift`, those of sex 1 in site 3 too.
Items groups_off(int n, double shift, std::uint64_t seed, bool calibrated = false) {
  RandomStream rng(seed, Purpose::demo, 9);
  test::Simulated s;
  std::vector<std::int64_t> site, sex;
  for (int i = 0; i < n; ++i) {
    const double u = 1.2 * rng.normal();
    site.push_back(i % 4);
    sex.push_back((i / 4) % 2);
    const bool off = !calibrated && (site.back() == 2 || (site.back() == 3 && sex.back() == 1));
    s.z.push_back(1 / (1 + std::exp(-u)));
    s.votes.push_back({rng.uniform() < 1 / (1 + std::exp(-u - (off ? shift : 0))) ? 1 : 0});
  }
  Items items = test::to_items(s, test::VoteForm::labels);
  items.by = {Names(Rows(array_of(site, {n}, "site.npy"))), Names(Rows(array_of(sex, {n}, "sex.npy")))};
  return items;
}

/// Frequency less mean forecast in the items of site 2.
double gap_of(const Items& items, const std::vector<double>& p) {
  VoteBlock votes;
  items.votes.read(0, items.size(), votes);
  double gap = 0, n = 0;
  for (std::int64_t i = 0; i < items.size(); ++i)
    if (items.by[0].name(i) == "2") gap += votes.hits(i, 1) - p[i], ++n;
  return gap / n;
}

std::vector<double> applied(const CalibrationModel& model, const Items& items) {
  return apply_multigroup(parse_model(model_text(model), "groups.json"), items.predictions, items.by, 1);
}

TEST(Multigroup, RepairsTheGroupThatIsOffInNewData) {
  const Items fit = groups_off(4000, 1, 1), fresh = groups_off(4000, 1, 2);
  const CalibrationModel model = fit_multigroup(fit, {.cross = 2});
  std::vector<double> plain;
  for (const double p : collect(fresh, Event::positive, 1).p) plain.push_back(p);
  EXPECT_GT(gap_of(fresh, plain), 0.12);
  EXPECT_LT(std::abs(gap_of(fresh, applied(model, fresh))), 0.05);
}

TEST(Multigroup, LeavesACalibratedModelAlone) {
  int patched = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    patched += fit_multigroup(groups_off(800, 0, seed, true), {.cross = 2}).steps.front().fit.iterations > 0;
  EXPECT_LE(patched, 6);  // 2 are expected at 5%
}

TEST(Multigroup, AModelWithoutPatchesIsSavedAndApplied) {
  CalibrationModel model;
  Items items;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    items = groups_off(800, 0, seed, true);
    model = fit_multigroup(items, {});
    if (model.steps.front().fit.iterations == 0) break;
  }
  ASSERT_EQ(model.steps.front().fit.iterations, 0);
  const std::vector<double> p = collect(items, Event::positive, 1).p, out = applied(model, items);
  ASSERT_EQ(out.size(), p.size());
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(out[i], p[i], 1e-12) << i;
}

TEST(Multigroup, OrderOfRowsAndThreadsDoNotMatter) {
  const Items items = groups_off(600, 1.5, 3);
  std::vector<std::int64_t> reversed(600);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const CalibrationModel one = fit_multigroup(items, {.threads = 1}),
                         other = fit_multigroup(items.gather(reversed), {.threads = 3});
  EXPECT_EQ(one.steps.front().parameters, other.steps.front().parameters);
  EXPECT_GT(one.steps.front().fit.iterations, 0);
}

TEST(Multigroup, CrossFittingSeesNoItemItself) {
  const Items items = groups_off(400, 1.5, 4);
  const std::vector<double> p = cross_fit_multigroup(items, {.seed = 2}, 4);
  ASSERT_EQ(p.size(), 400u);
  EXPECT_EQ(p, cross_fit_multigroup(items, {.seed = 2}, 4));
  EXPECT_NE(p, applied(fit_multigroup(items, {.seed = 2}), items));
}

TEST(Multigroup, ASliceThatWasNotThereKeepsWhatAllItemsGet) {
  const CalibrationModel model = fit_multigroup(groups_off(2000, 1.5, 5), {});
  Items fresh = groups_off(40, 1.5, 6);
  fresh.by[0] = Names(Rows(array_of(std::vector<std::int64_t>(40, 9), {40}, "site.npy")));
  const std::vector<double> p = applied(model, fresh);
  EXPECT_EQ(p.size(), 40u);
  fresh.by = {fresh.by[1]};
  EXPECT_THROW(static_cast<void>(applied(model, fresh)), InputError);
}

TEST(Multigroup, RefusesWhatItCannotDo) {
  Items items = groups_off(100, 1, 1);
  EXPECT_THROW(static_cast<void>(fit_multigroup(items, {.cross = 3})), InputError);
  EXPECT_THROW(static_cast<void>(fit_multigroup(items, {.rounds = 0})), InputError);
  items.by = {};
  EXPECT_THROW(static_cast<void>(fit_multigroup(items, {})), InputError);
  Items three = test::to_items(test::simulate({.n = 50, .classes = 3}), test::VoteForm::labels);
  three.by = {Names(Rows(array_of(std::vector<std::int64_t>(50, 1), {50}, "site.npy")))};
  EXPECT_THROW(static_cast<void>(fit_multigroup(three, {})), InputError);
}

}  // namespace
}  // namespace plumb
