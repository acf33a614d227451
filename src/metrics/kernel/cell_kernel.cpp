#include "metrics/kernel/cell_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/kernel/beta_point.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {
namespace {

constexpr double kWidestCell = 0.1;      // in units of sqrt(h): a fifth to 0.28 of the kernel's width
constexpr double kNegligibleCell = -40;  // in e-folds below the top
constexpr double kRootOfHalf = 0.70710678118654752440;

}  // namespace

CellKernel::CellKernel(double bandwidth) {
  const double n = 1.0 / bandwidth, widest = kWidestCell * std::sqrt(bandwidth);
  while ((kVoteCellsOfSide >> (level_ + 1)) > 0 &&
         kRootOfHalf / static_cast<double>(kVoteCellsOfSide >> (level_ + 1)) <= widest)
    ++level_;
  const std::size_t side = cells() / 2;
  std::vector<BetaPoint> middle(cells());
  for (std::size_t c = 0; c < side; ++c) {
    const double root = (c + 0.5) * kRootOfHalf / static_cast<double>(side);
    middle[c] = beta_point({root * root, false}, n);
    middle[cells() - 1 - c] = beta_point({root * root, true}, n);
  }
  for (std::size_t x = 0; x < side; ++x) {
    std::vector<double> below, above;
    for (std::size_t q = x; q-- > 0;) {
      const double k = log_ratio(middle[x], middle[q], n);
      if (k < kNegligibleCell) break;
      below.push_back(k);
    }
    for (std::size_t q = x + 1; q < cells(); ++q) {
      const double k = log_ratio(middle[x], middle[q], n);
      if (k < kNegligibleCell) break;
      above.push_back(k);
    }
    Row& row = row_.emplace_back(Row{x - below.size(), {below.rbegin(), below.rend()}});
    row.k.push_back(0.0);
    row.k.insert(row.k.end(), above.begin(), above.end());
    exp_block(row.k, row.k);
  }
}

std::vector<double> CellKernel::join(const std::vector<double>& by_cell) const {
  std::vector<double> out(cells());
  for (std::size_t c = 0; c < kVoteCells; ++c) out[joined(c)] += by_cell[c];
  return out;
}

CellKernel::Sums CellKernel::at(std::size_t target, const std::vector<double>& w,
                                const std::vector<double>& wy) const {
  const std::size_t last = cells() - 1;
  const bool mirror = target > last / 2;
  const Row& row = row_[mirror ? last - target : target];
  Sums s;
  for (std::size_t i = 0; i < row.k.size(); ++i) {
    const std::size_t q = mirror ? last - (row.first + i) : row.first + i;
    s.all += row.k[i] * w[q];
    s.hits += row.k[i] * wy[q];
  }
  return s;
}

}  // namespace plumb::detail
