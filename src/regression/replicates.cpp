#include "regression/replicates.hpp"

#include <algorithm>
#include <mutex>

#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "regression/terms.hpp"

namespace plumb::detail {

void stream_scores(const RegressionSums& sums, Scores& out) {
  sum_scores(sums.total(), out);
  if (!sums.uce.cell.empty()) out["uce"] = uce(sums.uce);
  if (!sums.uce_mc.cell.empty()) out["uce_mc"] = uce(sums.uce_mc);
  if (!sums.uce_aleatoric.cell.empty()) out["uce_aleatoric"] = uce(sums.uce_aleatoric);
}

void ordered_scores(const OrderedRegression& columns, const ItemWeights& weights, int bins, Scores& out) {
  out["ence"] = ence(columns, weights, bins);
  const PitDistance d = pit_distance(columns, weights);
  out["pit_ks"] = d.ks;
  out["miscalibration_area"] = d.area;
}

std::map<std::string, std::vector<double>, std::less<>> regression_replicates(
    const RegressionItems& items, const RegressionPlan& plan, const OrderedRegression* columns,
    const RegressionOptions& o) {
  const auto units = regression_units(items);
  std::vector<Scores> all(static_cast<std::size_t>(o.bootstrap));
  std::mutex mutex;
  double done = 0;
  const auto progress = [&](double more) {
    if (!o.progress) return;
    const std::lock_guard lock(mutex);
    o.progress((done += more) / (o.bootstrap * (columns != nullptr ? 2.0 : 1.0)));
  };
  // A worker carries a chunk of replicates through the data, so that terms are computed once a chunk.
  const int threads = resolve_threads(o.threads);
  const std::int64_t chunk = std::clamp<std::int64_t>((o.bootstrap + threads - 1) / threads, 1, 64);
  parallel_blocks(o.bootstrap, chunk, o.threads, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<RegressionSums> sums(static_cast<std::size_t>(last - first),
                                     RegressionSums(items.outputs(), plan));
    BlockTerms terms;
    std::vector<std::uint32_t> times;
    std::vector<double> multiplier;
    for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
      const std::int64_t end = std::min(items.size(), begin + block_rows(items));
      const auto n = static_cast<std::size_t>(end - begin);
      terms.read(items, begin, end, plan.clip);
      times.resize(n);
      multiplier.resize(n);
      for (std::int64_t r = first; r < last; ++r) {
        fill_poisson(o.seed, static_cast<std::uint32_t>(r),
                     std::span(units).subspan(static_cast<std::size_t>(begin), n), times);
        for (std::size_t i = 0; i < n; ++i)
          multiplier[i] = terms.block.weight.empty() ? times[i] : terms.block.weight[i] * times[i];
        add_block(terms, multiplier, sums[static_cast<std::size_t>(r - first)]);
      }
    }
    for (std::int64_t r = first; r < last; ++r)
      stream_scores(sums[static_cast<std::size_t>(r - first)], all[static_cast<std::size_t>(r)]);
    progress(static_cast<double>(last - first));
  });
  if (columns != nullptr) {
    parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t r, std::int64_t) {
      thread_local std::vector<std::uint32_t> times;
      times.resize(units.size());
      fill_poisson(o.seed, static_cast<std::uint32_t>(r), units, times);
      ordered_scores(*columns, {columns->weight, times}, o.bins, all[static_cast<std::size_t>(r)]);
      progress(1);
    });
  }
  std::map<std::string, std::vector<double>, std::less<>> out;
  for (const Scores& scores : all)
    for (const auto& [key, estimate] : scores)
      if (estimate) out[key].push_back(*estimate.value);
  return out;
}

}  // namespace plumb::detail
