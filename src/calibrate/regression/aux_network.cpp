#include "calibrate/regression/aux_network.hpp"

#include <algorithm>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr double kLimit = 200;  // of a log variance: keeps extreme steps of the search finite

struct Layers {
  std::span<const double> weight, bias, out_weight;
  double out_bias;
  Layers(std::span<const double> p, std::int64_t h)
      : weight(p.subspan(0, h)), bias(p.subspan(h, h)), out_weight(p.subspan(2 * h, h)), out_bias(p[3 * h]) {}
  [[nodiscard]] double operator()(double x) const {
    double f = out_bias;
    for (std::size_t h = 0; h < weight.size(); ++h)
      f += out_weight[h] * std::max(0.0, weight[h] * x + bias[h]);
    return std::clamp(f, -kLimit, kLimit);
  }
};

}  // namespace

void AuxNetwork::predict(std::span<const double> scaled, std::span<double> log_variance) const {
  const Layers net(parameters, hidden);
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const double seen = std::clamp(scaled[i], low, high);
    log_variance[i] = net(seen) + width * (scaled[i] - seen);
  }
}

AuxObjective::AuxObjective(std::vector<double> scaled, std::vector<double> err2, std::vector<double> weight,
                           std::int64_t hidden, int threads)
    : scaled_(std::move(scaled)),
      err2_(std::move(err2)),
      weight_(std::move(weight)),
      hidden_(hidden),
      threads_(threads) {
  if (weight_.empty()) total_ = scaled_.size();
  for (const double w : weight_) total_ += w;
}

double AuxObjective::value(std::span<const double> parameters) const { return value(parameters, {}); }

double AuxObjective::value(std::span<const double> parameters, std::span<double> gradient) const {
  constexpr std::int64_t kBlock = 4096;
  const Layers net(parameters, hidden_);
  const std::int64_t n = std::ssize(scaled_), blocks = (n + kBlock - 1) / kBlock;
  // One row of sums for each block, added up in order: any number of threads gives the same bits.
  const std::int64_t row = 1 + std::ssize(gradient);
  std::vector<double> sums(blocks * row);
  parallel_blocks(n, kBlock, threads_, [&](int, std::int64_t begin, std::int64_t end) {
    const std::int64_t count = end - begin;
    thread_local std::vector<double> f, decay;
    f.resize(count);
    decay.resize(count);
    for (std::int64_t i = 0; i < count; ++i) {
      f[i] = net(scaled_[begin + i]);
      decay[i] = -f[i];
    }
    exp_block(decay, decay);
    double* out = sums.data() + begin / kBlock * row;
    for (std::int64_t i = 0; i < count; ++i) {
      const double w = weight_.empty() ? 1.0 : weight_[begin + i], x = scaled_[begin + i];
      const double ratio = err2_[begin + i] * decay[i];
      out[0] += 0.5 * w * (f[i] + ratio);
      if (gradient.empty()) continue;
      const double slope = f[i] > -kLimit && f[i] < kLimit ? 0.5 * w * (1 - ratio) : 0.0;
      double* g = out + 1;
      for (std::int64_t h = 0; h < hidden_; ++h) {
        const double inside = net.weight[h] * x + net.bias[h];
        if (inside <= 0) continue;
        g[h] += slope * net.out_weight[h] * x;
        g[hidden_ + h] += slope * net.out_weight[h];
        g[2 * hidden_ + h] += slope * inside;
      }
      g[3 * hidden_] += slope;
    }
  });
  double value = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::int64_t b = 0; b < blocks; ++b) {
    value += sums[b * row];
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += sums[b * row + 1 + k];
  }
  for (double& g : gradient) g /= total_;
  return value / total_;
}

}  // namespace plumb::detail
