#include "plumb/metrics/ordered/hosmer_lemeshow.hpp"

#include <algorithm>
#include <limits>

#include "plumb/numeric/special.hpp"

namespace plumb {

Estimate hosmer_lemeshow(const ReliabilityTable& deciles) {
  const Bin total = deciles.total();
  if (total.w.is_zero()) return no_votes();
  double sum = 0;
  for (const Bin& b : deciles.bins) {
    if (b.w.is_zero()) continue;
    const double gap = b.gap(), mean = b.mean_p(), variance = mean * (1 - mean);
    if (gap == 0) continue;
    if (!(variance > 0))
      return Estimate::undefined("a bin whose forecasts are all 0 or all 1 has other outcomes");
    sum += b.w.value() * gap * gap / variance;
  }
  return sum * (static_cast<double>(total.votes) / total.w.value());
}

std::optional<double> hosmer_lemeshow_p(const ReliabilityTable& deciles) {
  constexpr double kEnough = 5;
  const Estimate statistic = hosmer_lemeshow(deciles);
  if (!statistic) return std::nullopt;
  int used = 0;
  for (const Bin& b : deciles.bins) {
    if (b.w.is_zero()) continue;
    const double expected = static_cast<double>(b.votes) * b.mean_p();
    if (std::min(expected, static_cast<double>(b.votes) - expected) < kEnough) return std::nullopt;
    ++used;
  }
  return std::max(chi_square_tail(*statistic.value, used), std::numeric_limits<double>::min());
}

}  // namespace plumb
