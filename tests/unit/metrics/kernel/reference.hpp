// Literal double loops in long double, written from the definitions alone: references for the kernel metrics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/ece_kde.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::reference {

using Real = long double;

/// log k(x; q), the density at x of Beta(q/h + 1, (1 - q)/h + 1), from log-gamma functions. -infinity where
/// it is 0. The two parts, so that loops over x need not repeat the slow one: log_kernel = log_norm(q) +
/// log_power(log x, log(1-x), q).
inline Real log_norm(Real q, Real h) {
  return std::lgamma(1 / h + 2) - std::lgamma(q / h + 1) - std::lgamma((1 - q) / h + 1);
}
inline Real log_power(Real log_x, Real log_rest, Real q, Real h) {
  return (q == 0 ? 0 : q / h * log_x) + (q == 1 ? 0 : (1 - q) / h * log_rest);
}
inline Real log_kernel(Real x, Real q, Real h) {
  return log_norm(q, h) + log_power(std::log(x), std::log1p(-x), q, h);
}

/// One vote: what a ForecastsView stands for, spelled out. Votes of one item share `item`.
struct Vote {
  double p, y, w;
  std::size_t item;
};

inline std::vector<Vote> votes_of(const ForecastsView& f) {
  std::vector<Vote> out;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double w = f.weight_of(i);
    if (!(w > 0)) continue;
    const auto n = static_cast<int>(f.trials_of(i));
    for (int v = 0; v < n; ++v) {
      const double y = f.whole_counts ? (v < f.hits[i] ? 1.0 : 0.0) : f.hits[i] / n;
      out.push_back({f.p[i], y, w, i});
    }
  }
  return out;
}

inline std::vector<Real> norms_of(const std::vector<Vote>& votes, Real h) {
  std::vector<Real> out;
  for (const Vote& v : votes) out.push_back(log_norm(v.p, h) + std::log(static_cast<Real>(v.w)));
  return out;
}

/// E[y | x] from the votes that `keep` keeps; at 0 and 1 the limit. NaN when there are none.
template <class Keep>
Real regression(const std::vector<Vote>& votes, const std::vector<Real>& norms, Real x, Real h, Keep keep) {
  if (x == 0 || x == 1) {
    Real nearest = 2, sum = 0, hits = 0;
    for (std::size_t j = 0; j < votes.size(); ++j) {
      if (!keep(j)) continue;
      const Real away = std::abs(votes[j].p - x);
      if (away < nearest) nearest = away, sum = hits = 0;
      if (away == nearest) sum += votes[j].w, hits += static_cast<Real>(votes[j].w) * votes[j].y;
    }
    return hits / sum;
  }
  const Real log_x = std::log(x), log_rest = std::log1p(-x);
  std::vector<Real> log_k(votes.size());
  Real top = -std::numeric_limits<Real>::infinity();
  for (std::size_t j = 0; j < votes.size(); ++j) {
    if (!keep(j)) continue;
    log_k[j] = norms[j] + log_power(log_x, log_rest, votes[j].p, h);
    top = std::max(top, log_k[j]);
  }
  Real sum = 0, hits = 0;
  for (std::size_t j = 0; j < votes.size(); ++j) {
    if (!keep(j)) continue;
    const Real k = std::exp(log_k[j] - top);
    sum += k, hits += k * votes[j].y;
  }
  return hits / sum;
}

struct Errors {
  Real l1, l2;
};

inline Errors ece_kde(const ForecastsView& f, double h, LeaveOut leave_out) {
  const std::vector<Vote> votes = votes_of(f);
  const std::vector<Real> norms = norms_of(votes, h);
  Real l1 = 0, l2 = 0, mass = 0;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    const auto keep = [&](std::size_t j) {
      return leave_out == LeaveOut::vote ? j != i : votes[j].item != votes[i].item;
    };
    const Real gap = std::abs(regression(votes, norms, votes[i].p, h, keep) - votes[i].p);
    if (std::isnan(gap)) continue;
    l1 += votes[i].w * gap, l2 += votes[i].w * gap * gap, mass += votes[i].w;
  }
  return {l1 / mass, std::sqrt(l2 / mass)};
}

/// Columns of p that are difficult for compressed sums.
inline std::vector<double> column(const std::string& kind, std::size_t n, std::uint64_t seed) {
  RandomStream r(seed, Purpose::demo);
  std::vector<double> p(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = r.uniform();
    if (kind == "uniform") {
      p[i] = u;
    } else if (kind == "bimodal") {
      p[i] = u < 0.5 ? 0.5 * std::pow(2 * u, 6) : 1 - 0.5 * std::pow(2 * u - 1, 6);
    } else if (kind == "saturated") {  // many are exactly 1, many within 1e-16 of 0
      p[i] = 1 / (1 + std::exp(-40 * r.normal()));
    } else if (kind == "tiny") {  // down to 1e-300
      p[i] = std::exp(-690 * u);
    } else if (kind == "ends") {
      p[i] = u < 0.3 ? 0.0 : u < 0.6 ? 1.0 : r.uniform();
    } else if (kind == "two clusters") {
      p[i] = (u < 0.5 ? 0.2 : 0.8) + 1e-7 * r.uniform();
    } else if (kind == "two values") {
      p[i] = u < 0.5 ? 0.25 : 0.75;
    } else if (kind == "outlier") {
      p[i] = i == 0 ? 0.97 : 0.1 + 0.02 * u;
    } else if (kind == "ladder") {  // every point on its own when h is small
      p[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    } else if (kind == "rounded") {
      p[i] = std::round(20 * u) / 20;
    } else {
      p[i] = 0.3;
    }
  }
  return p;
}

inline const std::vector<std::string>& hostile() {
  static const std::vector<std::string> kinds{"uniform", "bimodal", "saturated",    "tiny",
                                              "ends",    "equal",   "two clusters", "two values",
                                              "outlier", "ladder",  "rounded"};
  return kinds;
}

inline std::vector<double> outcomes(const std::vector<double>& p, std::uint64_t seed) {
  RandomStream r(seed, Purpose::demo, 1);
  std::vector<double> y(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) y[i] = r.uniform() < std::sqrt(p[i]) ? 1.0 : 0.0;
  return y;
}

/// The rows in another order.
inline std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed) {
  RandomStream r(seed, Purpose::demo, 2);
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[r.below(i)]);
  return order;
}

inline std::vector<double> gathered(const std::vector<double>& x, const std::vector<std::size_t>& order) {
  std::vector<double> out;
  for (const std::size_t i : order) out.push_back(x[i]);
  return out;
}

}  // namespace plumb::reference
