// The reliability table: bins of p with order-free sums. One pass, exact merge; every binned metric is
// computed from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {

/// How [0, 1] is cut. Equal width: bin min(int(p * bins), bins - 1). Otherwise by thresholds: the bin of p
/// is the number of thresholds <= p (thresholds ascending and distinct, bins - 1 of them at most).
struct BinEdges {
  int bins = 15;
  bool equal_width = true;
  std::vector<double> thresholds;
  [[nodiscard]] int count() const { return equal_width ? bins : narrow<int>(thresholds.size()) + 1; }
  [[nodiscard]] int bin_of(double p) const {
    if (equal_width) return std::min(static_cast<int>(p * bins), bins - 1);
    std::size_t below = 0;  // a binary search without branches
    for (std::size_t rest = thresholds.size(); rest > 0;) {
      const std::size_t half = (rest + 1) / 2;
      below += thresholds[below + half - 1] <= p ? half : 0;
      rest -= half;
    }
    return narrow<int>(below);
  }
  [[nodiscard]] double low(int bin) const;
  [[nodiscard]] double high(int bin) const;
  friend bool operator==(const BinEdges&, const BinEdges&) = default;
};

/// One bin. p enters as the nearest multiple of 2^-50 (numeric/fixed_point.hpp); w is the weight of a vote
/// (times how often a resample drew the item), n the trials, h the hits of an item. The squares serve
/// debiasing by item (docs/metrics/calibration_errors.md).
struct Bin {
  std::uint64_t items = 0;  ///< of positive mass w n; an item drawn several times is one item of more weight
  std::uint64_t votes = 0;  ///< sum of n over those items; neither weights nor repeated draws multiply it
  ExactSum w;               ///< sum w n
  ExactSum wp;              ///< sum w n p
  ExactSum wy;              ///< sum w h
  ExactSum ww;              ///< sum (w n)^2
  ExactSum wwyy;            ///< sum (w h)^2
  void merge(const Bin& other);
  friend bool operator==(const Bin&, const Bin&) = default;
  // Means; the bin must not be empty.
  [[nodiscard]] double mean_p() const { return wp.value() / w.value(); }
  [[nodiscard]] double mean_y() const { return wy.value() / w.value(); }
  [[nodiscard]] double gap() const;  ///< mean_p - mean_y; the sums are subtracted before anything is rounded
};

struct ReliabilityTable {
  BinEdges edges;
  std::vector<Bin> bins;
  ReliabilityTable() = default;
  explicit ReliabilityTable(BinEdges c) : edges(std::move(c)), bins(edges.count()) {}
  void merge(const ReliabilityTable& other);  ///< throws std::invalid_argument when the bins differ
  [[nodiscard]] Bin total() const;
  friend bool operator==(const ReliabilityTable&, const ReliabilityTable&) = default;
};

namespace detail {

/// A bin of whole numbers. No field overflows while the mass of all its items together stays below 2^32.
struct alignas(64) IntegerBin {
  uint128 p = 0;                                     ///< sum m n q, p = q 2^-50
  std::uint64_t mass = 0, hits = 0;                  ///< sum m n, sum m h
  std::uint64_t mass_squared = 0, hits_squared = 0;  ///< sum (m n)^2, sum (m h)^2
  std::uint64_t items = 0, votes = 0;
};

/// The sum of q, and count and hits side by side: one 16-byte addition per forecast. Holds
/// kPairCapacity forecasts.
struct alignas(16) Pair {
  std::uint64_t sum = 0, counts = 0;
};

}  // namespace detail

/// Fills a table. Whole hits with unit weights (or whole `times`) take an integer path of a few cycles per
/// forecast; weights and real hits take ExactSum. All paths give the same sums where they overlap.
class TableBuilder {
 public:
  explicit TableBuilder(BinEdges edges);
  void update(const ForecastsView& f);
  [[nodiscard]] ReliabilityTable finish();  ///< flushes; the builder is then empty

 private:
  void update_binary(std::span<const double> p, std::span<const double> hits);  // one trial, weight one
  void update_drawn(const ForecastsView& f);                                    // one trial, whole times
  void update_integer(const ForecastsView& f);                                  // whole trials and times
  void update_weighted(const ForecastsView& f);                                 // anything
  void add_weighted(const ForecastsView& f, std::size_t i);
  void flush_pairs();
  void flush_drawn();
  void flush_integer();
  ReliabilityTable table_;
  std::vector<detail::IntegerBin> integer_;
  std::vector<detail::Pair> pair_;   // private tables: equal bins in a row need not wait for each other
  std::uint64_t pair_used_ = 0;      // forecasts a pair may have taken
  std::vector<detail::Pair> drawn_;  // by how often a forecast was drawn
  std::uint64_t drawn_used_ = 0;
  std::uint64_t integer_mass_ = 0;  // mass in integer_, at most 2^32 - 1
};

/// K tables at once from the rows of a block: each row of probabilities is visited once. Bins may differ by
/// class. With many classes nearly every probability lies in the lowest bin. So the integer sums of that
/// bin are not kept: they are what the other bins leave of the sums over all bins.
class ClasswiseBuilder {
 public:
  ClasswiseBuilder(int classes, const BinEdges& edges);
  explicit ClasswiseBuilder(std::vector<BinEdges> edges);
  /// `times` as in ForecastsView; empty: once each.
  void update(const ItemBlock& block, std::span<const std::uint32_t> times = {});
  [[nodiscard]] std::vector<ReliabilityTable> finish();

 private:
  struct RowBlock;
  void update_short(const RowBlock& rows);  // one vote per item, weight one, few bins in all
  void update_long(const RowBlock& rows);   // the same with many, each item once
  void add_integer(const RowBlock& rows, std::size_t i, std::uint64_t drawn);  // whole votes and times
  void add_weighted(const RowBlock& rows, std::size_t i);                      // anything
  void add_total(std::size_t k, uint128 p);
  void flush_short();
  void flush_long();
  void flush_integer();
  void make_tables();
  // Where the bin of z stands in integer_ and pair_.
  [[nodiscard]] std::size_t place(std::size_t k, double z) const;

  static constexpr std::size_t kGroup = 64;  // short rows that are taken together
  std::vector<BinEdges> edges_;
  int width_bins_ = 0;  // when all classes have so many bins of equal width, otherwise 0
  bool short_rows_ = false;
  std::vector<std::size_t> start_;       // of each class in integer_ and pair_; one more at the end
  std::vector<ReliabilityTable> table_;  // made when first needed
  std::vector<detail::IntegerBin> integer_;
  std::vector<detail::Pair> pair_;         // single votes; for short rows by how often they were drawn
  std::uint64_t pair_used_ = 0;            // rows in pair_ and dense_
  std::vector<std::uint64_t> dense_;       // long rows: sum of q over all bins, by class
  std::vector<std::uint64_t> high_, low_;  // sum m n q over all bins in two parts, by class
  detail::IntegerBin total_;               // mass, items, votes of all rows in integer_
  std::vector<double> beyond_;             // smallest z that is not in the lowest bin, by class
  std::vector<std::uint32_t> found_;       // scratch: classes of a row that lie beyond the lowest bin
  std::vector<std::int32_t> word_;         // scratch: where the table of each value of a group begins
  std::vector<double> both_;               // scratch: binary blocks with both classes written out
};

}  // namespace plumb
