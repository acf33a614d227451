#include "plumb/resample/slices.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb {

void check_slices(std::span<const Names> by, std::int64_t metrics) {
  std::int64_t slices = 0;
  const Names* most = nullptr;
  for (const Names& names : by) {
    slices += std::ssize(names.distinct());
    if (most == nullptr || names.distinct().size() > most->distinct().size()) most = &names;
  }
  const std::int64_t fit = kMostSliceValues / std::max<std::int64_t>(slices, 1);
  if (most == nullptr || metrics <= fit) return;
  const std::string fewer =
      fit > 0 ? "request at most " + counted(fit, "metric") + " (⟦metrics⟧ ece,brier), or " : "";
  throw InputError(most->source() + ": " + counted(metrics, "metric") + " of " + counted(slices, "slice") +
                   " are " + counted(metrics * slices, "value") + ", and at most " +
                   counted(kMostSliceValues, "value") + " are computed; " + fewer + "give ⟦by⟧ fewer names");
}

double simultaneous_level(double level, std::int64_t slices) {
  return 1 - (1 - level) / static_cast<double>(std::max<std::int64_t>(slices, 1));
}

Bounds widened(const Bounds& b, double value, double level, double wider, double range_low, double range_high,
               double degrees) {
  const double z = normal_quantile((1 + wider) / 2);
  const double longer = wider > level ? student_factor(z, degrees) : 1;
  const double ratio = longer * z / normal_quantile((1 + level) / 2);
  return stretched(b, value, ratio, range_low, range_high);
}

void explain_small_slice(bool grouped, std::span<const MetricRow* const> rows, GroupResult& slice) {
  const std::string why =
      "the slice has fewer than " + std::to_string(kEnoughUnits) + (grouped ? " groups" : " items");
  for (const MetricRow* row : rows)
    for (const auto& [key, value] : slice.metrics)
      if (key == row->key && value) slice.interval_why.emplace_back(key, why);
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
         ": use the simultaneous intervals, which hold for all slices of one metric at once (Bonferroni)";
}

}  // namespace plumb
