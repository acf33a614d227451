#include "evaluate/bin_plan.hpp"

#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb::detail {
namespace {

/// Equal-mass bins of the disagreement forecasts, over the items with two votes or more.
std::vector<BinEdges> disagreement_mass_edges(const Items& items, int bins, int threads) {
  const std::int64_t columns = std::ssize(disagreement_edges(items.classes(), {}));
  std::vector<Forecasts> column(columns);
  ItemBlock block;
  DisagreementForecast forecast;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_items(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    forecast_disagreement(items.predictions, items.concentration, block, forecast);
    for (std::int64_t i = 0; i < block.size; ++i) {
      if (block.votes.votes(i) < 2) continue;
      for (std::int64_t c = 0; c < columns; ++c) {
        column[c].p.push_back(forecast.p[i * columns + c]);
        column[c].hits.push_back(0);
        if (!block.weight.empty()) column[c].weight.push_back(block.weight[i]);
      }
    }
  }
  std::vector<BinEdges> out;
  for (const Forecasts& f : column) out.push_back(equal_mass_edges(sort_forecasts(f, threads).view(), bins));
  return out;
}

}  // namespace

BinPlan equal_width_plan(int bins, int classes) {
  const BinEdges edges{bins, true, {}};
  return {edges, classwise_edges(classes, edges), disagreement_edges(classes, edges)};
}

BinPlan bin_plan(const Items& items, ProductSet products, const EvaluateOptions& o) {
  BinPlan plan = equal_width_plan(o.bins, items.classes());
  if (o.binning == Binning::width) return plan;
  const auto edges = [&](const Forecasts& f) {
    return equal_mass_edges(sort_forecasts(f, o.threads).view(), o.bins);
  };
  plan.event = edges(collect(items, Event::event, o.threads));
  if (products.any({Product::class_tables, Product::histogram}))
    for (int k = 0; k < items.classes(); ++k) plan.by_class[k] = edges(collect_class(items, k, o.threads));
  if (products.has(Product::disagreement))
    plan.disagreement = disagreement_mass_edges(items, o.bins, o.threads);
  return plan;
}

}  // namespace plumb::detail
