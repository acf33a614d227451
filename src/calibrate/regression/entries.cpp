#include "calibrate/regression/entries.hpp"

#include <algorithm>
#include <limits>

#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

const Rows& source_of(const RegressionItems& items, Spread spread) {
  if (spread == Spread::total && !items.total.empty()) return items.total;
  if (!items.aleatoric.empty()) return items.aleatoric.front();
  return items.epistemic.empty() ? items.mean.front() : items.epistemic;
}

}  // namespace

void read_entries(const RegressionItems& items, std::int64_t begin, std::int64_t end,
                  const RegressionFitOptions& options, Spread spread, RegressionBlock& out) {
  read_regression(items, begin, end, out);
  std::vector<double>& variance = spread == Spread::total ? out.variance : out.aleatoric;
  const std::int64_t n = out.size;
  for (std::int64_t k = 0; k < std::ssize(variance); ++k) {
    variance[k] = std::max(variance[k], options.clip);
    // Below this the square of an error over the variance leaves the range of the sums.
    constexpr double kSmallest = 1e-300;
    if (variance[k] >= kSmallest || (!out.weight.empty() && out.weight[k % n] == 0)) continue;
    throw InputError(source_of(items, spread).where(begin + k % n) + ": the variance is " +
                     show(variance[k]) + ", which no factor can correct; raise small variances with ⟦clip⟧");
  }
}

Entries collect_entries(const RegressionItems& items, const RegressionFitOptions& options, Spread spread) {
  const std::int64_t n = items.size(), d = items.outputs();
  if (n * d > std::numeric_limits<std::uint32_t>::max())
    throw InputError("this method holds all predictions in memory and takes at most 4294967295 of them");
  Entries out;
  RegressionBlock b;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_entries(items, begin, std::min(items.size(), begin + block_rows(items)), options, spread, b);
    const std::int64_t rows = b.size;
    const std::vector<double>& variance = spread_of(b, spread);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (!b.weight.empty() && b.weight[i] == 0) continue;
      for (std::int64_t j = 0; j < d; ++j) {
        out.error.push_back(b.error[j * rows + i]);
        out.variance.push_back(variance[j * rows + i]);
        out.item.push_back(narrow<std::uint32_t>(begin + i));
        if (!b.weight.empty()) out.weight.push_back(b.weight[i]);
      }
    }
  }
  if (out.error.empty()) throw InputError("there is nothing to fit on: no item of positive weight");
  return out;
}

void note_counts(const RegressionItems& items, FitReport& report) {
  report.items = items.size();
  report.votes = items.size() * items.outputs();
}

}  // namespace plumb::detail
