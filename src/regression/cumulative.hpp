// Running weights over a sorted column.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/regression/ordered.hpp"

namespace plumb::detail {

/// The weight so far: whole numbers are exact in double, others need an order-free sum (ties
/// come in any order).
class Cumulative {
 public:
  explicit Cumulative(bool weights_are_one) : weights_are_one_(weights_are_one) {}
  void add(double w) {
    if (weights_are_one_) {
      plain_ += w;
    } else {
      exact_.add(w);
    }
  }
  [[nodiscard]] double value() const { return weights_are_one_ ? plain_ : exact_.value(); }

 private:
  bool weights_are_one_;
  double plain_ = 0;
  ExactSum exact_;
};

[[nodiscard]] inline double total_weight(std::span<const std::uint32_t> items, const ItemWeights& weights) {
  Cumulative sum(weights.all_one());
  for (const std::uint32_t i : items)
    if (const double w = weights.weight_of(i); w != 0) sum.add(w);
  return sum.value();
}

}  // namespace plumb::detail
