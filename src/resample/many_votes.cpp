#include "resample/many_votes.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {
namespace {

double open_uniform(RandomStream& random) { return random.uniform() + 0x1p-54; }

/// log of a gamma variable: one of small shape may be too small for a double.
double draw_log_gamma(double shape, RandomStream& random) {
  if (shape >= 1) return log_portable(random.gamma(shape));
  const double larger = log_portable(random.gamma(shape + 1));
  return larger + log_portable(open_uniform(random)) / shape;
}

}  // namespace

double reciprocal_sum(double x, std::uint32_t m) {
  constexpr std::uint32_t kFirst = 32;  // the formula's next term is then below 1e-14
  double sum = 0;
  for (std::uint32_t j = 1; j <= std::min(m, kFirst); ++j) sum += 1 / (x + j);
  if (m <= kFirst) return sum;
  const double a = x + kFirst + 0.5, b = x + m + 0.5;
  // The rest is the integral by midpoints, minus its corrections at both ends.
  const auto correction = [](double y) {
    const double r = 1 / (y * y);
    return r * (1.0 / 24 - r * (7.0 / 960 - r * (31.0 / 8064)));
  };
  return sum + log_portable(b / a) + correction(b) - correction(a);
}

std::uint32_t draw_binomial(std::uint32_t n, double p, RandomStream& random) {
  constexpr std::uint32_t kFew = 64;
  std::uint32_t count = 0;
  if (p >= 1) return n;
  while (n > kFew && p > 0) {
    // The k-th smallest of n uniform numbers.
    const std::uint32_t k = n / 2 + 1;
    const double below = random.gamma(k), above = random.gamma(n + 1.0 - k);
    const double middle = below / (below + above);
    if (p >= middle) {
      count += k;
      n -= k;
      p = (p - middle) / (1 - middle);
    } else {
      n = k - 1;
      p /= middle;
    }
  }
  if (p <= 0) return count;
  for (std::uint32_t i = 0; i < n; ++i) count += random.uniform() < p ? 1 : 0;
  return count;
}

void draw_votes_by_class(std::span<const double> chance, double d, std::uint32_t n, RandomStream& random,
                         std::vector<std::uint32_t>& count) {
  thread_local std::vector<double> share;
  share.assign(chance.begin(), chance.end());
  if (d > 0) {
    double most = -INFINITY;
    for (double& x : share) {
      x = x > 0 ? draw_log_gamma(x * (1 - d) / d, random) : -INFINITY;
      most = std::max(most, x);
    }
    for (double& x : share) x = x == -INFINITY ? 0 : exp_portable(x - most);
  }
  double rest = 0;
  std::size_t last = 0;
  for (std::size_t k = 0; k < share.size(); ++k) {
    rest += share[k];
    if (share[k] > 0) last = k;
  }
  count.assign(share.size(), 0);
  for (std::size_t k = 0; k < last && n > 0; ++k) {
    if (share[k] == 0) continue;
    count[k] = draw_binomial(n, std::min(1.0, share[k] / rest), random);
    n -= count[k];
    rest -= share[k];
  }
  count[last] += n;  // what rounding leaves of the shares is the last one's
}

}  // namespace plumb::detail
