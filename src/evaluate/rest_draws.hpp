// Metrics of a slice and of all other items, in the data and in bootstrap draws. Sums of the others are those
// of all items less those of the slice, so a draw visits each item once for each way to slice, however many
// slices there are.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb::detail {

/// The metrics whose sums add up. `gap`: frequency of the event minus mean forecast, with its sign.
inline constexpr std::array<std::string_view, 7> kRestKeys{"accuracy", "agreement", "nll",  "brier",
                                                           "oe_ratio", "gap",       "auroc"};
using RestValues = std::array<double, kRestKeys.size()>;  ///< NaN: undefined

/// Weighted sums over items. Pairs of a hit and a miss count where the hit has the larger forecast, ties
/// half: both in the slice; the hit in the slice; the miss in the slice.
struct SliceSums {
  double items = 0, correct = 0, votes = 0, agree = 0, nll = 0, brier = 0, hits = 0, expected = 0;
  double both = 0, hit_inside = 0, miss_inside = 0;
};
[[nodiscard]] RestValues rest_values(const SliceSums& sums);
/// Of all items but those of the slice.
[[nodiscard]] SliceSums rest_of(const SliceSums& all, const SliceSums& slice);

/// By way to slice and slice (code of the names).
using WaySums = std::vector<std::vector<SliceSums>>;
struct RestSums {
  SliceSums all;
  WaySums slices;
};

class RestDraws {
 public:
  /// O(N log N) time; 64 bytes per item and 4 per item and way to slice. The arguments must outlive it.
  RestDraws(const Items& items, std::span<const Names> ways, const EvaluateOptions& options);
  [[nodiscard]] RestSums observed() const;
  /// Poisson(1) counts of replicate r, those that every other interval is made from. Buffers are the
  /// caller's, one set for each thread.
  struct Buffers {
    std::vector<std::uint32_t> times, drawn;
  };
  [[nodiscard]] RestSums draw(std::uint32_t replicate, Buffers& buffers) const;

  /// The counts of that replicate by row of the data.
  void counts(std::uint32_t replicate, Buffers& buffers, std::span<std::uint32_t> by_row) const;

 private:
  struct Row {  // of one item, times its weight
    double items, correct, votes, agree, nll, brier, hits, expected;
  };
  struct Running;
  [[nodiscard]] std::vector<SliceSums> pass(std::span<const std::uint32_t> code, std::size_t slices,
                                            double all_hits, std::span<const std::uint32_t> times) const;
  [[nodiscard]] RestSums sums(std::span<const std::uint32_t> times) const;

  std::uint64_t seed_;
  std::vector<Row> rows_;                         // in ascending order of the event's forecast
  std::vector<std::uint8_t> new_p_;               // where the forecast differs from the one before
  std::vector<std::uint32_t> order_;              // the item at each place
  std::vector<std::vector<std::uint32_t>> code_;  // by way, in that order
  std::vector<std::size_t> slices_;               // by way
  std::vector<std::uint64_t> unit_;               // by item; with groups by code of the group
  const Names* groups_ = nullptr;
};

}  // namespace plumb::detail
