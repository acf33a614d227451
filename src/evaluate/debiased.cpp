#include "evaluate/debiased.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/inversion.hpp"
#include "plumb/numeric/quantile.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

/// P(V + null draw + N(0, growth * V) <= value).
double share_up_to(double value, double square, double growth, std::span<const double> null) {
  const double spread = std::sqrt(growth * std::max(square, 0.0));
  double sum = 0;
  for (const double draw : null) {
    const double room = value - square - draw;
    sum += spread > 0 ? normal_cdf(room / spread) : room > 0 ? 1.0 : room < 0 ? 0.0 : 0.5;
  }
  return sum / static_cast<double>(null.size());
}

/// Where `above` turns from false to true between two points.
template <class Above>
double turning_point(double low, double high, Above above) {
  constexpr int kHalvings = 48;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (above(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double square_growth(double value, double plug_in, double replicate_variance, double null_variance) {
  if (!(plug_in > 0)) return 0;
  const double bias = std::clamp(plug_in - value, 0.0, plug_in);
  return std::max(replicate_variance - null_variance * bias / plug_in, 0.0) / plug_in;
}

Bounds invert_debiased(double value, double growth, std::span<const double> null, double level) {
  const double tail = (1 - level) / 2, lucky = quantile({null.begin(), null.end()}, lucky_share(level));
  const double upper = std::max(value, lucky);
  const double most = *std::max_element(null.begin(), null.end());
  double end = 1.0 / 64;
  while (end < 4 && share_up_to(upper, end, growth, null) > tail) end *= 2;
  return {
      turning_point(std::min(value - most, 0.0) - 1e-9, end,
                    [&](double square) { return 1 - share_up_to(value, square, growth, null) > tail; }),
      turning_point(0, end, [&](double square) { return share_up_to(upper, square, growth, null) <= tail; })};
}

}  // namespace plumb::detail
