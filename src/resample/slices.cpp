#include "plumb/resample/slices.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {

double simultaneous_level(double level, std::int64_t slices) {
  return 1 - (1 - level) / static_cast<double>(std::max<std::int64_t>(slices, 1));
}

Bounds widened(const Bounds& b, double value, double level, double wider, double range_low,
               double range_high) {
  const double ratio = normal_quantile((1 + wider) / 2) / normal_quantile((1 + level) / 2);
  double middle = value >= b.low && value <= b.high ? value : (b.low + b.high) / 2;
  if (b.low <= range_low) middle = b.low;
  return {std::max(range_low, middle - ratio * (middle - b.low)),
          std::min(range_high, middle + ratio * (b.high - middle))};
}

std::string slices_note(std::int64_t slices, double level) {
  if (slices > kMostSliceIntervals)
    return counted(slices, "slice") + " have no intervals, which are computed for at most " +
           std::to_string(kMostSliceIntervals) + "; give ⟦by⟧ fewer names";
  if (slices < 2) return "";
  const double missed = (1 - level) * static_cast<double>(slices);
  return counted(slices, "slice") + " were compared" +
         (missed < 1 ? ""
                     : ", so about " + show(std::round(missed)) + " of their " + show(100 * level) +
                           "% intervals miss by chance") +
         ": judge them by the simultaneous intervals, which hold for all slices of one metric at once (Bonferroni)";
}

}  // namespace plumb
