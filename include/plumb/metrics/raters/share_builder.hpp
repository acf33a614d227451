// From blocks of items to tables of shares: project once, add as often as there are replicates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/metrics/raters/share_table.hpp"

namespace plumb {

/// p and p^2 in units of 2^-50.
struct FixedForecast {
  std::int64_t p, pp;
};
/// A share above 0 in some column: mu, mu^2, g and 2 p mu in units of 2^-50.
struct FixedShare {
  std::int64_t mu, mm, g, twice_pmu;
};

/// A block of items, projected. Every item has a forecast in each column, but a share above 0 in few: those
/// are listed.
struct ShareTerms {
  std::int64_t size = 0;
  std::size_t columns = 0;
  std::vector<std::uint32_t> bin;       ///< size x columns: index among all bins of all columns
  std::vector<FixedForecast> forecast;  ///< size x columns
  std::vector<std::uint32_t> offset;    ///< size + 1: item i has the shares offset[i] .. offset[i + 1]
  std::vector<std::uint32_t> column;    ///< of each share; entries from offset[size] on are spare room
  std::vector<FixedShare> share;
  std::vector<std::uint32_t> votes;  ///< n of each item; 0: left out
  std::vector<double> weight;        ///< empty: one each
};

/// Fills ShareTables. Unit weights and whole `times` add integers, a few cycles per forecast; weights take
/// ExactSum. All paths give the same sums where they overlap.
class ShareBuilder {
 public:
  explicit ShareBuilder(std::vector<BinEdges> edges);
  /// times: how often a resample drew each item, at most 2^24; empty: once each.
  void update(const ShareTerms& t, std::span<const std::uint32_t> times = {});
  [[nodiscard]] ShareTables finish();  ///< flushes; the builder is then empty

 private:
  // A bin of items that count once: one cache line, flushed before it can overflow.
  struct alignas(64) Unit {
    std::uint64_t items = 0, votes = 0;
    std::int64_t p = 0, sq = 0, mu = 0, mm = 0, g = 0;
    [[nodiscard]] int128 w() const { return items; }
    [[nodiscard]] int128 ww() const { return items; }
    [[nodiscard]] int128 wwmm() const { return mm; }
  };
  struct Drawn {  // a bin of items that count a whole number of times
    std::uint64_t items = 0, votes = 0, t = 0;
    uint128 tt = 0;
    int128 p = 0, sq = 0, mu = 0, mm = 0, g = 0, ttmm = 0;  // sums of t p, ...
    [[nodiscard]] int128 w() const { return t; }
    [[nodiscard]] int128 ww() const { return tt; }
    [[nodiscard]] int128 wwmm() const { return ttmm; }
  };
  void update_unit(const ShareTerms& t);
  void add_drawn(const ShareTerms& t, std::int64_t at, std::uint32_t drawn);
  void add_weighted(const ShareTerms& t, std::int64_t at, double w);
  void flush();
  ShareTables table_;
  std::vector<Unit> unit_single_, unit_several_;
  std::vector<Drawn> drawn_single_, drawn_several_;
  std::int64_t unit_pending_ = 0, drawn_pending_ = 0;
};

/// Fills size, columns, bin and forecast from p: one row of bins.size() probabilities per item.
void set_forecasts(std::span<const double> p, std::span<const BinEdges> edges, ShareTerms& t);

}  // namespace plumb
