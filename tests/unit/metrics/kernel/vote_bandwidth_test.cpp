#include "plumb/metrics/kernel/vote_bandwidth.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "metrics/kernel/vote_bins.hpp"
#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

using reference::column;

// The bins are up to 0.28 of the kernel's width, which moves a prediction by some thousandths.
constexpr double kBinError = 0.004;

struct Votes {
  std::vector<double> p, trials, hits, weight;
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, weight, {}, true}; }
};

Votes votes_of(std::vector<double> p, int most, bool weighted, std::uint64_t seed) {
  Votes v{std::move(p), {}, {}, {}};
  RandomStream r(seed, Purpose::demo);
  for (const double x : v.p) {
    const double n = 1 + r.below(most);
    double h = 0;
    for (int i = 0; i < n; ++i) h += r.uniform() < 0.2 + 0.6 * x;
    v.hits.push_back(h);
    if (most > 1) v.trials.push_back(n);
    if (weighted) v.weight.push_back(0.5 + r.below(3));
  }
  return v;
}

// The definition, without bins: every item from every other.
VoteErrors defined(const ForecastsView& f, double h) {
  double weight = 0, hits = 0, votes = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    weight += f.weight_of(i) * f.trials_of(i), hits += f.weight_of(i) * f.hits[i], votes += f.trials_of(i);
  }
  const double a = 0.1 * weight / votes;
  double error[10] = {}, mass[10] = {};
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.p[i] == 0 || f.p[i] == 1) continue;
    double all = a, yes = a * hits / weight;
    for (std::size_t j = 0; j < f.size(); ++j) {
      if (j == i) continue;
      const double k =
          std::exp(log_beta_kernel_ratio(EndDistance::from(f.p[i]), EndDistance::from(f.p[j]), h));
      all += f.weight_of(j) * f.trials_of(j) * k;
      yes += f.weight_of(j) * f.hits[j] * k;
    }
    const double m = yes / all;
    const int t = std::min(9, static_cast<int>(f.p[i] * 10));
    error[t] += f.weight_of(i) * (f.hits[i] * (1 - m) * (1 - m) + (f.trials_of(i) - f.hits[i]) * m * m);
    mass[t] += f.weight_of(i) * f.trials_of(i);
  }
  double sum = 0, total = 0, means = 0, used = 0;
  for (int t = 0; t < 10; ++t) {
    if (mass[t] == 0) continue;
    sum += error[t], total += mass[t], means += error[t] / mass[t], used += 1;
  }
  return {sum / total, means / used};
}

TEST(VoteBandwidth, ErrorsAgreeWithTheDefinition) {
  for (const std::string kind : {"uniform", "bimodal", "ends"}) {
    for (const int most : {1, 4}) {
      for (const bool weighted : {false, true}) {
        const Votes v = votes_of(column(kind, 400, 21), most, weighted, 5);
        for (const double h : {1e-3, 0.01, 0.1, 1.0}) {
          const VoteErrors got = vote_errors(v.view(), h), want = defined(v.view(), h);
          EXPECT_NEAR(got.by_vote, want.by_vote, kBinError) << kind << most << weighted << h;
          EXPECT_NEAR(got.by_p, want.by_p, 4 * kBinError) << kind << most << weighted << h;
        }
      }
    }
  }
}

TEST(VoteBandwidth, BinsAscendWithP) {
  std::size_t before = 0;
  for (int i = 0; i <= 100000; ++i) {
    const std::size_t c = detail::vote_bin(i / 100000.0);
    EXPECT_GE(c, before);
    EXPECT_LE(c, before + 12);  // equal steps of p pass many bins near 0 and 1
    before = c;
  }
  EXPECT_EQ(detail::vote_bin(0.0), 0u);
  EXPECT_EQ(detail::vote_bin(1.0), detail::kVoteBins - 1);
}

TEST(VoteBandwidth, SameBitsForAnyOrderThreadsAndScaleOfWeights) {
  for (const bool weighted : {false, true}) {
    const Votes v = votes_of(column("uniform", 200000, 34), weighted ? 3 : 1, weighted, 6);
    const auto order = reference::shuffled(v.p.size(), 2);
    const auto permuted = [&](const std::vector<double>& x) {
      return x.empty() ? x : reference::gathered(x, order);
    };
    Votes s{permuted(v.p), permuted(v.trials), permuted(v.hits), permuted(v.weight)};
    const VoteErrors one = vote_errors(v.view(), 0.01, 1);
    for (const int threads : {1, 2, 16}) {
      const VoteErrors other = vote_errors(s.view(), 0.01, threads);
      EXPECT_EQ(one.by_vote, other.by_vote);
      EXPECT_EQ(one.by_p, other.by_p);
    }
    for (double& w : s.weight) w *= 0.25;
    EXPECT_EQ(vote_bandwidths(s.view(), 2).error.value, vote_bandwidths(v.view(), 1).error.value);
    EXPECT_EQ(one.by_vote, vote_errors(s.view(), 0.01, 2).by_vote);
  }
}

// Votes on one item are the same votes on as many items of that p only when they are left out alone: with all
// of them left out, three equal votes per item do not speak for a narrow kernel.
TEST(VoteBandwidth, TheWholeItemIsLeftOut) {
  std::vector<double> p = column("uniform", 300, 33), three(300, 3.0), hits;
  RandomStream r(8, Purpose::demo);
  for (const double x : p) hits.push_back(r.uniform() < x ? 3.0 : 0.0);
  const VoteBandwidths b = vote_bandwidths({p, hits, three, {}, {}, true});
  EXPECT_GT(b.error.value, 0.005);
}

TEST(VoteBandwidth, OverConfidentModelsKeepAwayFromTheFloor) {
  RandomStream r(9, Purpose::demo);
  std::vector<double> p, y;
  for (int i = 0; i < 4000; ++i) {
    const double x = 3 + 4 * r.normal();
    p.push_back(1 / (1 + std::exp(-x)));
    y.push_back(r.uniform() < 1 / (1 + std::exp(-0.35 * x)));
  }
  const VoteBandwidths b = vote_bandwidths({p, y, {}, {}, {}, true});
  EXPECT_GT(b.error.value, 2e-4);
  EXPECT_GT(b.curve.value, 2e-3);
  EXPECT_EQ(b.error.bound, Bandwidth::Bound::none);
}

// Outcomes that alternate faster than any kernel here, and outcomes that do not follow p at all.
TEST(VoteBandwidth, AnEndThatMattersIsSaid) {
  std::vector<double> p, steps, same;
  RandomStream r(10, Purpose::demo);
  for (int i = 0; i < 200000; ++i) {
    p.push_back(r.uniform());
    steps.push_back(static_cast<int>(p.back() * 128) % 2);
    same.push_back(1);
  }
  EXPECT_EQ(vote_bandwidths({p, steps, {}, {}, {}, true}).error.bound, Bandwidth::Bound::lower);
  const VoteBandwidths flat = vote_bandwidths({p, same, {}, {}, {}, true});
  EXPECT_EQ(flat.error.value, 1.0);  // every bandwidth predicts them
  EXPECT_EQ(flat.error.bound, Bandwidth::Bound::none);
}

TEST(VoteBandwidth, UndeterminedIsSaid) {
  const std::vector<double> y(3, 0.0), equal(3, 0.4), ends{0.0, 1.0, 1.0};
  for (const auto& p : {equal, ends, std::vector<double>{}}) {
    const Bandwidth b = vote_bandwidths({p, std::span(y).first(p.size()), {}, {}, {}, true}).error;
    EXPECT_EQ(b.value, 1.0);
    EXPECT_FALSE(b.why.empty());
  }
}

}  // namespace
}  // namespace plumb
