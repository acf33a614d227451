// The reliability table: cells of p with order-free sums. One pass, exact merge; every binned metric is read off it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// How [0, 1] is cut. Equal width: cell min(int(p * bins), bins - 1). Otherwise by thresholds: the cell of p is the number
/// of thresholds <= p (thresholds ascending and distinct, bins - 1 of them at most).
struct Cells {
  int bins = 15;
  bool equal_width = true;
  std::vector<double> thresholds;
  [[nodiscard]] int count() const { return equal_width ? bins : static_cast<int>(thresholds.size()) + 1; }
  [[nodiscard]] int of(double p) const;
  [[nodiscard]] double low(int cell) const;
  [[nodiscard]] double high(int cell) const;
  friend bool operator==(const Cells&, const Cells&) = default;
};

/// One cell. p enters as the nearest multiple of 2^-50 (numeric/fixed_point.hpp); w is the weight of a vote, n the trials,
/// h the hits of an item. The squares serve debiasing by item (contract, sections 3 and 4).
struct Cell {
  std::uint64_t items = 0;  ///< of positive mass w n
  std::uint64_t votes = 0;  ///< sum of n over those items
  ExactSum w;               ///< sum w n
  ExactSum wp;              ///< sum w n p
  ExactSum wy;              ///< sum w h
  ExactSum ww;              ///< sum (w n)^2
  ExactSum wwyy;            ///< sum (w h)^2
  void merge(const Cell& other);
  friend bool operator==(const Cell&, const Cell&) = default;
  // Means; the cell must not be empty.
  [[nodiscard]] double mean_p() const { return wp.value() / w.value(); }
  [[nodiscard]] double mean_y() const { return wy.value() / w.value(); }
};

struct ReliabilityTable {
  Cells cells;
  std::vector<Cell> cell;
  ReliabilityTable() = default;
  explicit ReliabilityTable(Cells c) : cells(std::move(c)), cell(static_cast<std::size_t>(cells.count())) {}
  void merge(const ReliabilityTable& other);  ///< throws std::invalid_argument when the cells differ
  [[nodiscard]] Cell total() const;
  friend bool operator==(const ReliabilityTable&, const ReliabilityTable&) = default;
};

/// Fills a table. Whole hits with unit weights (or whole `times`) take an integer path of a few cycles a forecast; weights
/// and real hits take ExactSum. All paths give the same sums where they overlap.
class TableBuilder {
 public:
  explicit TableBuilder(Cells cells);
  void update(const ForecastsView& f);
  [[nodiscard]] ReliabilityTable finish();  ///< flushes; the builder is then empty

 private:
  struct Narrow;  // integer accumulators of a cell, flushed before they can overflow
  void flush();
  void update_binary(const ForecastsView& f);   // one trial, weight one: one 16-byte add a forecast
  void update_whole(const ForecastsView& f);    // whole trials and times
  void update_weighted(const ForecastsView& f);
  ReliabilityTable table_;
  std::vector<std::uint64_t> narrow_;
  std::int64_t pending_ = 0;
  std::vector<std::int32_t> index_;  // scratch: cell of each forecast of a block
  std::vector<std::int64_t> fixed_;  // scratch: p in units of 2^-50
};

/// K tables at once from the rows of a block: each row of probabilities is visited once. Cells may differ by class.
class ClasswiseBuilder {
 public:
  ClasswiseBuilder(int classes, const Cells& cells);
  explicit ClasswiseBuilder(std::vector<Cells> cells);
  /// `times` as in ForecastsView; empty: once each.
  void update(const ItemBlock& block, std::span<const std::uint32_t> times = {});
  /// The sign-flip null: hits_k = n z_k + sign (h_k - n z_k), dense in k.
  void update_flipped(const ItemBlock& block, std::span<const std::int8_t> signs);
  [[nodiscard]] std::vector<ReliabilityTable> finish();

 private:
  void flush();
  std::vector<ReliabilityTable> table_;
  std::vector<std::uint64_t> narrow_;
  std::int64_t pending_ = 0;
};

/// One parallel pass over a column.
[[nodiscard]] ReliabilityTable reliability_table(const ForecastsView& f, const Cells& cells, int threads);
/// One parallel streaming pass over items: nothing of size N is held.
[[nodiscard]] ReliabilityTable reliability_table(const Items& items, Event event, const Cells& cells, int threads);
[[nodiscard]] std::vector<ReliabilityTable> classwise_tables(const Items& items, const Cells& cells, int threads);

}  // namespace plumb
