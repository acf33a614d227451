// Exact interval of observed over expected events, for single votes on independent items.
#pragma once

#include <optional>

#include "plumb/data/forecasts.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {

/// P(fewer than k hits) and P(more than k hits) of independent items that hit with the given chances.
struct PoissonBinomialTails {
  double below = 0, above = 0;
};
[[nodiscard]] PoissonBinomialTails poisson_binomial_tails(std::span<const double> chances, std::int64_t k);

/// The number of events is Poisson-binomial. All odds are multiplied by one factor; the bounds are the
/// expected ratios at the two factors at which the observed number of events becomes improbable, (1 -
/// level)/2 on either side. Absent with several votes or weights, with forecasts of 0 or 1, which no factor
/// moves, and where it would take too long (items times the rarer outcome beyond 1e6): the percentile
/// interval is then as good. Any order.
[[nodiscard]] std::optional<Bounds> event_ratio_bounds(const ForecastsView& f, double level);

}  // namespace plumb
