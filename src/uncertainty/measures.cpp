#include "plumb/uncertainty/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

// sum_{s,t} ((p_s - m).(p_t - m))^2 = S^2 ||C||_F^2: S x S inner products, for more classes than samples.
double squared_norm_by_samples(const std::vector<double>& centred, std::size_t samples, std::size_t k) {
  double sum = 0;
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t t = 0; t <= s; ++t) {
      double dot = 0;
      for (std::size_t c = 0; c < k; ++c) dot += centred[s * k + c] * centred[t * k + c];
      sum += (s == t ? 1 : 2) * dot * dot;
    }
  return sum;
}

// The same through the K x K covariance.
double squared_norm_by_classes(const std::vector<double>& centred, std::size_t samples, std::size_t k) {
  double sum = 0;
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t d = 0; d <= c; ++d) {
      double dot = 0;
      for (std::size_t s = 0; s < samples; ++s) dot += centred[s * k + c] * centred[s * k + d];
      sum += (c == d ? 1 : 2) * dot * dot;
    }
  return sum;
}

}  // namespace

void entropy_rows(std::span<const double> z, int classes, std::span<double> out) {
  // 0 log 0 = 0: the smallest normal number stands for 0 inside the logarithm.
  constexpr double kLeast = std::numeric_limits<double>::min();
  constexpr std::size_t kChunk = 1024;
  const auto k = static_cast<std::size_t>(classes);
  std::vector<double> logs(std::max(k, kChunk / k * k));
  const std::size_t step = logs.size() / k;  // rows at a time
  for (std::size_t first = 0; first < out.size(); first += step) {
    const std::size_t rows = std::min(step, out.size() - first);
    const std::span<const double> part = z.subspan(first * k, rows * k);
    const std::span<double> log = std::span(logs).first(rows * k);
    for (std::size_t i = 0; i < part.size(); ++i) log[i] = std::max(part[i], kLeast);
    log_block(log, log);
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) sum -= part[r * k + c] * log[r * k + c];
      out[first + r] = std::max(sum, 0.0);
    }
  }
}

void variance_rows(std::span<const std::vector<double>> samples, std::span<const double> mean, int classes,
                   std::span<double> out) {
  const auto k = static_cast<std::size_t>(classes);
  const std::size_t count = samples.size();
  std::vector<double> centred(count * k);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t c = 0; c < k; ++c) centred[s * k + c] = samples[s][i * k + c] - mean[i * k + c];
    const double squared =
        k <= count ? squared_norm_by_classes(centred, count, k) : squared_norm_by_samples(centred, count, k);
    out[i] = std::sqrt(squared) / static_cast<double>(count);
  }
}

}  // namespace plumb
