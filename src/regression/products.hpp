// What one pass over a regression yields under one draw: all that its metrics are computed from.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

#include "plumb/numeric/enum_set.hpp"
#include "plumb/regression/ordered.hpp"
#include "plumb/regression/sums.hpp"

namespace plumb::detail {

enum class RegressionProduct { sums, uce_bins, uce_mc_bins, uce_aleatoric_bins, sorted_variance, pit };
using RegressionProductSet = EnumSet<RegressionProduct>;

/// Bins that need the variance in its parts.
inline constexpr RegressionProductSet kNeedVarianceParts{RegressionProduct::uce_mc_bins,
                                                         RegressionProduct::uce_aleatoric_bins};
inline constexpr RegressionProductSet kSorted{RegressionProduct::sorted_variance, RegressionProduct::pit};

class RegressionProducts {
  using Product = RegressionProduct;

 public:
  /// `columns` may be null: then there are no sorted products. `times`: how often each item was
  /// drawn; empty: once.
  explicit RegressionProducts(RegressionSums sums, const OrderedRegression* columns = nullptr,
                              std::span<const std::uint32_t> times = {})
      : streamed_(std::move(sums)), total_(streamed_.total()), columns_(columns) {
    if (!streamed_.output.empty()) made_ |= Product::sums;
    if (!streamed_.uce.bins.empty()) made_ |= Product::uce_bins;
    if (!streamed_.uce_mc.bins.empty()) made_ |= Product::uce_mc_bins;
    if (!streamed_.uce_aleatoric.bins.empty()) made_ |= Product::uce_aleatoric_bins;
    if (columns == nullptr) return;
    made_ |= kSorted;
    weights_ = {columns->weight, times};
  }

  [[nodiscard]] RegressionProductSet made() const { return made_; }
  [[nodiscard]] const RegressionSums& streamed() const { return streamed_; }

  // Asking for a product that was not made is a logic error.
  [[nodiscard]] const OutputSums& sums() const { return need(Product::sums, total_); }  ///< of all outputs
  [[nodiscard]] const UncertaintyBins& bins(Product which) const {
    return need(which, which == Product::uce_mc_bins          ? streamed_.uce_mc
                       : which == Product::uce_aleatoric_bins ? streamed_.uce_aleatoric
                                                              : streamed_.uce);
  }
  [[nodiscard]] Estimate ence(int bins) const {
    return plumb::ence(*need(Product::sorted_variance, columns_), weights_, bins);
  }
  [[nodiscard]] const PitDistance& pit() const {
    if (!need(Product::pit, pit_)) pit_ = pit_distance(*columns_, weights_);
    return *pit_;
  }

 private:
  template <class T>
  const T& need(Product product, const T& it) const {
    if (!made_.has(product)) throw std::logic_error("a regression metric uses what its run does not name");
    return it;
  }

  RegressionSums streamed_;
  OutputSums total_;
  const OrderedRegression* columns_;
  ItemWeights weights_;
  mutable std::optional<PitDistance> pit_;  ///< two metrics read it: computed once
  RegressionProductSet made_;
};

}  // namespace plumb::detail
