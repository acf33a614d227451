// Maximum mean calibration error with a Laplacian kernel (Kumar et al. 2018; Liu 2022, eq. 28).
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/data/confidence.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

inline constexpr double kMmceWidth = 0.4;

/// sqrt of the mean over pairs of votes of (y_i - p_i)(y_j - p_j) exp(-|p_i - p_j| / width). `ascending`: p
/// in ascending order (ties in any order give the same bits). Linear after the sort.
[[nodiscard]] Estimate mmce(const ForecastsView& ascending, double width = kMmceWidth);
[[nodiscard]] Estimate mmce(const ConfidenceColumn& column, int threads = 0);

/// The same for draws of outcomes on one column of whole counts without weights: what depends on the
/// forecasts alone is kept, 8 bytes per forecast and 4 where some are equal. The bits are those of mmce().
class MmceDraws {
 public:
  explicit MmceDraws(const ForecastsView& ascending);  ///< its hits are not read
  /// `ascending` is the same column with other hits; other columns are handed to mmce().
  [[nodiscard]] Estimate operator()(const ForecastsView& ascending) const;

 private:
  std::vector<double> decay_, mass_;  ///< of each distinct p with votes; mass: empty where all are 1
  std::vector<std::uint32_t> first_;  ///< the row it begins at; empty where all p differ and have votes
  double total_ = 0;
  bool whole_ = false;
};

/// The weighted form used for training (Kumar et al. 2018, section 4): residuals of hits are divided by the
/// weight of all hits, those of misses by the weight of all misses, so that neither kind swamps the other.
[[nodiscard]] Estimate mmce_weighted(const ForecastsView& ascending, double width = kMmceWidth);

}  // namespace plumb
