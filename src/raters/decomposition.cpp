#include "plumb/raters/decomposition.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/resample/unit_ratio.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kPartsBlock = 4096;

Bounded bounded_mean(const UnitRatio& r, double level) {
  Bounded out;
  if (r.items() == 0) {
    out.why = "no item has two votes";
    return out;
  }
  out.value = r.ratio();
  if (const auto half = r.half_length(level)) {
    out.low = *out.value - *half;
    out.high = *out.value + *half;
    out.interval = "normal";
  }
  return out;
}

}  // namespace

Decomposition decompose_uncertainty(const Items& items, double level) {
  check_items(items);
  check_level(level);
  const UnitRatio none(items.groups.distinct().size());
  UnitRatio total = none, aleatoric = none, epistemic = none, differ = none, squared = none,
            aleatoric_gap = none, epistemic_gap = none;
  Decomposition out;
  ItemBlock block;
  DisagreementForecast forecast;
  for (std::int64_t begin = 0; begin < items.size(); begin += kPartsBlock) {
    read_items(items, begin, std::min(items.size(), begin + kPartsBlock), block);
    forecast_disagreement(items.predictions, items.concentration, block, forecast);
    for (std::int64_t i = 0; i < block.size; ++i) {
      const double n = block.votes.votes(i), w = block.weight.empty() ? 1 : block.weight[i];
      if (n < 2 || !(w > 0)) continue;
      ++out.items;
      double same = 0, alike = 0, distance = 0, noise = 0;  // sum z^2, pairs of votes alike, sum (z - mu)^2
      for (int k = 0; k < block.classes; ++k) {
        const double* row = block.z.z.data() + i * block.z.width;
        const double z = block.z.width == 1 ? (k == 1 ? row[0] : 1 - row[0]) : row[k];
        const double y = block.votes.hits(i, static_cast<std::uint32_t>(k)), mu = y / n;
        same += z * z;
        alike += y * (y - 1);
        distance += (z - mu) * (z - mu);
        noise += mu * (1 - mu) / (n - 1);
      }
      const double d = forecast.p[i * forecast.columns], seen = 1 - alike / (n * (n - 1));
      const double left = 1 - same - d, far = distance - noise;
      const std::uint64_t unit = items.groups.empty() ? 0 : items.groups.code(begin + i);
      total.add(unit, w * (1 - same), w);
      aleatoric.add(unit, w * d, w);
      epistemic.add(unit, w * left, w);
      differ.add(unit, w * seen, w);
      squared.add(unit, w * far, w);
      aleatoric_gap.add(unit, w * (d - seen), w);
      epistemic_gap.add(unit, w * (left - far), w);
    }
  }
  out.total = bounded_mean(total, level);
  out.aleatoric = bounded_mean(aleatoric, level);
  out.epistemic = bounded_mean(epistemic, level);
  out.aleatoric_observed = bounded_mean(differ, level);
  out.epistemic_observed = bounded_mean(squared, level);
  out.aleatoric_gap = bounded_mean(aleatoric_gap, level);
  out.epistemic_gap = bounded_mean(epistemic_gap, level);
  return out;
}

}  // namespace plumb
