#include "plumb/resample/step_down.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/resample/interval.hpp"

namespace plumb {
namespace {

/// |replicate - mean| / standard error by draw (0 where it is undefined), and the observed statistic.
struct Statistics {
  double observed = 0;
  std::vector<double> null;
};

Statistics statistics_of(const DrawnDifference& test) {
  std::vector<double> finite;
  for (const double d : test.draws)
    if (std::isfinite(d)) finite.push_back(d);
  Statistics out{0, std::vector<double>(test.draws.size(), 0.0)};
  const double error = standard_deviation(finite);
  if (!(error > 0)) return out;
  const double centre = mean(finite);
  out.observed = std::abs(test.value) / error;
  for (std::int64_t r = 0; r < std::ssize(test.draws); ++r)
    if (std::isfinite(test.draws[r])) out.null[r] = std::abs(test.draws[r] - centre) / error;
  return out;
}

}  // namespace

std::vector<double> step_down_p_values(std::span<const DrawnDifference> tests) {
  std::vector<Statistics> all;
  for (const DrawnDifference& t : tests) all.push_back(statistics_of(t));
  std::vector<std::int64_t> order(tests.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return all[a].observed < all[b].observed; });
  // From the weakest to the strongest: the maximum over a test and all that are weaker.
  std::vector<double> largest, out(tests.size(), 1.0);
  for (const std::int64_t j : order) {
    largest.resize(std::max(largest.size(), all[j].null.size()), 0.0);
    for (std::int64_t r = 0; r < std::ssize(all[j].null); ++r)
      largest[r] = std::max(largest[r], all[j].null[r]);
    const auto above =
        std::count_if(largest.begin(), largest.end(), [&](double x) { return x >= all[j].observed; });
    if (all[j].observed > 0) out[j] = (1.0 + above) / (1.0 + largest.size());
  }
  // A weaker test never has the smaller p-value.
  double reached = 0;
  for (auto j = order.rbegin(); j != order.rend(); ++j) out[*j] = reached = std::max(reached, out[*j]);
  return out;
}

}  // namespace plumb
