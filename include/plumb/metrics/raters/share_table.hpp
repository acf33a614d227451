// Tables of observed shares: an event was forecast with probability p and a share mu of the votes (or of the
// pairs of votes) said that it happened. Items weigh one each times their weight, however many votes they
// have. One set of sums per bin serves the label-histogram losses (Mimori 2021, eq. 7 to 15, 34, 35) and
// those of disagreement (eq. 36 to 44).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// Order-free sums over the items of a bin. p, mu, p^2 - 2 p mu, mu^2 and g enter as multiples of 2^-50.
struct ShareBin {
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
  void merge(const ShareBin& other);
  [[nodiscard]] bool empty() const { return items == 0; }
  // Means; the bin must not be empty.
  [[nodiscard]] double mean_p() const { return wp.value() / w.value(); }
  [[nodiscard]] double mean_mu() const { return wmu.value() / w.value(); }
  [[nodiscard]] double gap() const;  ///< mean_p - mean_mu, rounded once
  friend bool operator==(const ShareBin&, const ShareBin&) = default;
};

/// State: the bins of one or more columns of forecasts. Items with one vote and items with two or more are
/// kept apart, because some losses exist for the latter only.
struct ShareTables {
  std::vector<BinEdges> edges;    ///< of each column
  std::vector<ShareBin> single;   ///< items with one vote, column after column; empty: there are none
  std::vector<ShareBin> several;  ///< items with two votes or more; empty: there are none
  std::uint64_t left_out = 0;     ///< items with too few votes, or of weight 0

  ShareTables() = default;
  explicit ShareTables(std::vector<BinEdges> c) : edges(std::move(c)) {}
  [[nodiscard]] std::size_t size() const;                     ///< number of bins of all columns
  [[nodiscard]] std::size_t first(std::size_t column) const;  ///< index of the column's first bin
  friend bool operator==(const ShareTables&, const ShareTables&) = default;
};
void merge(ShareTables& into,
           const ShareTables& from);  ///< throws std::invalid_argument when the bins differ

/// The items that count: all with votes, or those with two votes or more.
enum class Population { all, several };

/// Bin b of the column; may be empty.
[[nodiscard]] ShareBin share_bin(const ShareTables& t, Population who, std::size_t column, int b);
[[nodiscard]] std::uint64_t share_items(const ShareTables& t, Population who);
[[nodiscard]] double share_weight(const ShareTables& t, Population who);

/// Losses of a bin, of a column, or of all columns together.
struct ShareLosses {
  double lsq = 0;                // eq. 7, 39: mean of p^2 - 2 p mu + mu
  double cl_plugin = 0, cl = 0;  // eq. 12 and 13, 42 and 43
  double el_plugin = 0, el = 0;  // eq. 8 and 9; for items with two votes or more
  double il = 0;                 // irreducible: mean of mu - g; for items with two votes or more
  [[nodiscard]] double dl_plugin() const { return el_plugin - cl_plugin; }  ///< eq. 34
  [[nodiscard]] double dl() const { return el - cl; }                       ///< eq. 35
  [[nodiscard]] double rl() const { return lsq - cl; }
  ShareLosses& operator+=(const ShareLosses& other);
};

/// What a bin adds to the losses of a population of total weight `total`.
[[nodiscard]] ShareLosses bin_losses(const ShareBin& bin, double total);
/// Losses of each column; all 0 for an empty population.
[[nodiscard]] std::vector<ShareLosses> share_losses(const ShareTables& t, Population who);

/// sign(x) sqrt(|x|): debiased losses may fall below 0.
[[nodiscard]] double signed_root(double x);

}  // namespace plumb
