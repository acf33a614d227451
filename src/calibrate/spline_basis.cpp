#include "calibrate/spline_basis.hpp"

#include <algorithm>

namespace plumb::detail {
namespace {

constexpr int kDegree = 2;

double value(const Cubic& a, double d) { return a[0] + d * (a[1] + d * (a[2] + d * a[3])); }

// a(d) times (shift + sign d) / width; nothing where the width is 0 (repeated knots).
void add_linear_product(const Cubic& a, double shift, double sign, double width, Cubic& out) {
  if (!(width > 0)) return;
  for (std::int64_t m = 0; m < 4; ++m) {
    out[m] += a[m] * shift / width;
    if (m > 0) out[m] += a[m - 1] * sign / width;
  }
}

// basis[j][i]: B-spline j on interval i, by the recursion of Cox and de Boor on knots repeated at the ends.
std::vector<std::vector<Cubic>> splines(std::span<const double> knots) {
  std::vector<double> t(kDegree, knots.front());
  t.insert(t.end(), knots.begin(), knots.end());
  t.insert(t.end(), kDegree, knots.back());
  const std::int64_t intervals = knots.size() - 1;
  std::vector<std::vector<Cubic>> basis(t.size() - 1, std::vector<Cubic>(intervals, Cubic{}));
  for (std::int64_t i = 0; i < intervals; ++i) basis[i + kDegree][i][0] = 1;
  for (std::int64_t p = 1; p <= kDegree; ++p) {
    std::vector<std::vector<Cubic>> next(basis.size() - 1, std::vector<Cubic>(intervals, Cubic{}));
    for (std::int64_t j = 0; j < std::ssize(next); ++j)
      for (std::int64_t i = 0; i < intervals; ++i) {
        add_linear_product(basis[j][i], knots[i] - t[j], 1, t[j + p] - t[j], next[j][i]);
        add_linear_product(basis[j + 1][i], t[j + p + 1] - knots[i], -1, t[j + p + 1] - t[j + 1], next[j][i]);
      }
    basis = std::move(next);
  }
  return basis;
}

}  // namespace

std::int64_t PiecewiseCubic::piece_of(double x) const {
  return std::upper_bound(knots.begin(), knots.end(), x) - knots.begin();
}

std::vector<PiecewiseCubic> integrated_splines(std::span<const double> knots, std::int64_t reference) {
  std::vector<PiecewiseCubic> out;
  const std::int64_t intervals = knots.size() - 1;
  for (const std::vector<Cubic>& slope : splines(knots)) {
    PiecewiseCubic f{{knots.begin(), knots.end()}, {}};
    f.pieces.push_back({0, slope.front()[0], 0, 0});
    double at = 0;
    for (std::int64_t i = 0; i < intervals; ++i) {
      f.pieces.push_back({at, slope[i][0], slope[i][1] / 2, slope[i][2] / 3});
      at = value(f.pieces.back(), knots[i + 1] - knots[i]);
    }
    f.pieces.push_back({at, value(slope.back(), knots[intervals] - knots[intervals - 1]), 0, 0});
    const double base = f.pieces[reference + 1][0];
    for (Cubic& a : f.pieces) a[0] -= base;
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace plumb::detail
