// The bandwidth `likelihood`: the one under which p is most likely, each being predicted from the others.
#pragma once

#include <string>

#include "plumb/data/forecasts.hpp"

namespace plumb {

struct Bandwidth {
  double value = 1.0;
  double objective = 0;  ///< the log-likelihood (other rules: the error) at it, mean over votes
  std::string why;       ///< when the data do not determine it; then value is 1
  enum class Bound { none, lower, upper };
  Bound bound = Bound::none;  ///< an end of the range that the data clearly prefer to what lies inside
};

/// argmax over h in [1e-4, 1] of the mean over votes of log f_h(p_i), f_h the Beta kernel density of the
/// votes with other p: the whole item and its exact ties are left out. Votes at 0 or 1 are sources but not
/// targets (no other p reaches them). Half a decade's scan, then golden section and parabolas on log h
/// (Brent) to 1%.
[[nodiscard]] Bandwidth kde_bandwidth(const ForecastsView& f, int threads = 0);

/// The objective; NaN when no vote takes part.
[[nodiscard]] double kde_log_likelihood(const ForecastsView& f, double bandwidth, int threads = 0);

}  // namespace plumb
