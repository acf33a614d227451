#include "plumb/metrics/kernel/box_moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plumb/numeric/simd.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

constexpr std::size_t kBoxes = 3;
// T_k enters as a multiple of 2^-50 and is itself off by some units of 1e-16.
constexpr double kOfEachVote = 4e-15;

struct Data {
  std::vector<std::uint32_t> box;
  std::vector<double> t, hits, trials, weight, real_hits;
  std::vector<std::uint32_t> times;
  std::vector<double> p;  // not read
};

Data make_data(std::size_t n) {
  Data d;
  RandomStream r(11, Purpose::demo);
  for (std::size_t i = 0; i < n; ++i) {
    d.box.push_back(static_cast<std::uint32_t>(r.below(kBoxes)));
    d.t.push_back(2 * r.uniform() - 1);
    d.trials.push_back(static_cast<double>(r.below(5)));
    d.hits.push_back(std::floor(d.trials.back() * r.uniform()));
    d.weight.push_back(r.below(7) == 0 ? 0.0 : 1e-3 + r.uniform());
    d.times.push_back(random_poisson(1, 1, i));
    d.real_hits.push_back(d.trials.back() * (3 * r.uniform() - 1));
    d.p.push_back(0.5);
  }
  return d;
}

BoxMoments moments(const Data& d, const ForecastsView& f) {
  MomentBuilder b(kBoxes);
  b.update(d.box, d.t, f);
  return b.finish();
}

void expect_reference(const Data& d, const ForecastsView& f, const char* what) {
  const BoxMoments m = moments(d, f);
  for (std::size_t b = 0; b < kBoxes; ++b) {
    for (int k = 0; k < kMoments; ++k) {
      long double w = 0, wy = 0, size = 0;
      for (std::size_t i = 0; i < f.size(); ++i) {
        if (d.box[i] != b) continue;
        const long double t_k = std::cos(k * std::acos(static_cast<long double>(d.t[i])));
        w += f.weight_of(i) * f.trials_of(i) * t_k;
        wy += f.weight_of(i) * f.hits[i] * t_k;
        size += f.weight_of(i) * (f.trials_of(i) + std::abs(f.hits[i]));
      }
      const std::size_t at = b * kMoments + static_cast<std::size_t>(k);
      EXPECT_NEAR(m.w[at].value(), static_cast<double>(w), kOfEachVote * static_cast<double>(size))
          << what << ' ' << k;
      EXPECT_NEAR(m.wy[at].value(), static_cast<double>(wy), kOfEachVote * static_cast<double>(size))
          << what << ' ' << k;
    }
  }
}

TEST(BoxMoments, AgreeWithTheDefinitionOnEveryPath) {
  Data d = make_data(3000);
  expect_reference(d, {d.p, d.hits, d.trials, {}, {}, true}, "whole");
  expect_reference(d, {d.p, d.hits, d.trials, {}, d.times, true}, "times");
  expect_reference(d, {d.p, d.hits, d.trials, d.weight, {}, true}, "weights");
  expect_reference(d, {d.p, d.real_hits, d.trials, {}, {}, false}, "real hits");
  expect_reference(d, {d.p, d.real_hits, d.trials, d.weight, d.times, false}, "all");
  for (double& h : d.hits) h = std::min(h, 1.0);
  expect_reference(d, {d.p, d.hits, {}, {}, {}, true}, "single");
}

TEST(BoxMoments, PathsGiveTheSameBits) {
  Data d = make_data(5000);
  for (double& h : d.hits) h = std::min(h, 1.0);
  const std::vector<double> ones(d.p.size(), 1.0);
  const std::vector<std::uint32_t> once(d.p.size(), 1);
  const BoxMoments single = moments(d, {d.p, d.hits, {}, {}, {}, true});
  EXPECT_EQ(single, moments(d, {d.p, d.hits, ones, {}, {}, true}));
  EXPECT_EQ(single, moments(d, {d.p, d.hits, {}, ones, {}, true}));
  EXPECT_EQ(single, moments(d, {d.p, d.hits, {}, {}, once, true}));
}

// All votes in one box, more than its narrow sums can hold, and items of more votes than a chunk.
TEST(BoxMoments, NarrowSumsAreEmptiedInTime) {
  const std::size_t n = 9000;
  Data d;
  d.box.assign(n, 1);
  d.t.assign(n, 1.0);  // every T_k is 1
  d.p.assign(n, 0.5);
  d.hits.assign(n, 1.0);
  const BoxMoments single = moments(d, {d.p, d.hits, {}, {}, {}, true});
  d.trials.assign(n, 1024.0);
  d.hits.assign(n, 1000.0);
  const BoxMoments whole = moments(d, {d.p, d.hits, d.trials, {}, {}, true});
  d.hits.assign(n, -1024.0);
  const BoxMoments real = moments(d, {d.p, d.hits, d.trials, {}, {}, false});
  d.trials.assign(n, 5000.0);
  d.hits.assign(n, 5000.0);
  const BoxMoments large = moments(d, {d.p, d.hits, d.trials, {}, {}, true});
  for (std::size_t k = kMoments; k < 2 * kMoments; ++k) {
    EXPECT_NEAR(single.w[k].value(), 9e3, 1e-9);
    EXPECT_NEAR(single.wy[k].value(), 9e3, 1e-9);
    EXPECT_NEAR(whole.w[k].value(), 9e3 * 1024, 1e-6);
    EXPECT_NEAR(whole.wy[k].value(), 9e6, 1e-6);
    EXPECT_NEAR(real.w[k].value(), 9e3 * 1024, 1e-6);
    EXPECT_NEAR(real.wy[k].value(), -9e3 * 1024, 1e-6);
    EXPECT_NEAR(large.wy[k].value(), 4.5e7, 1e-6);
  }
}

TEST(BoxMoments, MergeEqualsOnePassAndEmptyIsIdentity) {
  const Data d = make_data(2000);
  const ForecastsView f{d.p, d.real_hits, d.trials, {}, {}, false};
  const BoxMoments whole = moments(d, f);
  BoxMoments merged(kBoxes);
  MomentBuilder builder(kBoxes);  // used again after finish()
  for (std::size_t begin = 0; begin < 2000; begin += 500) {
    builder.update(std::span(d.box).subspan(begin, 500), std::span(d.t).subspan(begin, 500),
                   f.slice(begin, 500));
    merged.merge(builder.finish());
  }
  EXPECT_EQ(whole, merged);
  EXPECT_EQ(MomentBuilder(kBoxes).finish(), BoxMoments(kBoxes));
  EXPECT_THROW(merged.merge(BoxMoments(kBoxes + 1)), std::invalid_argument);
}

TEST(BoxMoments, SameBitsOnEverySimdTarget) {
  Data d = make_data(1001);
  const auto all = [&] {
    std::vector<BoxMoments> m;
    m.push_back(moments(d, {d.p, d.hits, d.trials, {}, d.times, true}));
    m.push_back(moments(d, {d.p, d.real_hits, d.trials, {}, {}, false}));
    std::vector<double> y = d.hits;
    for (double& h : y) h = std::min(h, 1.0);
    m.push_back(moments(d, {d.p, y, {}, {}, {}, true}));
    m.push_back(moments(d, {d.p, y, {}, d.weight, {}, true}));
    return m;
  };
  const std::vector<BoxMoments> best = all();
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    EXPECT_EQ(all(), best) << target;
  }
  force_simd_target("");
}

// With and without exact sums: boxes that integers hold, boxes that overflow, weights.
TEST(BoxMoments, ValuesAreTheSumsRoundedOnce) {
  for (const std::size_t n : {0, 40, 3000, 20000}) {
    const Data d = make_data(n);
    for (const ForecastsView& f : {ForecastsView{d.p, d.hits, d.trials, {}, {}, true},
                                   ForecastsView{d.p, d.hits, d.trials, {}, d.times, true},
                                   ForecastsView{d.p, d.hits, d.trials, d.weight, {}, true},
                                   ForecastsView{d.p, d.real_hits, d.trials, {}, {}, false}}) {
      MomentBuilder b(kBoxes);
      b.update(d.box, d.t, f);
      const MomentValues made = b.finish_values(), expected(moments(d, f));
      EXPECT_EQ(made.w, expected.w) << n;
      EXPECT_EQ(made.wy, expected.wy) << n;
      EXPECT_EQ(made.weight, expected.weight) << n;
      EXPECT_EQ(b.finish_values().weight, 0) << "it is empty then";
    }
  }
}

TEST(BoxMoments, BuildersMergeExactly) {
  const Data d = make_data(20000);
  for (const ForecastsView& f : {ForecastsView{d.p, d.hits, d.trials, {}, {}, true},
                                 ForecastsView{d.p, d.hits, d.trials, d.weight, {}, true}}) {
    MomentBuilder first(kBoxes), second(kBoxes);
    const std::size_t cut = 7000, rest = f.size() - cut;
    first.update(std::span(d.box).first(cut), std::span(d.t).first(cut), f.slice(0, cut));
    second.update(std::span(d.box).subspan(cut), std::span(d.t).subspan(cut), f.slice(cut, rest));
    first.merge(second);
    EXPECT_EQ(first.finish(), moments(d, f));
    EXPECT_EQ(second.finish(), BoxMoments(kBoxes)) << "it is empty then";
  }
  MomentBuilder few(kBoxes), more(kBoxes + 1);
  EXPECT_THROW(few.merge(more), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
