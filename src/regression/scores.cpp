// From sums to values.
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/regression/sums.hpp"

namespace plumb {
namespace {

constexpr double kLog2Pi = 1.8378770664093453;
constexpr double kLog2 = 0.6931471805599453;
const char* const kNoItems = "there are no items of positive weight";

}  // namespace

const std::array<double, 4>& coverage_quantiles() {
  static const std::array<double, 4> kQuantiles = [] {
    std::array<double, 4> out{};
    for (std::size_t q = 0; q < out.size(); ++q) out[q] = normal_quantile(0.5 + 0.5 * kCoverageLevels[q]);
    return out;
  }();
  return kQuantiles;
}

Estimate uce(const UncertaintyCells& cells) {
  ExactSum all;
  for (const auto& c : cells.cell) all.merge(c.weight);
  if (all.is_zero())
    return Estimate::undefined(cells.dropped > 0 ? "no item lies in the range of the cells" : kNoItems);
  ExactSum sum;  // over cells (|B| / m) |error / |B| - uncertainty / |B||
  for (const auto& c : cells.cell) {
    ExactSum gap = c.error;
    gap.subtract(c.uncertainty);
    sum.add(std::abs(gap.value()));
  }
  return sum.value() / all.value();
}

void sum_scores(const OutputSums& s, Scores& out) {
  const double w = s.weight.value();
  const auto put = [&](const char* key, double value) {
    out[key] = w > 0 ? Estimate(value) : Estimate::undefined(kNoItems);
  };
  const auto mean = [&](const ExactSum& x) { return w > 0 ? x.value() / w : 0.0; };
  put("mse", mean(s.err2));
  put("mae", mean(s.abs_err));
  put("crps", mean(s.crps));
  put("sharpness", std::sqrt(mean(s.variance)));
  put("width_95", 2 * coverage_quantiles()[2] * mean(s.sigma));
  for (std::size_t q = 0; q < kCoverageLevels.size(); ++q)
    put(("coverage_" + std::to_string(static_cast<int>(100 * kCoverageLevels[q] + 0.5))).c_str(),
        mean(s.inside[q]));
  if (w > 0 && s.degenerate > 0) {
    const std::string why = counted(static_cast<std::int64_t>(s.degenerate), "prediction") +
                            " of variance 0 (or an error beyond 1e17 standard deviations) " +
                            (s.degenerate == 1 ? "has" : "have") +
                            " no likelihood; --clip raises small variances";
    for (const char* key : {"nll", "nll_laplace", "zms"}) out[key] = Estimate::undefined(why);
    return;
  }
  put("nll", 0.5 * (kLog2Pi + mean(s.log_variance) + mean(s.z2)));
  // Scale b = sqrt(variance / 2): log(2 b) = (log 2 + log variance) / 2, |e| / b = sqrt(2) |z|.
  put("nll_laplace", 0.5 * (kLog2 + mean(s.log_variance)) + std::sqrt(2.0) * mean(s.abs_z));
  put("zms", mean(s.z2));
}

}  // namespace plumb
