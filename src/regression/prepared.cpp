#include "regression/prepared.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "regression/terms.hpp"

namespace plumb::detail {
namespace {

/// Bins of the given range, or from the smallest to the largest.
RegressionPlan plan_of(const RegressionItems& items, const RegressionOptions& o) {
  const bool parts = items.has_parts();
  const UncertaintyRanges ranges = o.range ? UncertaintyRanges{o.range, parts ? o.range : std::nullopt}
                                           : uncertainty_ranges(items, o.clip, o.threads);
  return {o.bins, o.clip, ranges.variance, ranges.aleatoric, parts};
}

/// Only the bins that are needed.
RegressionPlan part_of(RegressionPlan plan, RegressionProductSet needs) {
  plan.mc = needs.has(RegressionProduct::uce_mc_bins);
  if (!plan.mc && !needs.has(RegressionProduct::uce_bins)) plan.variance.reset();
  if (!needs.has(RegressionProduct::uce_aleatoric_bins)) plan.aleatoric.reset();
  return plan;
}

/// The sums of several draws in one pass: the terms of a block are computed once for all of them.
std::vector<RegressionSums> sums_of(const RegressionItems& items, const RegressionPlan& plan,
                                    std::span<const std::uint64_t> units,
                                    std::span<const RegressionDraw> draws, const Progress& progress) {
  std::vector<RegressionSums> sums(draws.size(), RegressionSums(items.outputs(), plan));
  BlockTerms terms;
  std::vector<std::uint32_t> times;
  std::vector<double> multiplier;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    const std::int64_t n = std::min(block_rows(items), items.size() - begin);
    progress.check();
    terms.read(items, begin, begin + n, plan.clip);
    times.resize(n);
    multiplier.resize(n);
    for (std::size_t d = 0; d < draws.size(); ++d) {
      draws[d].count(units.subspan(begin, n), times);
      for (std::int64_t i = 0; i < n; ++i)
        multiplier[i] = terms.block.weight.empty() ? times[i] : terms.block.weight[i] * times[i];
      add_block(terms, multiplier, sums[d]);
    }
  }
  return sums;
}

/// A worker carries a chunk of draws through the data: at most so many, and the same number for every worker.
std::int64_t chunk_of(std::int64_t draws, int threads) {
  constexpr std::int64_t kMostAtOnce = 64;
  const std::int64_t rounds = 1 + (draws - 1) / (threads * kMostAtOnce);
  return 1 + (draws - 1) / (threads * rounds);
}

}  // namespace

RegressionSelection select_regression(std::span<const std::string> keys, bool parts) {
  check_keys(keys, regression_metrics(), "⟦metrics⟧: there is no regression metric");
  const auto asked = [&](std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const bool all = keys.empty() || asked("all");
  RegressionSelection out;
  for (const MetricRow& row : regression_metrics()) {
    const RegressionProductSet needs = regression_run(row).needs;
    if (!all && !asked(row.key)) continue;
    if (parts || !needs.any(kNeedVarianceParts)) {
      out.rows.push_back(&row);
      out.needs |= needs;
    } else if (asked(row.key)) {
      out.without_parts = row.key;
    }
  }
  return out;
}

void RegressionDraw::count(std::span<const std::uint64_t> units, std::span<std::uint32_t> times) const {
  if (replicate) return fill_poisson(seed, *replicate, units, times);
  std::fill(times.begin(), times.end(), 1);
}

PreparedRegression::PreparedRegression(const RegressionItems& items, const RegressionSelection& selection,
                                       const RegressionOptions& options)
    : items_(items), selection_(selection), options_(options), plan_(plan_of(items, options)) {
  if (selection.needs.any(kSorted)) columns_ = order_regression(items, options.clip, options.threads);
}

RegressionProducts PreparedRegression::products() const {
  RegressionSums sums = regression_sums(items_, plan_, options_.threads);
  if (sums.items == 0)
    throw InputError(items_.size() == 0
                         ? "there are no items"
                         : items_.weights.name() +
                               ": all weights are zero; give at least one item a positive weight");
  return RegressionProducts(std::move(sums), columns());
}

Scores PreparedRegression::finish(const RegressionProducts& products) const {
  Scores out;
  for (const MetricRow* row : selection_.rows)
    out[std::string(row->key)] = regression_run(*row).finish(products, plan_);
  return out;
}

std::vector<Scores> PreparedRegression::score(std::span<const RegressionDraw> draws,
                                              Progress& progress) const {
  progress.expect(std::ssize(draws));
  const std::vector<std::uint64_t> units = regression_units(items_);
  const RegressionPlan plan = part_of(plan_, selection_.needs);
  const bool streams = !kSorted.has(selection_.needs);
  std::vector<Scores> out(draws.size());
  const auto body = [&](int, std::int64_t first, std::int64_t last) {
    const auto own = draws.subspan(first, last - first);
    std::vector<RegressionSums> sums(own.size());
    if (streams) sums = sums_of(items_, plan, units, own, progress);
    std::vector<std::uint32_t> times(columns_ ? units.size() : 0);
    for (std::int64_t d = first; d < last; ++d) {
      if (columns_) draws[d].count(units, times);
      out[d] = finish(RegressionProducts(std::move(sums[d - first]), columns(), times));
      progress.add(1);
    }
  };
  const std::int64_t n = std::ssize(draws);
  parallel_blocks(n, chunk_of(n, resolve_threads(options_.threads)), options_.threads, body);
  return out;
}

}  // namespace plumb::detail
