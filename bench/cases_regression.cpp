// A regression of 1e7 items in float32: the streaming metrics together, the ordered ones, one fit.
#include <cmath>

#include "bench.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/regression/ordered.hpp"
#include "plumb/regression/sums.hpp"

namespace plumb::bench {

void regression_cases(Bench& b) {
  const std::int64_t n = b.size(1e7);
  const auto size = static_cast<std::size_t>(n);
  std::vector<float> mean(size), target(size), variance(size);
  parallel_blocks(n, 1 << 16, 0, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto unit = static_cast<std::uint64_t>(i), at = unit;
      const double u = random_uniform(1, Purpose::demo, 0, unit);
      mean[at] = static_cast<float>(10 * random_uniform(1, Purpose::demo, 1, unit));
      variance[at] = static_cast<float>(0.01 + u * u);
      const double z = normal_quantile(random_uniform(1, Purpose::demo, 2, unit) + 0x1p-54);
      target[at] = static_cast<float>(mean[at] + 1.3 * z * std::sqrt(static_cast<double>(variance[at])));
    }
  });
  RegressionItems items;
  items.mean.emplace_back(view_of(std::span<const float>(mean), {n}, "mean"));
  items.targets = Rows(view_of(std::span<const float>(target), {n}, "target"));
  items.total = Rows(view_of(std::span<const float>(variance), {n}, "variance"));
  const double bytes = 12.0 * static_cast<double>(n);
  RegressionPlan plan;
  plan.variance = RegressionRange{0, 1.02};
  b.run(
      "regression, streaming metrics, 1e7", bytes, 5, [&] { (void)regression_sums(items, plan, 2); }, 0.15);
  b.run("regression, the same, range from the data", bytes, 3, [&] {
    plan.variance = uncertainty_ranges(items, 0, 2).variance;
    (void)regression_sums(items, plan, 2);
  });
  b.run("regression, sigma fit, 1e7", bytes, 5,
        [&] { (void)fit_regression_calibrator("sigma", items, {.threads = 2}); });
  b.run("regression, ordered metrics, 1e7", 0, 1, [&] {
    const OrderedRegression c = order_regression(items, 0, 2);
    (void)ence(c, {}, 15);
    (void)pit_distance(c, {});
  });
}

}  // namespace plumb::bench
