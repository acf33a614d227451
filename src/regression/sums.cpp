#include "plumb/regression/sums.hpp"

#include <algorithm>
#include <limits>

#include "plumb/numeric/parallel.hpp"
#include "regression/term_kernels.hpp"
#include "regression/terms.hpp"

namespace plumb {

void OutputSums::merge(const OutputSums& o) {
  entries += o.entries;
  degenerate += o.degenerate;
  for (const auto member :
       {&OutputSums::weight, &OutputSums::err2, &OutputSums::abs_err, &OutputSums::log_variance,
        &OutputSums::z2, &OutputSums::abs_z, &OutputSums::crps, &OutputSums::sigma, &OutputSums::variance})
    (this->*member).merge(o.*member);
  for (std::size_t q = 0; q < inside.size(); ++q) inside[q].merge(o.inside[q]);
}

int UncertaintyCells::index(double uncertainty) const {
  double place = 0;
  const int bins = static_cast<int>(cell.size());
  detail::place_cells(&uncertainty, 1, low, high, bins, &place);
  return place < bins ? static_cast<int>(place) : -1;
}

void UncertaintyCells::merge(const UncertaintyCells& o) {
  dropped += o.dropped;
  for (std::size_t c = 0; c < cell.size(); ++c) {
    cell[c].items += o.cell[c].items;
    cell[c].weight.merge(o.cell[c].weight);
    cell[c].error.merge(o.cell[c].error);
    cell[c].uncertainty.merge(o.cell[c].uncertainty);
  }
}

RegressionSums::RegressionSums(int outputs, const RegressionPlan& plan)
    : output(static_cast<std::size_t>(outputs)) {
  if (plan.variance) uce = UncertaintyCells(plan.bins, plan.variance->low, plan.variance->high);
  if (plan.variance && plan.mc) uce_mc = uce;
  if (plan.aleatoric) uce_aleatoric = UncertaintyCells(plan.bins, plan.aleatoric->low, plan.aleatoric->high);
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
  struct Worker {
    RegressionSums sums;
    detail::BlockTerms terms;
  };
  const Worker initial{RegressionSums(items.outputs(), plan), {}};
  return parallel_reduce_blocks(
             items.size(), block_rows(items), threads, initial,
             [&](Worker& w, std::int64_t begin, std::int64_t end) {
               w.terms.read(items, begin, end, plan.clip);
               detail::add_block(w.terms, w.terms.block.weight, w.sums);
             },
             [](Worker& a, const Worker& b) { a.sums.merge(b.sums); })
      .sums;
}

namespace {

struct RangeWorker {
  double low = std::numeric_limits<double>::infinity(), high = -1;
  double aleatoric_low = low, aleatoric_high = -1;
  RegressionBlock block;
};

/// `column` lies output by output; an item's value is the mean over its outputs, computed as the sums compute
/// it.
void widen(const std::vector<double>& column, const RegressionBlock& b, double clip, double& low,
           double& high) {
  const auto n = static_cast<std::size_t>(b.size), d = static_cast<std::size_t>(b.outputs);
  for (std::size_t i = 0; i < n; ++i) {
    if (!b.weight.empty() && b.weight[i] == 0) continue;
    double x = 0;
    for (std::size_t j = 0; j < d; ++j) x += std::max(column[j * n + i], clip);
    if (d > 1) x /= static_cast<double>(d);
    low = std::min(low, x);
    high = std::max(high, x);
  }
}

}  // namespace

UncertaintyRanges uncertainty_ranges(const RegressionItems& items, double clip, int threads) {
  RegressionItems spread = items;  // errors are of no use here
  if (items.passes() == 1) {
    spread.mean.clear();
    spread.targets = spread.errors = Rows();
    if (spread.outputs() != items.outputs()) spread = items;  // one variance for several outputs
  } else {
    spread.targets = Rows();
  }
  const auto w = parallel_reduce_blocks(
      items.size(), block_rows(spread), threads, RangeWorker{},
      [&](RangeWorker& out, std::int64_t begin, std::int64_t end) {
        read_regression(spread, begin, end, out.block);
        widen(out.block.variance, out.block, clip, out.low, out.high);
        if (!out.block.aleatoric.empty())
          widen(out.block.aleatoric, out.block, 0, out.aleatoric_low, out.aleatoric_high);
      },
      [](RangeWorker& a, const RangeWorker& b) {
        a.low = std::min(a.low, b.low);
        a.high = std::max(a.high, b.high);
        a.aleatoric_low = std::min(a.aleatoric_low, b.aleatoric_low);
        a.aleatoric_high = std::max(a.aleatoric_high, b.aleatoric_high);
      });
  UncertaintyRanges out;
  if (w.high >= w.low) out.variance = RegressionRange{w.low, w.high};
  if (w.aleatoric_high >= w.aleatoric_low) out.aleatoric = RegressionRange{w.aleatoric_low, w.aleatoric_high};
  return out;
}

}  // namespace plumb
