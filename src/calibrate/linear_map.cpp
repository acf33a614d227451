#include "calibrate/linear_fit.hpp"

#include <algorithm>

#include "calibrate/kernels.hpp"

namespace plumb::detail {
namespace {

class Linear final : public CalibrationMap {
 public:
  explicit Linear(LinearMap map) : map_(std::move(map)), k_(map_.b.size()), stride_(padded(k_)) {
    full_ = std::ssize(map_.w) != k_;
    if (!full_) return;
    transposed_.assign(k_ * stride_, 0.0);
    for (std::int64_t k = 0; k < k_; ++k)
      for (std::int64_t j = 0; j < k_; ++j) transposed_[j * stride_ + k] = map_.w[k * k_ + j];
  }

  void apply(std::span<const double> in, int width, std::span<double> z) const override {
    if (width == 1) return apply_odds(in, z);
    if (map_.temperature > 0) {
      log_probabilities(in, width, map_.temperature, z);
      in = z;
    }
    transform(in, z);
    probabilities_of(z, width, z);
  }

 private:
  // Two classes: the log-odds come apart into two log-probabilities and are put together again.
  void apply_odds(std::span<const double> in, std::span<double> z) const {
    std::vector<double> pairs(2 * in.size());
    log_probability_pairs(in, map_.temperature > 0 ? map_.temperature : 1.0, pairs);
    transform(pairs, pairs);
    for (std::int64_t i = 0; i < std::ssize(z); ++i) z[i] = pairs[2 * i + 1] - pairs[2 * i];
    probabilities_of(z, 1, z);
  }

  void transform(std::span<const double> in, std::span<double> out) const {
    if (!full_) {
      for (std::int64_t i = 0; i < std::ssize(in); i += k_)
        for (std::int64_t k = 0; k < k_; ++k) out[i + k] = map_.w[k] * in[i + k] + map_.b[k];
      return;
    }
    constexpr std::int64_t kRows = 32;
    std::vector<double> rows(kRows * stride_);
    for (std::int64_t at = 0; at < std::ssize(in); at += kRows * k_) {
      const std::int64_t n = std::min(kRows, (std::ssize(in) - at) / k_);
      for (std::int64_t i = 0; i < n; ++i) std::copy_n(map_.b.begin(), k_, rows.begin() + i * stride_);
      add_product(in.data() + at, k_, 1, n, k_, transposed_.data(), stride_, rows.data());
      for (std::int64_t i = 0; i < n; ++i)
        std::copy_n(rows.begin() + i * stride_, k_, out.begin() + at + i * k_);
    }
  }

  LinearMap map_;
  std::int64_t k_, stride_;
  bool full_ = false;
  std::vector<double> transposed_;
};

}  // namespace

MapPtr make_linear_map(LinearMap map) { return std::make_unique<Linear>(std::move(map)); }

}  // namespace plumb::detail
