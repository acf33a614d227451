#include "metrics/kernel/smooth_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "metrics/kernel/box_kernels.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

constexpr double kReach = 8.5;  // standard deviations: exp(-36)
// Widest box, in standard deviations. Sixteen terms leave out some 1e-14 of the peak at 1.5 and 1e-12 at 2,
// the width of the finest boxes under the narrowest kernel.
constexpr double kWidest = 1.5;
constexpr double kRootTwoPi = 2.506628274631000502416;
constexpr int kCuts = 16;  // steps in which a box is searched for sign changes

// T_k((t - 1)/2) and T_k((t + 1)/2) as series in t, the place within the left and the right half.
struct Halves {
  Grid left{}, right{};
  Halves() {
    const Grid& analysis = chebyshev_analysis();
    for (int m = 0; m < kMoments; ++m) {
      const Series l = chebyshev(0.5 * (chebyshev_node(m) - 1.0));
      const Series r = chebyshev(0.5 * (chebyshev_node(m) + 1.0));
      for (std::size_t k = 0; k < kMoments; ++k) {
        for (std::size_t j = 0; j < kMoments; ++j) {
          left[k][j] += l[k] * analysis[j][m];
          right[k][j] += r[k] * analysis[j][m];
        }
      }
    }
  }
};

void add_product(const Grid& g, const Series& x, Series& out) {
  if (x == Series{}) return;
  for (std::size_t k = 0; k < kMoments; ++k) {
    double s = 0;
    for (std::size_t j = 0; j <= k; ++j) s += g[k][j] * x[j];
    out[k] += s;
  }
}

// The kernel from a box to the one `offset` boxes to its right, all of width `width`.
Block gaussian_block(int offset, double width, double sigma) {
  Grid value;
  for (int m = 0; m < kMoments; ++m) {
    for (int l = 0; l < kMoments; ++l) {
      const double away = (offset + 0.5 * (chebyshev_node(m) - chebyshev_node(l))) * width / sigma;
      value[m][l] = -0.5 * away * away;
    }
  }
  const std::span<double> flat(value.front().data(), std::size_t{kMoments} * kMoments);
  exp_block(flat, flat);
  for (double& v : flat) v /= sigma * kRootTwoPi;
  return make_block(value);
}

Series mirrored(Series s) {
  for (std::size_t k = 1; k < kMoments; k += 2) s[k] = -s[k];
  return s;
}

Block mirrored(Block b) {
  for (std::size_t i = 0; i < kMoments; ++i) {
    for (std::size_t k = (i + 1) % 2; k < kMoments; k += 2) b.entry[i][k] = -b.entry[i][k];
  }
  return b;
}

// f' as a series: c'_{k-1} = c'_{k+1} + 2 k c_k.
Series derivative(const Series& f) {
  Series out{};
  for (std::size_t k = kMoments - 1; k >= 1; --k)
    out[k - 1] = (k + 1 < kMoments ? out[k + 1] : 0.0) + 2.0 * k * f[k];
  out[0] *= 0.5;
  return out;
}

// The integral of f from -1 to t; int T_k = (T_{k+1}/(k+1) - T_{k-1}/(k-1))/2.
double integral_to(const Series& f, double t) {
  const Series v = chebyshev(t);
  const auto at = [&](std::size_t k) { return k < kMoments ? v[k] : 2.0 * t * v[k - 1] - v[k - 2]; };
  double sum = f[0] * (t + 1.0) + f[1] * 0.5 * (t * t - 1.0);
  for (std::size_t k = 2; k < kMoments; ++k) {
    const double n = k;
    const double sign = k % 2 == 0 ? 1.0 : -1.0;  // T_{k+1}(-1) = T_{k-1}(-1) = -sign
    sum += f[k] * 0.5 * ((at(k + 1) + sign) / (n + 1.0) - (v[k - 1] + sign) / (n - 1.0));
  }
  return sum;
}

// f at several places: Clenshaw's sums side by side, each with the steps of series_at.
template <std::size_t N>
std::array<double, N> series_at_all(const Series& f, const std::array<double, N>& t) {
  std::array<double, N> b1{}, b2{}, twice, out;
  for (std::size_t i = 0; i < N; ++i) twice[i] = 2.0 * t[i];
  for (std::size_t k = kMoments - 1; k >= 1; --k) {
    for (std::size_t i = 0; i < N; ++i) {
      const double b = twice[i] * b1[i] - b2[i] + f[k];
      b2[i] = b1[i];
      b1[i] = b;
    }
  }
  for (std::size_t i = 0; i < N; ++i) out[i] = t[i] * b1[i] - b2[i] + f[0];
  return out;
}

// A zero of f between a and b, where it has different signs: halved 50 times. The seven places that three
// steps may ask for are evaluated together.
double zero_between(const Series& f, double a, double b) {
  const bool left_positive = series_at(f, a) > 0.0;
  const auto middle = [](double x, double y) { return 0.5 * (x + y); };
  for (int step = 0; step < 51; step += 3) {
    std::array<double, 9> x{};
    x[0] = a, x[8] = b;
    x[4] = middle(x[0], x[8]);
    x[2] = middle(x[0], x[4]), x[6] = middle(x[4], x[8]);
    x[1] = middle(x[0], x[2]), x[3] = middle(x[2], x[4]);
    x[5] = middle(x[4], x[6]), x[7] = middle(x[6], x[8]);
    const std::array<double, 8> y = series_at_all<8>(f, {x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]});
    std::size_t low = 0;
    for (std::size_t width : {4, 2, 1}) {
      if (step == 48 && width == 1) break;  // 50 steps in all
      if ((y[low + width - 1] > 0.0) == left_positive) low += width;
      a = x[low], b = x[low + width];
    }
  }
  return middle(a, b);
}

}  // namespace

MomentPyramid::MomentPyramid(std::vector<Series> finest) {
  static const Halves halves;
  std::vector<std::vector<Series>> up{std::move(finest)};
  while (up.back().size() > 1) {
    const std::vector<Series>& child = up.back();
    std::vector<Series> parent(child.size() / 2);
    for (std::size_t b = 0; b < parent.size(); ++b) {
      parent[b] = {};
      add_product(halves.left, child[2 * b], parent[b]);
      add_product(halves.right, child[2 * b + 1], parent[b]);
    }
    up.push_back(std::move(parent));
  }
  level_.assign(std::make_move_iterator(up.rbegin()), std::make_move_iterator(up.rend()));
}

int MomentPyramid::level_for(double sigma) const {
  int l = 0;
  while (l + 1 < levels() && std::ldexp(1.0, -l) > kWidest * sigma) ++l;
  return l;
}

std::vector<Series> smooth_field(const MomentPyramid& measure, double sigma) {
  const int level = measure.level_for(sigma);
  const std::vector<Series>& source = measure.level(level);
  const int boxes = narrow<int>(source.size());
  const double width = 1.0 / boxes;
  const int reach = static_cast<int>(std::ceil(kReach * sigma / width));
  std::vector<Block> block(2 * reach + 1);  // by offset + reach
  for (int o = 0; o <= reach; ++o) {
    const Block b = gaussian_block(o, width, sigma);
    block[reach + o] = b;
    block[reach - o] = mirrored(b);
  }
  std::vector<Series> field(source.size(), Series{});
  // Sources repeat along the line with period two, every second time mirrored.
  for (int j = -reach; j < boxes + reach; ++j) {
    const int turn = ((j % (2 * boxes)) + 2 * boxes) % (2 * boxes);
    const bool mirror = turn >= boxes;
    const Series& plain = source[mirror ? 2 * boxes - 1 - turn : turn];
    if (plain == Series{}) continue;
    const Series s = mirror ? mirrored(plain) : plain;
    for (int t = std::max(0, j - reach); t <= std::min(boxes - 1, j + reach); ++t)
      apply_block(block[t - j + reach], s, field[t]);
  }
  return field;
}

double series_at(const Series& f, double t) {
  double b1 = 0, b2 = 0;  // Clenshaw
  for (std::size_t k = kMoments - 1; k >= 1; --k) {
    const double b = 2.0 * t * b1 - b2 + f[k];
    b2 = b1;
    b1 = b;
  }
  return t * b1 - b2 + f[0];
}

double integral_of_magnitude(const Series& f) {
  double rest = 0;
  for (std::size_t k = 1; k < kMoments; ++k) rest += std::abs(f[k]);
  if (std::abs(f[0]) >= rest) return std::abs(integral_to(f, 1.0));
  const Series slope = derivative(f);
  double sum = 0, from = 0;  // integral to the last sign change
  const auto cut = [&](double zero) {
    const double here = integral_to(f, zero);
    sum += std::abs(here - from);
    from = here;
  };
  std::array<double, kCuts + 1> places;
  for (int i = 0; i <= kCuts; ++i) places[i] = -1.0 + 2.0 * i / kCuts;
  const auto values = series_at_all(f, places), slopes = series_at_all(slope, places);
  double a = -1.0, fa = values[0], sa = slopes[0];
  for (int i = 1; i <= kCuts; ++i) {
    const double b = places[i], fb = values[i], sb = slopes[i];
    if ((fa > 0.0) != (fb > 0.0)) {
      cut(zero_between(f, a, b));
    } else if ((sa > 0.0) != (sb > 0.0) && (sa > 0.0) != (fa > 0.0)) {
      // f turns back before b: it may have dipped through zero.
      const double turn = zero_between(slope, a, b);
      if ((series_at(f, turn) > 0.0) != (fa > 0.0)) {
        cut(zero_between(f, a, turn));
        cut(zero_between(f, turn, b));
      }
    }
    a = b, fa = fb, sa = sb;
  }
  cut(1.0);
  return sum;
}

}  // namespace plumb::detail
