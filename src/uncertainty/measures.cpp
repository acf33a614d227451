#include "plumb/uncertainty/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

/// `count` numbers, `step` apart.
struct Axis {
  std::size_t count, step;
};

// sum_{s,t} (x_s . x_t)^2, where x_s are the vectors along `inner` at each place along `outer`.
double squared_norm(const std::vector<double>& x, Axis outer, Axis inner) {
  double sum = 0;
  for (std::size_t s = 0; s < outer.count; ++s)
    for (std::size_t t = 0; t <= s; ++t) {
      double dot = 0;
      for (std::size_t c = 0; c < inner.count; ++c)
        dot += x[s * outer.step + c * inner.step] * x[t * outer.step + c * inner.step];
      sum += (s == t ? 1 : 2) * dot * dot;
    }
  return sum;
}

}  // namespace

void entropy_rows(std::span<const double> z, int classes, std::span<double> out) {
  // 0 log 0 = 0: the smallest normal number stands for 0 inside the logarithm.
  constexpr double kLeast = std::numeric_limits<double>::min();
  constexpr std::size_t kChunk = 1024;
  const std::size_t k = classes;
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
  const std::size_t k = classes;
  const std::size_t count = samples.size();
  std::vector<double> centred(count * k);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t c = 0; c < k; ++c) centred[s * k + c] = samples[s][i * k + c] - mean[i * k + c];
    // S^2 ||C||_F^2: through the K x K covariance, or with more classes than samples through the S x S
    // inner products, which have the same sum of squares.
    const Axis by_sample{count, k}, by_class{k, 1};
    const double squared =
        k <= count ? squared_norm(centred, by_class, by_sample) : squared_norm(centred, by_sample, by_class);
    out[i] = std::sqrt(squared) / count;
  }
}

}  // namespace plumb
