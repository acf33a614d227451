#include "plumb/metrics/kernel/skce.hpp"

#include <algorithm>
#include <array>

#include "plumb/numeric/exact_block.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

/// Over items: of the weight of their votes, of its square, and of the square of their residuals.
struct ItemSums {
  ExactSum weight, weight_squared, residual_squared;

  ItemSums(const ForecastsView& f, SkceRows rows) {
    for (std::size_t begin = 0; begin < f.size(); begin += kRowsAtOnce) {
      const std::size_t count = std::min(kRowsAtOnce, f.size() - begin);
      for (std::size_t i = 0; i < count; ++i) add(f, begin + i, i, rows);
      add_block(weight, std::span<const double>(mass_).first(count));
      add_block(weight_squared, std::span<const double>(mass_squared_).first(count));
      add_block(residual_squared, std::span<const double>(squared_).first(count));
    }
  }

 private:
  void add(const ForecastsView& f, std::size_t row, std::size_t i, SkceRows rows) {
    const double p = f.p[row], n = f.trials_of(row), h = f.hits[row], w = f.weight_of(row);
    mass_[i] = w * n;
    if (rows == SkceRows::votes) {
      mass_squared_[i] = w * w * n;
      squared_[i] = w * w * (h * (1 - p) * (1 - p) + (n - h) * p * p);
    } else {
      const double e = w * (h - n * p);
      mass_squared_[i] = mass_[i] * mass_[i];
      squared_[i] = e * e;
    }
  }
  static constexpr std::size_t kRowsAtOnce = 256;
  std::array<double, kRowsAtOnce> mass_{}, mass_squared_{}, squared_{};
};

}  // namespace

Estimate skce(const Estimate& mmce, const ForecastsView& f, SkceRows rows) {
  if (!mmce) return mmce;
  const ItemSums sums(f, rows);
  const double w = sums.weight.value(), pairs = w * w - sums.weight_squared.value();
  constexpr double kRounding = 1e-14;
  if (!(pairs > kRounding * w * w)) return Estimate::undefined("it compares items, and only one has votes");
  // mmce^2 is the sum over all pairs, those of an item with itself among them, over w^2.
  const double root = *mmce.value * w;
  return std::clamp((root * root - sums.residual_squared.value()) / pairs, -1.0, 1.0);
}

Estimate skce(const ForecastsView& ascending, SkceRows rows) {
  return skce(mmce(ascending), ascending, rows);
}

}  // namespace plumb
