#include "plumb/uncertainty/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

double log_choose(double n, double k) { return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1); }

template <class T>
void take(std::span<const T> from, const std::vector<std::uint32_t>& order, std::vector<T>& to) {
  to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[order[i]];
}

}  // namespace

// Inversion from the mode outward: the number of steps is about the standard deviation.
std::int64_t draw_hypergeometric(std::int64_t total, std::int64_t marked, std::int64_t drawn,
                                 double uniform) {
  const std::int64_t least = std::max<std::int64_t>(0, drawn + marked - total);
  const std::int64_t most = std::min(drawn, marked);
  if (least == most) return least;
  const double n = total, k = marked, d = drawn;
  const auto mode =
      std::clamp(static_cast<std::int64_t>(std::floor((d + 1) * (k + 1) / (n + 2))), least, most);
  const double m = mode;
  const double at_mode = exp_portable(log_choose(k, m) + log_choose(n - k, d - m) - log_choose(n, d));
  double u = uniform - at_mode;
  if (u < 0) return mode;
  double up = at_mode, down = at_mode;
  std::int64_t above = mode, below = mode;
  while (above < most || below > least) {
    if (above < most) {
      const double x = above++;
      up *= (k - x) * (d - x) / ((x + 1) * (n - k - d + x + 1));
      if ((u -= up) < 0) return above;
    }
    if (below > least) {
      const double x = below--;
      down *= x * (n - k - d + x) / ((k - x + 1) * (d - x + 1));
      if ((u -= down) < 0) return below;
    }
  }
  return mode;  // what rounding leaves of the sum of all probabilities
}

void deal_outcomes(std::vector<UncertaintyBin>& bins, RandomStream& random) {
  std::int64_t total = 0, right = 0;
  for (const UncertaintyBin& b : bins) {
    total += static_cast<std::int64_t>(b.mass);
    right += static_cast<std::int64_t>(b.hits);
  }
  for (UncertaintyBin& b : bins) {
    const auto size = static_cast<std::int64_t>(b.mass);
    const std::int64_t wrong = draw_hypergeometric(total, total - right, size, random.uniform());
    b.hits = size - wrong;
    total -= size;
    right -= size - wrong;
  }
}

void PermutedColumn::permute(const ForecastsView& confidence, std::span<const std::uint32_t> unit,
                             RandomStream& random) {
  order_.resize(confidence.size());
  std::iota(order_.begin(), order_.end(), 0u);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  take(confidence.hits, order_, hits_);
  take(confidence.trials, order_, trials_);
  take(confidence.weight, order_, weight_);
  take(unit, order_, unit_);
  view_ = {confidence.p, hits_, trials_, weight_, {}, confidence.whole_counts};
}

}  // namespace plumb
