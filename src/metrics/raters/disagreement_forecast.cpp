// The probability that two raters differ, from class probabilities, concentrations and samples (Mimori 2021,
// eq. 49-51).
#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/metrics/raters/disagreement.hpp"

namespace plumb {
namespace {

/// 1 - sum z^2 and 2 z (1 - z) of one row. Rows may sum to slightly more than 1: not below 0.
void forecast_row(const double* z, int classes, double factor, bool add, double* out) {
  const auto set_or_add = [add](double& to, double value) { to = add ? to + value : value; };
  if (classes == 2) return set_or_add(out[0], factor * (2 * z[0] * (1 - z[0])));
  double squares = 0;
  for (int k = 0; k < classes; ++k) {
    squares += z[k] * z[k];
    set_or_add(out[1 + k], factor * (2 * z[k] * (1 - z[k])));
  }
  set_or_add(out[0], factor * std::max(0.0, 1 - squares));
}

}  // namespace

void read_concentration(const Rows& rows, std::int64_t begin, std::int64_t end, std::vector<double>& out) {
  out.resize(end - begin);
  rows.read(begin, end, out);
  for (std::int64_t i = 0; i < std::ssize(out); ++i)
    if (!(out[i] > 0) || !std::isfinite(out[i]))
      throw InputError(rows.where(begin + i) + ": a concentration must be above 0, not " + show(out[i]) +
                       "; give alpha_0 itself, not its logarithm");
}

void add_sample_forecast(const PredictionBlock& z, int classes, std::span<const double> concentration,
                         int sample, int samples, DisagreementForecast& out) {
  out.columns = classes == 2 ? 1 : classes + 1;
  out.p.resize(z.size * out.columns);
  for (std::int64_t i = 0; i < z.size; ++i) {
    const double factor = concentration.empty() ? 1 : concentration[i] / (concentration[i] + 1);
    forecast_row(z.z.data() + i * z.width, classes, factor, sample > 0, out.p.data() + i * out.columns);
  }
  if (samples > 1 && sample == samples - 1)
    for (double& p : out.p) p /= samples;
}

void forecast_disagreement(const PredictionBlock& z, int classes, std::span<const double> concentration,
                           DisagreementForecast& out) {
  add_sample_forecast(z, classes, concentration, 0, 1, out);
}

void forecast_disagreement(const Predictions& predictions, std::span<const Rows> concentration,
                           const ItemBlock& block, DisagreementForecast& out) {
  thread_local std::vector<double> alpha;
  thread_local PredictionBlock one;
  const int samples = predictions.samples();
  const std::int64_t end = block.begin + block.size;
  if (concentration.size() > 1 && std::ssize(concentration) != samples)
    throw InputError(counted(std::ssize(concentration), "column") + " of concentrations for " +
                     counted(samples, "sample") + " of predictions: give one, or one for each sample");
  for (int s = 0; s < samples; ++s) {
    alpha.clear();
    if (concentration.size() == 1) read_concentration(concentration[0], block.begin, end, alpha);
    if (concentration.size() > 1) read_concentration(concentration[s], block.begin, end, alpha);
    if (samples > 1) predictions.read_sample(s, block.begin, end, one);
    add_sample_forecast(samples > 1 ? one : block.z, block.classes, alpha, s, samples, out);
  }
}

}  // namespace plumb
