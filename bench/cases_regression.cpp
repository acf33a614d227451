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

RegressionData::RegressionData(std::int64_t n, int passes)
    : mean(passes, std::vector<float>(n)), variance(mean), target(n) {
  parallel_blocks(n, 1 << 16, 0, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto unit = static_cast<std::uint64_t>(i);
      const double u = random_uniform(1, Purpose::demo, 0, unit);
      for (std::size_t s = 0; s < mean.size(); ++s) {
        const double shift = s == 0 ? 0 : 0.1 * random_uniform(1, Purpose::demo, 3, unit);
        mean[s][i] = static_cast<float>(10 * random_uniform(1, Purpose::demo, 1, unit) + shift);
        variance[s][i] = static_cast<float>(0.01 + u * u);
      }
      const double z = normal_quantile(random_uniform(1, Purpose::demo, 2, unit) + 0x1p-54);
      target[i] = static_cast<float>(mean[0][i] + 1.3 * z * std::sqrt(static_cast<double>(variance[0][i])));
    }
  });
}

RegressionItems RegressionData::items() const {
  const std::int64_t n = std::ssize(target);
  const auto rows = [&](const std::vector<float>& x, const char* name) {
    return Rows(view_of(std::span<const float>(x), {n}, name));
  };
  RegressionItems out;
  for (const auto& m : mean) out.mean.push_back(rows(m, "mean"));
  out.targets = rows(target, "target");
  if (variance.size() == 1) {
    out.total = rows(variance[0], "variance");
  } else {
    for (const auto& v : variance) out.aleatoric.push_back(rows(v, "variance"));
  }
  return out;
}

void regression_cases(Bench& b) {
  const std::int64_t n = b.size(1e7);
  const RegressionData data(n, 1);
  const RegressionItems items = data.items();
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
