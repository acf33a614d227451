// The bandwidth `auto`: the most likely one, each point being predicted from the others.
#pragma once

#include <string>

#include "plumb/data/forecasts.hpp"

namespace plumb {

struct Bandwidth {
  double value = 1.0;
  double log_likelihood = 0;  ///< mean over the votes that take part
  std::string why;            ///< when the data do not determine it; then value is 1
};

/// argmax over h in [1e-4, 1] of the mean over votes of log f_h(p_i), f_h the Beta kernel density of the
/// votes with other p: the whole item and its exact ties are left out. Votes at 0 or 1 are sources but not
/// targets (no other p reaches them). Half a decade's scan, then golden section and
/// parabolas on log h (Brent) to 1%.
[[nodiscard]] Bandwidth kde_bandwidth(const ForecastsView& f, int threads = 0);

/// The objective; NaN when no vote takes part.
[[nodiscard]] double kde_log_likelihood(const ForecastsView& f, double bandwidth, int threads = 0);

}  // namespace plumb
