#include "plumb/calibrate/regression/map.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/regression/rows.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {

void detail::refuse_step(const Step& step, const std::string& what) {
  throw InputError("the model file's " + step.method + " step " + what);
}

std::vector<double> detail::levels_of(const Step& step) {
  std::vector<double> level = copied(vector_parameter(step, "level"));
  if (level.empty() || !std::is_sorted(level.begin(), level.end()))
    refuse_step(step, "has levels that do not ascend");
  return level;
}

void detail::check_interval_level(double level) {
  if (!(level > 0 && level < 1))
    throw InputError("the level of an interval must be between 0 and 1, not " + show(level));
}

void VarianceMap::offsets(const RegressionBlock& b, double level, std::span<double> low,
                          std::span<double> high) const {
  detail::check_interval_level(level);
  variance(b, high);
  const double q = normal_quantile(0.5 + 0.5 * level);
  for (std::size_t k = 0; k < high.size(); ++k) {
    high[k] = q * std::sqrt(high[k]);
    low[k] = -high[k];
  }
}

std::unique_ptr<VarianceMap> make_variance_map(const Step& step, int outputs) {
  if (const RegressionCalibratorRow* row = find_regression_calibrator(step.method))
    return row->map(step, outputs);
  throw InputError("the model file's step \"" + step.method + "\" is not one for regression");
}

}  // namespace plumb
