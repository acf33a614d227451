#include "metrics/kernel/bin_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/kernel/beta_point.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {
namespace {

constexpr double kWidestBin = 0.1;      // in units of sqrt(h): a fifth to 0.28 of the kernel's width
constexpr double kNegligibleBin = -40;  // in e-folds below the top
constexpr double kRootOfHalf = 0.70710678118654752440;

}  // namespace

BinKernel::BinKernel(double bandwidth) {
  const double n = 1.0 / bandwidth, widest = kWidestBin * std::sqrt(bandwidth);
  while ((kVoteBinsPerSide >> (level_ + 1)) > 0 &&
         kRootOfHalf / static_cast<double>(kVoteBinsPerSide >> (level_ + 1)) <= widest)
    ++level_;
  const std::size_t side = bins() / 2;
  std::vector<BetaPoint> middle(bins());
  for (std::size_t c = 0; c < side; ++c) {
    const double root = (c + 0.5) * kRootOfHalf / static_cast<double>(side);
    middle[c] = beta_point({root * root, false}, n);
    middle[bins() - 1 - c] = beta_point({root * root, true}, n);
  }
  for (std::size_t x = 0; x < side; ++x) {
    std::vector<double> below, above;
    for (std::size_t q = x; q-- > 0;) {
      const double k = log_ratio(middle[x], middle[q], n);
      if (k < kNegligibleBin) break;
      below.push_back(k);
    }
    for (std::size_t q = x + 1; q < bins(); ++q) {
      const double k = log_ratio(middle[x], middle[q], n);
      if (k < kNegligibleBin) break;
      above.push_back(k);
    }
    Row& row = row_.emplace_back(Row{x - below.size(), {below.rbegin(), below.rend()}});
    row.k.push_back(0.0);
    row.k.insert(row.k.end(), above.begin(), above.end());
    exp_block(row.k, row.k);
  }
}

std::vector<double> BinKernel::join(const std::vector<double>& by_bin,
                                    std::span<const std::size_t> used) const {
  std::vector<double> out(bins());
  for (const std::size_t c : used) out[joined(c)] += by_bin[c];
  return out;
}

BinKernel::Sums BinKernel::at(std::size_t target, const std::vector<double>& w,
                              const std::vector<double>& wy) const {
  const std::size_t last = bins() - 1;
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
