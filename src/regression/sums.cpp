#include "plumb/regression/sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/special.hpp"
#include "regression/terms.hpp"

namespace plumb {

const std::array<double, 4>& coverage_quantiles() {
  static const std::array<double, 4> kQuantiles = [] {
    std::array<double, 4> out{};
    for (std::size_t q = 0; q < out.size(); ++q) out[q] = normal_quantile(0.5 + 0.5 * kCoverageLevels[q]);
    return out;
  }();
  return kQuantiles;
}

void OutputSums::merge(const OutputSums& o) {
  entries += o.entries;
  degenerate += o.degenerate;
  for (const auto sum : kTerms) (this->*sum).merge(o.*sum);
  for (std::size_t q = 0; q < inside.size(); ++q) inside[q].merge(o.inside[q]);
}

void UncertaintyBins::merge(const UncertaintyBins& o) {
  dropped += o.dropped;
  for (std::size_t c = 0; c < bins.size(); ++c) {
    bins[c].items += o.bins[c].items;
    bins[c].weight.merge(o.bins[c].weight);
    bins[c].error.merge(o.bins[c].error);
    bins[c].uncertainty.merge(o.bins[c].uncertainty);
  }
}

Estimate uce(const UncertaintyBins& bins) {
  ExactSum all;
  for (const auto& c : bins.bins) all.merge(c.weight);
  if (all.is_zero())
    return Estimate::undefined(bins.dropped > 0 ? "no item lies in the range of the bins" : kNoItems);
  ExactSum sum;  // over bins (|B| / m) |error / |B| - uncertainty / |B||
  for (const auto& c : bins.bins) {
    ExactSum gap = c.error;
    gap.subtract(c.uncertainty);
    sum.add(std::abs(gap.value()));
  }
  return sum.value() / all.value();
}

RegressionSums::RegressionSums(int outputs, const RegressionPlan& plan) : output(outputs) {
  if (plan.variance) uce = UncertaintyBins(plan.bins, plan.variance->low, plan.variance->high);
  if (plan.variance && plan.mc) uce_mc = uce;
  if (plan.aleatoric) uce_aleatoric = UncertaintyBins(plan.bins, plan.aleatoric->low, plan.aleatoric->high);
}

void RegressionSums::merge(const RegressionSums& o) {
  if (o.output.empty()) return;
  if (output.empty()) {
    *this = o;
    return;
  }
  for (std::size_t j = 0; j < output.size(); ++j) output[j].merge(o.output[j]);
  uce.merge(o.uce);
  uce_mc.merge(o.uce_mc);
  uce_aleatoric.merge(o.uce_aleatoric);
  items += o.items;
  clipped += o.clipped;
}

OutputSums RegressionSums::total() const {
  OutputSums out;
  for (const OutputSums& s : output) out.merge(s);
  return out;
}

RegressionSums regression_sums(const RegressionItems& items, const RegressionPlan& plan, int threads) {
  return parallel_reduce_blocks(
      items.size(), block_rows(items), threads, RegressionSums(items.outputs(), plan),
      [&](RegressionSums& sums, std::int64_t begin, std::int64_t end) {
        thread_local detail::BlockTerms terms;
        terms.read(items, begin, end, plan.clip);
        detail::add_block(terms, terms.block.weight, sums);
      },
      [](RegressionSums& a, const RegressionSums& b) { a.merge(b); });
}

namespace {

void widen(std::optional<RegressionRange>& range, double low, double high) {
  if (range) low = std::min(low, range->low), high = std::max(high, range->high);
  if (high >= low) range = RegressionRange{low, high};
}

/// `column` lies output by output.
void widen(std::optional<RegressionRange>& range, const RegressionBlock& b,
           const std::vector<double>& column) {
  thread_local std::vector<double> scratch;
  const std::span<const double> means = detail::by_item(b, column, scratch);
  double low = std::numeric_limits<double>::infinity(), high = -1;
  for (std::int64_t i = 0; i < b.size; ++i) {
    if (!b.weight.empty() && b.weight[i] == 0) continue;
    low = std::min(low, means[i]);
    high = std::max(high, means[i]);
  }
  widen(range, low, high);
}

}  // namespace

UncertaintyRanges uncertainty_ranges(const RegressionItems& items, double clip, int threads) {
  RegressionItems spread = items;  // errors are of no use here
  spread.targets = Rows();
  if (items.passes() == 1) {
    spread.mean.clear();
    spread.errors = Rows();
    if (spread.outputs() != items.outputs()) spread = items;  // one variance for several outputs
  }
  return parallel_reduce_blocks(
      items.size(), block_rows(spread), threads, UncertaintyRanges{},
      [&](UncertaintyRanges& out, std::int64_t begin, std::int64_t end) {
        thread_local RegressionBlock block;
        read_regression(spread, begin, end, block);
        (void)detail::raise_variances(block, clip);
        widen(out.variance, block, block.variance);
        if (!block.aleatoric.empty()) widen(out.aleatoric, block, block.aleatoric);
      },
      [](UncertaintyRanges& a, const UncertaintyRanges& b) {
        if (b.variance) widen(a.variance, b.variance->low, b.variance->high);
        if (b.aleatoric) widen(a.aleatoric, b.aleatoric->low, b.aleatoric->high);
      });
}

}  // namespace plumb
