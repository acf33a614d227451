#include "plumb/numeric/quantile.hpp"

#include <algorithm>
#include <stdexcept>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

void check_quantile(std::size_t n, double q) {
  if (n == 0) throw std::invalid_argument("a quantile of no values is not defined");
  if (!(q >= 0.0 && q <= 1.0)) throw std::invalid_argument("the order of a quantile must lie in [0, 1]");
}

}  // namespace

double quantile_sorted(std::span<const double> ascending, double q) {
  check_quantile(ascending.size(), q);
  const double at = q * (ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double low = ascending[below];
  if (below + 1 == ascending.size()) return low;
  const double high = ascending[below + 1], t = at - below;
  if (t == 0.0 || low == high) return low;  // also keeps equal infinities from giving NaN
  return std::clamp(low + t * (high - low), low, high);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return quantile_sorted(values, q);
}

double weighted_quantile_sorted(std::span<const double> ascending, std::span<const double> weights,
                                double q) {
  check_quantile(ascending.size(), q);
  if (weights.size() != ascending.size()) throw std::invalid_argument("one weight for each value is needed");
  // Exact sums: the cumulative weight at a tie does not depend on the order of its members.
  ExactSum total;
  for (const double w : weights) total.add(w);
  const double goal = q * total.value();
  if (!(total.value() > 0.0)) throw std::invalid_argument("the total weight of a quantile must be positive");
  ExactSum reached;
  double last = ascending.front();
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    if (weights[i] == 0.0) continue;
    reached.add(weights[i]);
    last = ascending[i];
    if (reached.value() >= goal) break;
  }
  return last;
}

}  // namespace plumb
