#include "plumb/metrics/ordered/empirical.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kResidualsAtOnce = 1024;

struct Ascending {
  std::vector<double> p, y;
  std::vector<std::uint32_t> order;
};

Ascending ascending(std::span<const double> p, std::span<const double> y, int threads) {
  if (p.size() != y.size())
    throw InputError("there are " + counted(std::ssize(p), "forecast") + " and " +
                     counted(std::ssize(y), "outcome") + "; give one outcome each");
  SortedColumn sorted = sort_column(p, threads);
  Ascending out{std::move(sorted.values), std::vector<double>(y.size()), std::move(sorted.order)};
  for (std::size_t i = 0; i < y.size(); ++i) out.y[i] = y[out.order[i]];
  return out;
}

// The r nearest to x are neighbours in rank: the lowest rank from which moving on brings nothing nearer.
std::size_t first_neighbour(const std::vector<double>& p, double x, std::size_t r) {
  std::size_t low = 0, high = p.size() - r;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (p[middle + r] - x < x - p[middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

std::vector<double> empirical_by_bins(std::span<const double> p, std::span<const double> y, int bins,
                                      int threads) {
  check_bins(bins);
  const Ascending a = ascending(p, y, threads);
  const std::size_t n = p.size(), runs = std::min<std::size_t>(bins, n);
  std::vector<double> out(n);
  for (std::size_t b = 0; b < runs; ++b) {
    const std::size_t begin = n * b / runs, end = n * (b + 1) / runs;
    ExactSum hits;
    for (std::size_t i = begin; i < end; ++i) hits.add(a.y[i]);
    const double mean = hits.value() / (end - begin);
    for (std::size_t i = begin; i < end; ++i) out[a.order[i]] = mean;
  }
  return out;
}

std::vector<double> empirical_by_kernel(std::span<const double> p, std::span<const double> y, int neighbours,
                                        double sigma, int threads) {
  if (neighbours < 1)
    throw InputError("the kernel needs one neighbour or more, not " + std::to_string(neighbours));
  if (!(sigma > 0)) throw InputError("sigma of the kernel must be positive, not " + show(sigma));
  const Ascending a = ascending(p, y, threads);
  const std::size_t n = p.size(), r = std::min<std::size_t>(neighbours, n);
  std::vector<double> out(n);
  parallel_blocks(n, kResidualsAtOnce, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<double> weight(r);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::size_t first = first_neighbour(a.p, a.p[i], r);
      for (std::size_t j = 0; j < r; ++j) {
        const double d = (a.p[i] - a.p[first + j]) / sigma;
        weight[j] = -(d * d);
      }
      exp_block(weight, weight);
      double all = 0, hits = 0;
      for (std::size_t j = 0; j < r; ++j) {
        all += weight[j];
        hits += weight[j] * a.y[first + j];
      }
      out[a.order[i]] = hits / all;
    }
  });
  return out;
}

}  // namespace plumb
