// `plumb evaluate` of a regression as a function: items in, result out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "plumb/regression/column.hpp"
#include "plumb/regression/sums.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// The only place for defaults.
struct RegressionOptions {
  int bins = 15;
  std::vector<std::string> metrics = {};  ///< keys, or "all"; empty: all that apply
  /// of the bins of uce; absent: from the smallest to the largest variance
  std::optional<RegressionRange> range = {};
  int bootstrap = 0;  ///< replicates; 0: no intervals
  double level = 0.95;
  double tolerance = 1.1;  ///< the factor of the standard deviations, either way, that the verdict accepts
  std::uint64_t seed = 0;
  int threads = 0;  ///< 0: all cores; does not affect the results
  double clip = 0;  ///< raises variances below it; 0: a variance of 0 leaves some keys undefined
  std::function<void(double)> progress = {};  ///< called with the share done, from one thread at a time
  std::stop_token cancel = {};                ///< ends the work with Cancelled
};

struct RegressionState;

/// `state`, where it is not null, receives what regression_state (state.hpp) returns, without a further pass.
[[nodiscard]] Result evaluate_regression(const RegressionItems& items, const RegressionOptions& options,
                                         RegressionState* state = nullptr);

}  // namespace plumb
