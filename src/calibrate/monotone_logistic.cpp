#include "calibrate/monotone_logistic.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kMonotoneBlock = 4096;
constexpr int kMonotoneIterations = 100;
constexpr double kGradientGoal = 1e-10;  // per vote; what the report promises is 1e-6

struct MonotoneSums {
  double loss = 0, mass = 0;
  std::vector<double> gradient, hessian;
};

// log(1 + e^s) without overflow.
double softplus(double s) { return std::max(s, 0.0) + log_portable(1 + exp_portable(-std::abs(s))); }

// Rows whose fold is (want) or is not (avoid) the one given.
bool taken(const std::vector<int>& fold, std::int64_t i, int without, int only) {
  if (fold.empty()) return true;
  return only >= 0 ? fold[i] == only : fold[i] != without;
}

MonotoneSums pass(const MonotoneLogistic& p, int without, int only, int threads, std::span<const double> c,
                  bool derivatives) {
  const std::int64_t k = c.size();
  const std::int64_t n = std::ssize(p.hits);
  std::vector<MonotoneSums> parts((n + kMonotoneBlock - 1) / kMonotoneBlock);
  if (parts.size() < 8) threads = 1;  // waking threads would cost more than the work
  parallel_blocks(parts.size(), 1, threads, [&](int, std::int64_t b, std::int64_t) {
    MonotoneSums& s = parts[b];
    s.gradient.assign(k, 0);
    s.hessian.assign(k * k, 0);
    const std::int64_t end = std::min(n, (b + 1) * kMonotoneBlock);
    for (std::int64_t i = b * kMonotoneBlock; i < end; ++i) {
      if (!(p.trials[i] > 0) || !taken(p.fold, i, without, only)) continue;
      const double* x = p.x.data() + i * k;
      double score = p.offset;
      for (std::int64_t j = 0; j < k; ++j) score += x[j] * c[j];
      s.loss += p.trials[i] * softplus(score) - p.hits[i] * score;
      s.mass += p.trials[i];
      if (!derivatives) continue;
      const double z = logistic(score);
      const double g = p.trials[i] * z - p.hits[i];
      const double h = p.trials[i] * z * (1 - z);
      for (std::int64_t j = 0; j < k; ++j) {
        s.gradient[j] += g * x[j];
        for (std::int64_t m = 0; m <= j; ++m) s.hessian[j * k + m] += h * x[j] * x[m];
      }
    }
  });
  MonotoneSums all;
  all.gradient.assign(k, 0);
  all.hessian.assign(k * k, 0);
  for (const MonotoneSums& s : parts) {
    all.loss += s.loss;
    all.mass += s.mass;
    for (std::int64_t j = 0; j < k; ++j) all.gradient[j] += s.gradient[j];
    for (std::int64_t j = 0; j < k * k; ++j) all.hessian[j] += s.hessian[j];
  }
  return all;
}

// Solves H d = g by Cholesky for the unknowns that are not held; H is the lower triangle and positive by the
// ridge. Held ones keep d as it is.
void solve_free(std::vector<double> h, std::vector<double> g, const std::vector<bool>& held,
                std::vector<double>& d) {
  const std::int64_t k = g.size();
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t m = 0; m < k; ++m)
      if (!held[j] && held[m]) g[j] -= h[std::max(j, m) * k + std::min(j, m)] * d[m];
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t m = 0; m <= j; ++m)
      if (held[j] || held[m]) h[j * k + m] = j == m ? 1.0 : 0.0;
  for (std::int64_t j = 0; j < k; ++j)
    if (held[j]) g[j] = d[j];
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t m = 0; m <= j; ++m) {
      double s = h[j * k + m];
      for (std::int64_t q = 0; q < m; ++q) s -= h[j * k + q] * h[m * k + q];
      h[j * k + m] = j == m ? std::sqrt(std::max(s, 1e-300)) : s / h[m * k + m];
    }
  for (std::int64_t j = 0; j < k; ++j) {
    for (std::int64_t q = 0; q < j; ++q) g[j] -= h[j * k + q] * g[q];
    g[j] /= h[j * k + j];
  }
  for (std::int64_t j = k; j-- > 0;) {
    for (std::int64_t q = j + 1; q < k; ++q) g[j] -= h[q * k + j] * g[q];
    g[j] /= h[j * k + j];
  }
  d = g;
}

// Where the quadratic model at c is least with c_j >= 0 (j > 0): unknowns change between held at 0 and free
// until each is where it belongs.
std::vector<double> bounded_minimum(const std::vector<double>& c, const MonotoneSums& s) {
  const std::int64_t k = c.size();
  std::vector<bool> held(k, false);
  std::vector<double> d(k), x(k);
  for (int round = 0; round < 50; ++round) {
    for (std::int64_t j = 0; j < k; ++j) d[j] = held[j] ? c[j] : 0;
    solve_free(s.hessian, s.gradient, held, d);
    bool settled = true;
    for (std::int64_t j = 0; j < k; ++j) x[j] = c[j] - d[j];
    for (std::int64_t j = 1; j < k; ++j) {
      if (!held[j]) {
        if (x[j] < 0) {
          held[j] = true;
          settled = false;
        }
        continue;
      }
      double slope = s.gradient[j];
      for (std::int64_t m = 0; m < k; ++m) slope -= s.hessian[std::max(j, m) * k + std::min(j, m)] * d[m];
      if (slope < 0) {
        held[j] = false;
        settled = false;
      }
    }
    if (settled) break;
  }
  for (std::int64_t j = 1; j < k; ++j) x[j] = std::max(x[j], 0.0);
  return x;
}

}  // namespace

void MonotoneLogistic::minimise(double lambda, int without, int threads, std::vector<double>& c,
                                FitReport& report) const {
  const std::int64_t k = c.size();
  const auto penalty = [&](std::span<const double> at) {
    double sum = 0;
    for (std::int64_t j = 0; j < k; ++j) sum += (at[j] - target[j]) * (at[j] - target[j]);
    return lambda * sum;
  };
  report.converged = false;
  for (report.iterations = 0; report.iterations < kMonotoneIterations; ++report.iterations) {
    MonotoneSums s = pass(*this, without, -1, threads, c, true);
    if (!(s.mass > 0)) return;
    report.objective = s.loss / s.mass + penalty(c);
    std::vector<bool> frozen(k, false);
    report.gradient_norm = 0;
    for (std::int64_t j = 0; j < k; ++j) {
      s.gradient[j] = s.gradient[j] / s.mass + 2 * lambda * (c[j] - target[j]);
      for (std::int64_t m = 0; m <= j; ++m) s.hessian[j * k + m] /= s.mass;
      s.hessian[j * k + j] += 2 * lambda;
      frozen[j] = j > 0 && c[j] <= 0 && s.gradient[j] >= 0;  // held at the bound: a positive slope is right
      if (!frozen[j]) report.gradient_norm = std::max(report.gradient_norm, std::abs(s.gradient[j]));
    }
    report.converged = report.gradient_norm <= 1e-6;
    if (report.gradient_norm <= kGradientGoal) return;
    const std::vector<double> goal = bounded_minimum(c, s);
    double promised = 0;
    for (std::int64_t j = 0; j < k; ++j) promised += s.gradient[j] * (c[j] - goal[j]);
    if (!(promised > 1e-16 * (1 + std::abs(report.objective))))
      return;  // no better number in double precision
    double step = 1;
    std::vector<double> next(k);
    bool paid = false;
    for (int halving = 0; halving < 40 && !paid; ++halving, step /= 2) {
      for (std::int64_t j = 0; j < k; ++j) next[j] = c[j] + step * (goal[j] - c[j]);
      const MonotoneSums at = pass(*this, without, -1, threads, next, false);
      paid = at.loss / at.mass + penalty(next) <= report.objective - 1e-4 * step * promised;
    }
    if (!paid) return;
    c = next;
  }
}

double MonotoneLogistic::held_out(int in_fold, int threads, std::span<const double> c) const {
  return pass(*this, -1, in_fold, threads, c, false).loss;
}

}  // namespace plumb::detail
