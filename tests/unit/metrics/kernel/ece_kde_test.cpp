#include "plumb/metrics/kernel/ece_kde.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/simd.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

using reference::column;
using reference::outcomes;

// What the docs page promises; the sums themselves agree to some 1e-14.
constexpr double kPromised = 1e-10;

void expect_reference(const ForecastsView& f, double h, LeaveOut leave_out, const std::string& what) {
  const KdeErrors got = ece_kde(f, h, leave_out, 1);
  const reference::Errors want = reference::ece_kde(f, h, leave_out);
  ASSERT_TRUE(got.ece_kde) << what << " h = " << h;
  EXPECT_NEAR(*got.ece_kde.value, static_cast<double>(want.l1), kPromised * static_cast<double>(want.l1))
      << what << " h = " << h << " n = " << f.size();
  EXPECT_NEAR(*got.ece_kde_l2.value, static_cast<double>(want.l2), kPromised * static_cast<double>(want.l2))
      << what << " h = " << h << " n = " << f.size();
}

TEST(EceKde, AgreesWithTheDoubleSumOnHostileColumns) {
  for (const std::string& kind : reference::hostile()) {
    for (double h : {1e-5, 1e-4, 0.002, 0.02, 0.1, 1.0}) {
      const std::vector<double> p = column(kind, 200, 1), y = outcomes(p, 1);
      expect_reference({p, y, {}, {}, {}, true}, h, LeaveOut::vote, kind);
    }
  }
}

struct Votes {
  std::vector<double> p, hits, trials, weight, flipped;
  std::vector<std::uint32_t> times;
};

Votes votes_on(const std::string& kind, std::size_t n) {
  Votes v;
  v.p = column(kind, n, 9);
  RandomStream r(4, Purpose::demo);
  for (std::size_t i = 0; i < n; ++i) {
    v.trials.push_back(static_cast<double>(r.below(4)));
    double h = 0;
    for (int k = 0; k < v.trials[i]; ++k) h += r.uniform() < v.p[i] * v.p[i] ? 1 : 0;
    v.hits.push_back(h);
    v.weight.push_back(std::exp(6 * r.uniform() - 3));
    v.times.push_back(random_poisson(2, 3, i));
    const double mean = v.trials[i] * v.p[i];
    v.flipped.push_back(mean + (r.uniform() < 0.5 ? -1 : 1) * (h - mean));
  }
  return v;
}

TEST(EceKde, AgreesWithTheDoubleSumForVotesWeightsResamplesAndTheNull) {
  for (const std::string kind : {"uniform", "ends", "rounded", "outlier", "saturated"}) {
    const Votes v = votes_on(kind, 120);
    for (double h : {1e-4, 0.02, 0.5}) {
      for (const LeaveOut leave_out : {LeaveOut::vote, LeaveOut::item}) {
        expect_reference({v.p, v.hits, v.trials, {}, {}, true}, h, leave_out, kind + " votes");
        expect_reference({v.p, v.hits, v.trials, v.weight, {}, true}, h, leave_out, kind + " weights");
        expect_reference({v.p, v.hits, v.trials, {}, v.times, true}, h, leave_out, kind + " times");
        expect_reference({v.p, v.flipped, v.trials, {}, {}, false}, h, leave_out, kind + " null");
        expect_reference({v.p, v.flipped, v.trials, v.weight, v.times, false}, h, leave_out, kind + " all");
      }
    }
  }
}

// The item of weight 1e12 leaves 1e-12 of the sum behind when it is left out.
TEST(EceKde, AHeavyItemIsSummedDirectly) {
  const std::vector<double> p = column("uniform", 200, 6), y = outcomes(p, 6);
  std::vector<double> w(200, 1.0);
  w[17] = 1e12;
  const ForecastsView f{p, y, {}, w, {}, true};
  EXPECT_GE(ece_kde(f, 0.05).direct, 1);
  expect_reference(f, 0.05, LeaveOut::vote, "heavy");
}

TEST(EceKde, SameBitsForAnyOrderThreadsAndBlocks) {
  for (const std::string kind : {"uniform", "saturated", "ends", "ladder"}) {
    const Votes v = votes_on(kind, 20000);
    const ForecastsView f{v.p, v.hits, v.trials, {}, {}, true};
    const ForecastsView g{v.p, v.flipped, v.trials, v.weight, {}, false};
    const auto order = reference::shuffled(v.p.size(), 8);
    const auto p = reference::gathered(v.p, order), h = reference::gathered(v.hits, order),
               n = reference::gathered(v.trials, order), w = reference::gathered(v.weight, order),
               x = reference::gathered(v.flipped, order);
    const BetaPlan plan(0.005);
    const double a = *ece_kde(f, plan, LeaveOut::vote, 1).ece_kde.value;
    const double b = *ece_kde(g, plan, LeaveOut::vote, 1).ece_kde_l2.value;
    for (int threads : {1, 2, 16}) {
      EXPECT_EQ(a, *ece_kde({p, h, n, {}, {}, true}, plan, LeaveOut::vote, threads).ece_kde.value) << kind;
      EXPECT_EQ(b, *ece_kde({p, x, n, w, {}, false}, plan, LeaveOut::vote, threads).ece_kde_l2.value) << kind;
    }
    // The same column as a pass of uneven blocks.
    ForecastPass pass;
    pass.run = [&](const ForecastPass::Body& body) {
      for (std::size_t at = 0, size = 1; at < f.size(); at += size, size = size * 3 + 1) {
        body(0, f.slice(at, std::min(size, f.size() - at)));
      }
    };
    EXPECT_EQ(a, *ece_kde(pass, plan).ece_kde.value) << kind;
  }
}

TEST(EceKde, SameBitsOnEverySimdTarget) {
  const Votes v = votes_on("bimodal", 2000);
  const auto run = [&] { return *ece_kde({v.p, v.hits, v.trials, {}, {}, true}, 0.01).ece_kde.value; };
  const double best = run();
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    EXPECT_EQ(run(), best) << target;
  }
  force_simd_target("");
}

// Left out with its whole weight, an item of weight 2 differs from two items;
// with nothing near its p they would agree.
TEST(EceKde, DrawnTwiceIsOneItemOfTwiceTheWeight) {
  const Votes v = votes_on("uniform", 500);
  std::vector<double> w(500);
  for (std::size_t i = 0; i < 500; ++i) w[i] = v.times[i];
  const double times = *ece_kde({v.p, v.hits, v.trials, {}, v.times, true}, 0.02).ece_kde.value;
  const double weights = *ece_kde({v.p, v.hits, v.trials, w, {}, true}, 0.02).ece_kde.value;
  EXPECT_NEAR(times, weights, 1e-12);
}

// A law: where outcomes are drawn from p the error is small, where they are drawn from sqrt(p) it is
// E|sqrt(p) - p| = 1/6.
TEST(EceKde, FindsTheErrorOfAKnownModel) {
  const std::vector<double> p = column("uniform", 200000, 12), wrong = outcomes(p, 12);
  RandomStream r(1, Purpose::demo);
  std::vector<double> right(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) right[i] = r.uniform() < p[i] ? 1 : 0;
  EXPECT_NEAR(*ece_kde({p, wrong, {}, {}, {}, true}, 0.001).ece_kde.value, 1.0 / 6, 0.005);
  EXPECT_LT(*ece_kde({p, right, {}, {}, {}, true}, 0.001).ece_kde.value, 0.005);
}

TEST(EceKde, MirrorImageHasTheSameError) {
  std::vector<double> p = column("rounded", 1000, 3), y = outcomes(p, 3), q, z;
  for (std::size_t i = 0; i < p.size(); ++i) q.push_back(1 - p[i]), z.push_back(1 - y[i]);
  EXPECT_NEAR(*ece_kde({p, y, {}, {}, {}, true}, 0.03).ece_kde.value,
              *ece_kde({q, z, {}, {}, {}, true}, 0.03).ece_kde.value, 1e-13);
}

TEST(EceKde, LimitsAtZeroAndOne) {
  // The vote at 0 is judged by the nearest other vote (0.1: a hit), that at 1 by the one at 0.6 (a miss).
  const std::vector<double> p{0.0, 0.1, 0.6, 1.0}, y{0, 1, 0, 1};
  expect_reference({p, y, {}, {}, {}, true}, 0.1, LeaveOut::vote, "ends");
  // Two votes at 0: each is judged by the other.
  const std::vector<double> p2{0.0, 0.0}, y2{1, 0};
  EXPECT_EQ(*ece_kde({p2, y2, {}, {}, {}, true}, 0.1).ece_kde.value, 0.5);
  // The limit is approached: a target at 1e-300 sees what a target at 0 sees, when no vote is at 0.
  const std::vector<double> near{1e-300, 0.1, 0.6, 1.0};
  EXPECT_NEAR(*ece_kde({near, y, {}, {}, {}, true}, 0.1).ece_kde.value,
              *ece_kde({p, y, {}, {}, {}, true}, 0.1).ece_kde.value, 1e-12);
  // The smallest positive number.
  const std::vector<double> least{5e-324, 0.1, 0.6, 1.0};
  EXPECT_TRUE(std::isfinite(*ece_kde({least, y, {}, {}, {}, true}, 0.1).ece_kde.value));
}

TEST(EceKde, UndefinedIsSaid) {
  const std::vector<double> one{0.5}, hit{1}, two_votes{2}, none{};
  EXPECT_FALSE(ece_kde({one, hit, {}, {}, {}, true}, 0.1).ece_kde);
  EXPECT_EQ(ece_kde({none, none, {}, {}, {}, true}, 0.1).ece_kde.why, kNoVotes);
  const ForecastsView one_item{one, hit, two_votes, {}, {}, true};
  EXPECT_NEAR(*ece_kde(one_item, 0.1, LeaveOut::vote).ece_kde.value, 0.5,
              1e-12);  // each is judged by the other
  EXPECT_FALSE(ece_kde(one_item, 0.1, LeaveOut::item).ece_kde);
  EXPECT_FALSE(ece_kde(one_item, 0.1, LeaveOut::item).ece_kde.why.empty());
  const std::vector<double> p{0.5, 0.6}, y{1, 0}, no_weight{0, 0};
  EXPECT_FALSE(ece_kde({p, y, {}, no_weight, {}, true}, 0.1).ece_kde);
  EXPECT_THROW((void)ece_kde({p, y, {}, {}, {}, true}, 0.0), InputError);
}

TEST(EceKde, AccuracyCanBeChosen) {
  const std::vector<double> p = column("bimodal", 300, 2), y = outcomes(p, 2);
  const ForecastsView f{p, y, {}, {}, {}, true};
  const auto want = static_cast<double>(reference::ece_kde(f, 0.01, LeaveOut::vote).l1);
  for (double accuracy : {1e-4, 1e-6, 1e-12}) {
    EXPECT_NEAR(*ece_kde(f, BetaPlan(0.01, accuracy)).ece_kde.value, want, accuracy * want) << accuracy;
  }
}

}  // namespace
}  // namespace plumb
