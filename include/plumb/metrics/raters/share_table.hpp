// Tables of observed shares: an event was forecast with probability p and a share mu of the votes (or of the
// pairs of votes) said that it happened. Items weigh one each times their weight, however many votes they
// have. One set of sums per cell serves the label-histogram losses (Mimori 2021, eq. 7 to 15, 34, 35) and the
// losses of disagreement (eq. 36 to 44).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// Order-free sums over the items of a cell. p, mu, p^2 - 2 p mu, mu^2 and g enter as multiples of 2^-50.
struct ShareCell {
  std::uint64_t items = 0;  ///< of positive weight
  std::uint64_t votes = 0;  ///< sum of n over those items
  ExactSum w;               ///< sum w
  ExactSum wp;              ///< sum w p
  ExactSum wmu;             ///< sum w mu
  ExactSum wsq;             ///< sum w (p^2 - 2 p mu)
  ExactSum wmm;             ///< sum w mu^2
  ExactSum wg;    ///< sum w g, g = y (y - 1) / (n (n - 1)): the unbiased estimate of the squared share
  ExactSum ww;    ///< sum w^2
  ExactSum wwmm;  ///< sum w^2 mu^2
  void merge(const ShareCell& other);
  [[nodiscard]] bool empty() const { return items == 0; }
  friend bool operator==(const ShareCell&, const ShareCell&) = default;
};

/// State: the cells of one or more columns of forecasts. Items with one vote and items with two or more are
/// kept apart, because some losses exist for the latter only.
struct ShareTables {
  std::vector<Cells> cells;        ///< of each column
  std::vector<ShareCell> single;   ///< items with one vote, column after column; empty: there are none
  std::vector<ShareCell> several;  ///< items with two votes or more; empty: there are none
  std::uint64_t left_out = 0;      ///< items with too few votes, or of weight 0

  ShareTables() = default;
  explicit ShareTables(std::vector<Cells> c) : cells(std::move(c)) {}
  [[nodiscard]] std::size_t size() const;                     ///< number of cells of all columns
  [[nodiscard]] std::size_t first(std::size_t column) const;  ///< index of the column's first cell
  friend bool operator==(const ShareTables&, const ShareTables&) = default;
};
void merge(ShareTables& into,
           const ShareTables& from);  ///< throws std::invalid_argument when the cells differ

/// A block of items projected once and added as often as there are replicates. Every item has a forecast in
/// each column, but a share above 0 in few of them: those are listed.
struct ShareTerms {
  std::int64_t size = 0;
  std::size_t columns = 0;
  std::vector<std::uint32_t> cell;           ///< size x columns: index into ShareTables::single or several
  std::vector<std::int64_t> p, pp;           ///< size x columns: p and p^2 in units of 2^-50
  std::vector<std::uint32_t> offset;         ///< size + 1: item i has the shares offset[i] .. offset[i + 1]
  std::vector<std::uint32_t> column;         ///< of each share above 0
  std::vector<std::int64_t> mu, mm, g, pmu;  ///< mu, mu^2, g and p mu in units of 2^-50
  std::vector<std::uint32_t> votes;          ///< n of each item; 0: the item is left out
  std::vector<double> weight;                ///< empty: one each
  void clear(std::int64_t items, std::size_t width);
};

/// Fills ShareTables. Unit weights and whole `times` add integers; weights take ExactSum. Both give the same
/// sums where they overlap.
class ShareBuilder {
 public:
  explicit ShareBuilder(std::vector<Cells> cells);
  /// times: how often a resample drew each item, at most 2^24; empty: once each.
  void update(const ShareTerms& t, std::span<const std::uint32_t> times = {});
  [[nodiscard]] ShareTables finish();  ///< flushes; the builder is then empty

 private:
  struct Narrow {  // integer sums of a cell, in units of 2^-50, flushed before they can overflow
    int128 p = 0, sq = 0, mu = 0, mm = 0, g = 0, ttmm = 0;
    std::uint64_t items = 0, times = 0, squares = 0, votes = 0;
  };
  template <bool kTimes>
  void update_whole(const ShareTerms& t, std::span<const std::uint32_t> times);
  void update_weighted(const ShareTerms& t, std::span<const std::uint32_t> times);
  void flush();
  ShareTables table_;
  std::vector<Narrow> single_, several_;
  std::int64_t pending_ = 0;
};

/// The sign-flip null of the plug-in calibration loss: each item's residual mu - p, in all columns together,
/// gets the sign of its unit. Only sum w and sum w sign (mu - p) of each cell are kept.
class ShareNull {
 public:
  explicit ShareNull(std::vector<Cells> cells);
  void update(const ShareTerms& t, std::span<const std::int8_t> signs);
  void merge(const ShareNull& other);
  /// Plug-in calibration loss of each column (items with one vote and with several together); 0 without
  /// items.
  [[nodiscard]] std::vector<double> cl_plugin() const;

 private:
  std::vector<Cells> cells_;
  std::vector<int128> residual_;  // unit weights, units of 2^-50
  std::vector<std::uint64_t> items_;
  std::vector<ExactSum> w_, wr_;  // weighted; empty until needed
};

/// Losses of one column, or their sum over columns, over a population of items of total weight W.
struct ShareLosses {
  double lsq = 0;                ///< eq. 7, 39: mean of p^2 - 2 p mu + mu
  double cl_plugin = 0, cl = 0;  ///< eq. 12 and 13, 42 and 43
  double el_plugin = 0, el = 0;  ///< eq. 8 and 9; items with two votes or more only
  double il = 0;                 ///< irreducible loss: mean of mu - g; items with two votes or more only
  std::int64_t lonely = 0;       ///< cells with a single item: they give 0 to cl
  [[nodiscard]] double dl_plugin() const { return el_plugin - cl_plugin; }  ///< eq. 34
  [[nodiscard]] double dl() const { return el - cl; }                       ///< eq. 35
};
void add(ShareLosses& into, const ShareLosses& from);

/// Who counts: every item with votes, or those with two votes or more.
enum class Population { all, several };

/// One cell (b counts within the column) of the population; an empty cell when there is none.
[[nodiscard]] ShareCell share_cell(const ShareTables& t, Population who, std::size_t column, int b);
/// What the cell adds to the losses of a population of total weight W.
[[nodiscard]] ShareLosses cell_losses(const ShareCell& cell, double total_weight);
/// Losses of each column; empty when the population is.
[[nodiscard]] std::vector<ShareLosses> share_losses(const ShareTables& t, Population who);
[[nodiscard]] std::uint64_t share_items(const ShareTables& t, Population who);
[[nodiscard]] double share_weight(const ShareTables& t, Population who);

/// sign(x) sqrt(|x|): debiased losses may fall below 0.
[[nodiscard]] double signed_root(double x);

}  // namespace plumb
