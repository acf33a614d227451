#include "evaluate/stream.hpp"

#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

void StreamSums::merge(const StreamSums& other) {
  event.merge(other.event);
  for (std::size_t k = 0; k < by_class.size(); ++k) by_class[k].merge(other.by_class[k]);
  plumb::merge(scores, other.scores);
  plumb::merge(event_log, other.event_log);
  plumb::merge(histogram, other.histogram);
  plumb::merge(disagreement, other.disagreement);
  plumb::merge(agreement, other.agreement);
  several_votes = several_votes || other.several_votes;
}

CellPlan equal_width_plan(int bins, int classes) {
  const Cells cells{bins, true, {}};
  return {cells, classwise_cells(classes, cells), disagreement_cells(classes, cells)};
}

namespace {

/// Equal-mass cells of the disagreement forecasts, over the items with two votes or more.
std::vector<Cells> disagreement_mass_cells(const Items& items, int bins, int threads) {
  const std::size_t columns = disagreement_cells(items.classes(), {}).size();
  std::vector<Forecasts> column(columns);
  ItemBlock block;
  DisagreementForecast forecast;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_items(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    forecast_disagreement(items.predictions, items.concentration, block, forecast);
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.size); ++i) {
      if (block.votes.votes(static_cast<std::int64_t>(i)) < 2) continue;
      for (std::size_t c = 0; c < columns; ++c) {
        column[c].p.push_back(forecast.p[i * columns + c]);
        column[c].hits.push_back(0);
        if (!block.weight.empty()) column[c].weight.push_back(block.weight[i]);
      }
    }
  }
  std::vector<Cells> out;
  for (const Forecasts& f : column) out.push_back(equal_mass_cells(sort_forecasts(f, threads).view(), bins));
  return out;
}

}  // namespace

CellPlan cell_plan(const Items& items, const Selection& passes, const EvaluateOptions& o) {
  CellPlan plan = equal_width_plan(o.bins, items.classes());
  if (o.binning == Binning::width) return plan;
  const auto cells = [&](const Forecasts& f) {
    return equal_mass_cells(sort_forecasts(f, o.threads).view(), o.bins);
  };
  plan.event = cells(collect(items, Event::kEvent, o.threads));
  if (passes.classes || passes.histogram)
    for (int k = 0; k < items.classes(); ++k)
      plan.by_class[static_cast<std::size_t>(k)] = cells(collect_class(items, k, o.threads));
  if (passes.disagreement) plan.disagreement = disagreement_mass_cells(items, o.bins, o.threads);
  return plan;
}

void BlockParts::read(const Items& items, std::int64_t begin, std::int64_t end, const CellPlan& plan,
                      const Selection& passes, const ScoreOptions& options) {
  read_items(items, begin, end, block);
  if (passes.event || passes.event_log) project(block, Event::kEvent, event);
  if (passes.scores) score_terms(block, options, terms);
  if (passes.event_log) event_log_terms(event.view(), options, event_log);
  if (passes.histogram) histogram_terms(block, plan.by_class, histogram);
  if (passes.disagreement) {
    forecast_disagreement(items.predictions, items.concentration, block, forecast);
    disagreement_terms(block, forecast, plan.disagreement, disagreement);
  }
}

StreamBuilder::StreamBuilder(const CellPlan& plan, const Selection& passes)
    : passes_(passes),
      event_(plan.event),
      histogram_(passes.histogram ? plan.by_class : std::vector<Cells>{}),
      disagreement_(passes.disagreement ? plan.disagreement : std::vector<Cells>{}),
      agreement_(passes.agreement ? static_cast<int>(plan.by_class.size()) : 0) {
  if (passes.classes) by_class_.emplace(plan.by_class);
}

void StreamBuilder::update(const BlockParts& parts, std::span<const std::uint32_t> times) {
  if (passes_.event) {
    ForecastsView f = parts.event.view();
    f.times = times;
    event_.update(f);
  }
  if (by_class_) by_class_->update(parts.block, times);
  if (passes_.scores) plumb::update(scores_, parts.terms, times);
  if (passes_.event_log) plumb::update(event_log_, parts.event_log, times);
  if (passes_.histogram) histogram_.update(parts.histogram, times);
  if (passes_.disagreement) disagreement_.update(parts.disagreement, times);
  if (passes_.agreement) plumb::update(agreement_, parts.block.votes, parts.block.weight, times);
  if (!several_votes_ && !parts.block.votes.single)
    for (const std::uint32_t n : parts.block.votes.total) several_votes_ = several_votes_ || n > 1;
}

StreamSums StreamBuilder::finish() {
  StreamSums sums;
  sums.event = event_.finish();
  if (by_class_) sums.by_class = by_class_->finish();
  sums.scores = scores_;
  sums.event_log = event_log_;
  sums.histogram = histogram_.finish();
  sums.disagreement = disagreement_.finish();
  sums.agreement = agreement_;
  sums.several_votes = several_votes_;
  return sums;
}

StreamSums stream_sums(const Items& items, const CellPlan& plan, const Selection& passes,
                       const ScoreOptions& options, int threads) {
  struct Worker {
    BlockParts parts;
    StreamBuilder builder;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(resolve_threads(threads)),
                              {{}, StreamBuilder(plan, passes)});
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[static_cast<std::size_t>(worker)];
                    w.parts.read(items, begin, end, plan, passes, options);
                    w.builder.update(w.parts);
                  });
  StreamSums sums = workers[0].builder.finish();
  for (std::size_t i = 1; i < workers.size(); ++i) sums.merge(workers[i].builder.finish());
  return sums;
}

}  // namespace plumb
