// The score of an uninformative measure: the expected odds ratio with the measure permuted. On finite data
// it is well above 1 (1.6 for 10,000 items in 100 bins at accuracy .95), because each bin's accuracy is off
// by chance.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plumb/numeric/random.hpp"
#include "plumb/uncertainty/bins.hpp"

namespace plumb {

/// A draw from the hypergeometric distribution: marked ones among `drawn` of `total` of which
/// `marked` are marked.
[[nodiscard]] std::int64_t draw_hypergeometric(std::int64_t total, std::int64_t marked, std::int64_t drawn,
                                               double uniform);

/// Single votes of weight one: a permutation only deals the wrong answers out to bins of known sizes, which
/// needs one draw per bin, not one per item. Bins keep their sizes.
void deal_outcomes(std::vector<UncertaintyBin>& bins, RandomStream& random);

/// Any votes and weights: a column with the measure in place and the items' outcomes (hits, trials, weight,
/// unit) in random order. Buffers are kept between calls.
class PermutedColumn {
 public:
  void permute(const ForecastsView& confidence, std::span<const std::uint32_t> unit, RandomStream& random);
  [[nodiscard]] ForecastsView view() const { return view_; }
  [[nodiscard]] std::span<const std::uint32_t> unit() const { return unit_; }

 private:
  std::vector<std::uint32_t> order_, unit_;
  std::vector<double> hits_, trials_, weight_;
  ForecastsView view_;
};

}  // namespace plumb
