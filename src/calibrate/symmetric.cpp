#include "calibrate/symmetric.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/minimise.hpp"

namespace plumb::detail {

void factor(std::span<double> a, std::size_t n, double floor) {
  for (std::size_t j = 0; j < n; ++j) {
    const double* lj = a.data() + j * n;
    const double pivot = std::sqrt(std::max(lj[j] - dot({lj, j}, {lj, j}), floor));
    a[j * n + j] = pivot;
    for (std::size_t i = j + 1; i < n; ++i) {
      const double* li = a.data() + i * n;
      a[i * n + j] = (li[j] - dot({li, j}, {lj, j})) / pivot;
    }
  }
}

void solve(std::span<const double> l, std::size_t n, std::span<double> b) {
  for (std::size_t i = 0; i < n; ++i) b[i] = (b[i] - dot({l.data() + i * n, i}, b.first(i))) / l[i * n + i];
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= l[i * n + i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= l[i * n + j] * b[i];
  }
}

void eigen(std::span<double> a, std::size_t n, std::span<double> values, std::span<double> vectors) {
  std::fill(vectors.begin(), vectors.end(), 0.0);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    vectors[i * n + i] = 1;
    for (std::size_t j = 0; j < n; ++j) size += a[i * n + j] * a[i * n + j];
  }
  constexpr int kMaxSweeps = 30;
  constexpr double kSmall = 1e-24;  // of the squared size: far below what a preconditioner notices
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) off += a[p * n + q] * a[p * n + q];
    if (off <= kSmall * size) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apq = a[p * n + q];
        if (apq == 0) continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
        const double t = (theta < 0 ? -1.0 : 1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        double* rp = a.data() + p * n;
        double* rq = a.data() + q * n;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = rp[k], y = rq[k];
          rp[k] = c * x - s * y;
          rq[k] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        double* vp = vectors.data() + p * n;
        double* vq = vectors.data() + q * n;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = vp[k], y = vq[k];
          vp[k] = c * x - s * y;
          vq[k] = s * x + c * y;
        }
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) values[i] = a[i * n + i];
}

}  // namespace plumb::detail
