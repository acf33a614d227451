// What passes over the data can yield. A metric names the products that it is read off; a run computes the
// union of them, once for the data and once for every draw.
#pragma once

#include <initializer_list>

namespace plumb::detail {

enum class Product : unsigned {
  // Sums of bounded size, from a streaming pass.
  event_table,    ///< reliability table of the event
  class_tables,   ///< one for each class
  proper_scores,  ///< accuracy, log-loss, Brier score, errors against the truth
  event_log,      ///< log-loss of the event
  histogram,      ///< shares of votes against probabilities, by class
  disagreement,   ///< pairs of votes that differ, against their forecast
  agreement,      ///< of the raters among themselves
  // Columns, and what is computed from them as a whole.
  event_column,       ///< the event's forecasts, ascending
  confidence_column,  ///< those of the most probable class, ascending (several classes: the event's)
  kde,                ///< kernel errors of the event
  class_kde,          ///< kernel error of each class
  canonical,          ///< kernel error on the simplex
  smooth,             ///< smooth calibration error of the event
};

class ProductSet {
 public:
  constexpr ProductSet() = default;
  constexpr ProductSet(Product p) : bits_(1u << static_cast<unsigned>(p)) {}  // NOLINT: a product is a set
  constexpr ProductSet(std::initializer_list<Product> products) {
    for (const Product p : products) *this |= p;
  }
  [[nodiscard]] constexpr bool has(ProductSet all) const { return (bits_ & all.bits_) == all.bits_; }
  [[nodiscard]] constexpr bool any(ProductSet some) const { return (bits_ & some.bits_) != 0; }
  [[nodiscard]] constexpr ProductSet both(ProductSet other) const { return ProductSet(bits_ & other.bits_); }
  constexpr ProductSet& operator|=(ProductSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr ProductSet operator|(ProductSet a, ProductSet b) { return a |= b; }

 private:
  constexpr explicit ProductSet(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

inline constexpr ProductSet kStreamingProducts{
    Product::event_table, Product::class_tables, Product::proper_scores, Product::event_log,
    Product::histogram,   Product::disagreement, Product::agreement};

}  // namespace plumb::detail
