// A weighted mean over items with its variance between units: items, or groups of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {

/// The ratio of two sums, value over weight.
class UnitRatio {
 public:
  explicit UnitRatio(std::size_t groups = 0) : groups_(groups) {}
  /// `unit`: the group; without groups each call is a unit. Items of weight 0 do not enter.
  void add(std::uint64_t unit, double value, double weight) {
    if (!(weight > 0)) return;
    value_.add(value);
    weight_.add(weight);
    ++items_;
    if (groups_.empty()) {
      for (const auto& [sum, term] : {std::pair(&vv_, value * value), std::pair(&vw_, value * weight),
                                      std::pair(&ww_, weight * weight)})
        sum->add(term);
      return;
    }
    Group& g = groups_[unit];
    g.value.add(value);
    g.weight.add(weight);
    units_ += g.items++ == 0 ? 1 : 0;
  }
  [[nodiscard]] std::int64_t items() const { return items_; }
  [[nodiscard]] std::int64_t units() const { return groups_.empty() ? items_ : units_; }
  [[nodiscard]] double ratio() const { return value_.value() / weight_.value(); }
  /// Of the ratio, linearised; absent for fewer than two units.
  [[nodiscard]] std::optional<double> variance() const {
    if (units() < 2) return std::nullopt;
    const double p = ratio(), n = static_cast<double>(units()), w = weight_.value();
    double squares = vv_.value() - 2 * p * vw_.value() + p * p * ww_.value();
    for (const Group& g : groups_) {
      const double residual = g.value.value() - p * g.weight.value();
      squares += residual * residual;
    }
    return std::max(0.0, squares) / (w * w) * n / (n - 1);
  }
  /// Half the length of the normal interval; of groups with Student's t. Absent as the variance is.
  [[nodiscard]] std::optional<double> half_length(double level) const {
    const std::optional<double> v = variance();
    if (!v) return std::nullopt;
    const double z = normal_quantile((1 + level) / 2);
    return z * std::sqrt(*v) * (groups_.empty() ? 1.0 : student_factor(z, static_cast<double>(units() - 1)));
  }

 private:
  struct Group {
    ExactSum value, weight;
    std::int64_t items = 0;
  };
  std::vector<Group> groups_;
  ExactSum value_, weight_, vv_, vw_, ww_;
  std::int64_t items_ = 0, units_ = 0;
};

}  // namespace plumb
