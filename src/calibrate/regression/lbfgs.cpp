#include "calibrate/regression/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace plumb::detail {
namespace {

using Vector = std::vector<double>;

double inner(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest(std::span<const double> a) {
  double out = 0;
  for (const double x : a) out = std::max(out, std::abs(x));
  return out;
}

struct Pair {
  Vector s, y;
  double rho;
};

/// -H g by the two loops.
Vector direction(const std::deque<Pair>& memory, const Vector& gradient) {
  Vector q = gradient;
  std::vector<double> alpha(memory.size());
  for (std::size_t k = memory.size(); k-- > 0;) {
    alpha[k] = memory[k].rho * inner(memory[k].s, q);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] -= alpha[k] * memory[k].y[i];
  }
  const double scale = memory.empty() ? 1.0 / std::max(1.0, largest(gradient))
                                      : 1.0 / (memory.back().rho * inner(memory.back().y, memory.back().y));
  for (double& x : q) x *= scale;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const double beta = memory[k].rho * inner(memory[k].y, q);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += (alpha[k] - beta) * memory[k].s[i];
  }
  for (double& x : q) x = -x;
  return q;
}

}  // namespace

LbfgsResult lbfgs(const std::function<double(std::span<const double>, std::span<double>)>& f,
                  std::vector<double>& x, double gradient_aim, std::int64_t most_iterations,
                  const std::function<bool(std::span<const double>)>& stop) {
  constexpr std::size_t kMemory = 10;
  constexpr double kDecrease = 1e-4;  // Armijo's constant
  Vector gradient(x.size()), next_gradient(x.size()), next(x.size());
  LbfgsResult r;
  r.value = f(x, gradient);
  std::deque<Pair> memory;
  for (; r.iterations < most_iterations && largest(gradient) > gradient_aim; ++r.iterations) {
    Vector d = direction(memory, gradient);
    double slope = inner(gradient, d);
    if (!(slope < 0)) {  // the memory misleads: restart with the gradient
      memory.clear();
      d = direction(memory, gradient);
      slope = inner(gradient, d);
    }
    double step = 1, value = 0;
    bool found = false;
    for (int halving = 0; halving < 50 && !found; ++halving, step *= 0.5) {
      for (std::size_t i = 0; i < x.size(); ++i) next[i] = x[i] + step * d[i];
      value = f(next, next_gradient);
      found = std::isfinite(value) && value <= r.value + kDecrease * step * slope;
    }
    if (!found) {
      if (memory.empty()) break;
      memory.clear();
      continue;
    }
    Pair pair{Vector(x.size()), Vector(x.size()), 0};
    for (std::size_t i = 0; i < x.size(); ++i) {
      pair.s[i] = next[i] - x[i];
      pair.y[i] = next_gradient[i] - gradient[i];
    }
    const double curve = inner(pair.s, pair.y);
    if (curve > 1e-14 * inner(pair.y, pair.y)) {
      pair.rho = 1 / curve;
      memory.push_back(std::move(pair));
      if (memory.size() > kMemory) memory.pop_front();
    }
    x.swap(next);
    gradient.swap(next_gradient);
    r.value = value;
    if (stop && stop(x)) {
      ++r.iterations;
      break;
    }
  }
  r.gradient_norm = largest(gradient);
  return r;
}

}  // namespace plumb::detail
