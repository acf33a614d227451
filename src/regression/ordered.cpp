#include "plumb/regression/ordered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/sort.hpp"
#include "plumb/numeric/special.hpp"
#include "regression/cumulative.hpp"
#include "regression/terms.hpp"

namespace plumb {
namespace {

std::vector<double> permuted(const std::vector<double>& values, const std::vector<std::uint32_t>& order) {
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[order[i]];
  return out;
}

}  // namespace

OrderedRegression order_regression(const RegressionItems& items, double clip, int threads) {
  const std::int64_t n = items.size(), d = items.outputs();
  if (n * d > std::numeric_limits<std::uint32_t>::max())
    throw InputError(
        "metrics that need a sort take at most 4294967295 predictions; ask for the others with ⟦metrics⟧");
  OrderedRegression out;
  std::vector<double> variance(n * d), err2(n * d), pit(n * d), item_variance(n), item_err2(n);
  if (!items.weights.empty()) out.weight.resize(n);
  out.degenerate = parallel_reduce_blocks(
      n, block_rows(items), threads, std::uint64_t{0},
      [&](std::uint64_t& degenerate, std::int64_t begin, std::int64_t end) {
        thread_local detail::BlockTerms t;
        t.read(items, begin, end, clip);
        for (std::int64_t i = 0, row = begin; row < end; ++i, ++row) {
          const double weight = t.block.weight.empty() ? 1 : t.block.weight[i];
          for (std::int64_t j = 0; j < d; ++j) {
            const detail::OutputTerms& o = t.output[j];
            variance[row * d + j] = o.variance[i];
            err2[row * d + j] = o.err2[i];
            pit[row * d + j] =
                normal_cdf(t.block.output_column(t.block.error, j)[i] < 0 ? -o.abs_z[i] : o.abs_z[i]);
            degenerate += weight > 0 && !o.has_z(i);
          }
          item_variance[row] = t.variance[i];
          item_err2[row] = t.err2[i];
          if (!out.weight.empty()) out.weight[row] = weight;
        }
      },
      [](std::uint64_t& a, std::uint64_t b) { a += b; });
  const auto by_item = [d](std::vector<std::uint32_t> order) {
    if (d > 1)
      for (std::uint32_t& i : order) i /= narrow<std::uint32_t>(d);
    return order;
  };
  SortedColumn sorted = sort_column(variance, threads);
  out.err2 = permuted(err2, sorted.order);
  out.variance = std::move(sorted.values);
  out.entry_item = by_item(std::move(sorted.order));
  if (out.degenerate == 0) {
    sorted = sort_column(pit, threads);
    out.pit = std::move(sorted.values);
    out.pit_item = by_item(std::move(sorted.order));
  }
  sorted = sort_column(item_variance, threads);
  out.item_err2 = permuted(item_err2, sorted.order);
  out.item_variance = std::move(sorted.values);
  out.item = std::move(sorted.order);
  return out;
}

Estimate ence(const OrderedRegression& c, const ItemWeights& weights, int bins) {
  const std::size_t n = c.variance.size();
  const double total = detail::total_weight(c.entry_item, weights);
  if (!(total > 0)) return Estimate::undefined(kNoItems);
  detail::Cumulative below(weights.all_one());
  ExactSum mse, variance;
  double sum = 0, bin_weight = 0;
  int used = 0, bin = 0, zero = 0;
  const auto close = [&] {
    if (!(bin_weight > 0)) return;
    const double rmv = std::sqrt(variance.value()), rmse = std::sqrt(mse.value());
    if (rmv > 0) {
      sum += std::abs(rmv - rmse) / rmv;
      ++used;
    } else {
      ++zero;
    }
    mse = variance = {};
    bin_weight = 0;
  };
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && c.variance[end] == c.variance[begin]) ++end;
    // Equal-mass bin: min(B - 1, floor(B * share of weight below)); ties stay together (docs/concepts.md).
    const int next = std::min(bins - 1, static_cast<int>(bins * (below.value() / total)));
    if (next != bin) close();
    bin = next;
    for (std::size_t i = begin; i < end; ++i) {
      const double w = weights.weight_of(c.entry_item[i]);
      if (w == 0) continue;
      below.add(w);
      mse.add(c.err2[i] * w);
      variance.add(c.variance[i] * w);
      bin_weight = 1;
    }
    begin = end;
  }
  close();
  if (zero > 0)
    return Estimate::undefined("a bin of the smallest variances has mean 0; ⟦clip⟧ raises small variances");
  return sum / used;
}

}  // namespace plumb
