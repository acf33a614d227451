// The loops behind the readers, on every SIMD target of this machine, against plain code.
#include "data/shared/block_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "plumb/numeric/simd.hpp"

namespace plumb {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class F>
void on_every_target(F f) {
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    SCOPED_TRACE(target);
    f();
  }
  force_simd_target("");
}

std::vector<double> random_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<double> x(n);
  for (double& v : x) v = static_cast<double>(bits() >> 11) * 0x1p-53;
  return x;
}

/// Reference: the documented order of a row sum.
double lane_sum(const double* x, std::int64_t n) {
  double l[8] = {};
  for (std::int64_t j = 0; j < n; ++j) l[j % 8] += x[j];
  return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

TEST(BlockKernels, CopyWidensAndChecksEveryPosition) {
  on_every_target([] {
    for (std::int64_t n = 0; n <= 40; ++n) {
      const std::vector<double> x = random_values(static_cast<std::size_t>(n), 7);
      const std::vector<float> f(x.begin(), x.end());
      std::vector<double> out(x.size(), -1), wide(x.size(), -1), plain(x.size(), -1);
      EXPECT_TRUE(detail::copy_checked(x.data(), n, 1.0, out.data()));
      EXPECT_EQ(out, x);
      EXPECT_TRUE(detail::copy_checked(f.data(), n, 1.0, wide.data()));
      EXPECT_EQ(wide, std::vector<double>(f.begin(), f.end()));
      detail::copy_values(x.data(), n, plain.data());
      EXPECT_EQ(plain, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (const double bad : {kNaN, kInf, -kInf, -1e-300, 1.0000001}) {
          std::vector<double> y = x;
          y[i] = bad;
          EXPECT_FALSE(detail::copy_checked(y.data(), n, 1.0, out.data())) << bad << " at " << i;
          std::vector<float> g = f;
          g[i] = bad == -1e-300 ? -1e-40f : static_cast<float>(bad);
          EXPECT_FALSE(detail::copy_checked(g.data(), n, 1.0, out.data())) << bad << " at " << i;
        }
      }
    }
  });
}

TEST(BlockKernels, CopyAllowsBothEndsAndAnyUpperBound) {
  std::vector<double> x = {0.0, -0.0, 1.0, 5e-324};
  EXPECT_TRUE(detail::copy_checked(x.data(), 4, 1.0, x.data()));
  x[1] = 1e308;
  EXPECT_FALSE(detail::copy_checked(x.data(), 4, 1.0, x.data()));
  EXPECT_TRUE(detail::copy_checked(x.data(), 4, std::numeric_limits<double>::max(), x.data()));
}

TEST(BlockKernels, RowSumsHaveTheSameBitsOnEveryTarget) {
  on_every_target([] {
    for (std::int64_t width = 1; width <= 35; ++width) {
      const std::int64_t rows = 7;
      const std::vector<double> z = random_values(static_cast<std::size_t>(rows * width), 11);
      std::vector<double> sum(static_cast<std::size_t>(rows));
      detail::row_sums(z.data(), rows, width, sum.data());
      for (std::int64_t i = 0; i < rows; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sum[static_cast<std::size_t>(i)]),
                  std::bit_cast<std::uint64_t>(lane_sum(z.data() + i * width, width)))
            << "row " << i << " of " << width;
      }
    }
  });
}

TEST(BlockKernels, RowTopsTakeTheLowestIndexAmongEquals) {
  on_every_target([] {
    std::mt19937_64 bits(3);
    for (std::int64_t width = 1; width <= 35; ++width) {
      const std::int64_t rows = 50;
      std::vector<double> z(static_cast<std::size_t>(rows * width));
      for (double& v : z) v = static_cast<double>(bits() % 4) / 3;  // many ties, rows of zeros among them
      std::vector<double> top(static_cast<std::size_t>(rows));
      std::vector<std::uint32_t> index(static_cast<std::size_t>(rows));
      detail::row_tops(z.data(), rows, width, top.data(), index.data());
      for (std::int64_t i = 0; i < rows; ++i) {
        const auto first = z.begin() + i * width;
        const auto best = std::max_element(first, first + width);
        EXPECT_EQ(top[static_cast<std::size_t>(i)], *best) << "row " << i << " of " << width;
        EXPECT_EQ(index[static_cast<std::size_t>(i)], best - first) << "row " << i << " of " << width;
      }
    }
  });
}

template <class T>
void expect_labels(std::uint32_t classes, const std::vector<T>& refused) {
  for (std::int64_t n = 1; n <= 37; n += 4) {
    std::vector<T> y(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>((i * 7) % classes);
    std::vector<std::uint32_t> out(y.size(), 99);
    EXPECT_TRUE(detail::copy_labels(y.data(), n, classes, out.data()));
    EXPECT_EQ(out, std::vector<std::uint32_t>(y.begin(), y.end()));
    for (const T bad : refused) {
      for (std::size_t i = 0; i < y.size(); ++i) {
        std::vector<T> wrong = y;
        wrong[i] = bad;
        EXPECT_FALSE(detail::copy_labels(wrong.data(), n, classes, out.data())) << +bad << " at " << i;
      }
    }
  }
}

TEST(BlockKernels, LabelsOfEveryFastType) {
  on_every_target([] {
    expect_labels<std::uint8_t>(10, {10, 255});
    expect_labels<std::uint8_t>(256, {});
    expect_labels<std::uint8_t>(1000, {});
    expect_labels<std::int32_t>(10, {10, -1, std::numeric_limits<std::int32_t>::min()});
    expect_labels<std::int64_t>(10, {10, -1, std::int64_t{1} << 32, std::int64_t{1} << 62});
    expect_labels<double>(10, {10, -1, 0.5, -0.5, 9.999, 1e300, kNaN, kInf, -kInf});
  });
}

TEST(BlockKernels, Ratings) {
  on_every_target([] {
    const std::vector<double> x = {0, 1, -1, kNaN, 2, -7.5, -kInf, -0.0, 1, 1, 2};
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<std::int32_t> out(x.size());
    EXPECT_TRUE(detail::copy_ratings(x.data(), n, 3, out.data()));
    EXPECT_EQ(out, (std::vector<std::int32_t>{0, 1, -1, -1, 2, -1, -1, 0, 1, 1, 2}));
    for (const double bad : {3.0, 0.5, kInf, 1e20}) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::vector<double> wrong = x;
        wrong[i] = bad;
        EXPECT_FALSE(detail::copy_ratings(wrong.data(), n, 3, out.data())) << bad << " at " << i;
      }
    }
  });
}

TEST(BlockKernels, HitsAndFinite) {
  on_every_target([] {
    std::vector<std::uint32_t> cls, label;
    std::vector<double> want, want_two;
    for (std::uint32_t i = 0; i < 29; ++i) {
      cls.push_back(i % 4);
      label.push_back(i % 3);
      want.push_back(i % 4 == i % 3 ? 1 : 0);
      want_two.push_back(i % 4 == 2 ? 1 : 0);
    }
    std::vector<double> hits(cls.size());
    detail::count_matches(cls.data(), label.data(), 29, hits.data());
    EXPECT_EQ(hits, want);
    detail::count_class(cls.data(), 2, 29, hits.data());
    EXPECT_EQ(hits, want_two);
    EXPECT_TRUE(detail::all_finite(hits.data(), 29));
    for (std::size_t i = 0; i < hits.size(); ++i) {
      for (const double bad : {kNaN, kInf, -kInf}) {
        std::vector<double> x = hits;
        x[i] = bad;
        EXPECT_FALSE(detail::all_finite(x.data(), 29));
      }
    }
  });
}

}  // namespace
}  // namespace plumb
