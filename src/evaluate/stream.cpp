#include "evaluate/stream.hpp"

#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

void StreamSums::merge(const StreamSums& other) {
  event.merge(other.event);
  for (std::size_t k = 0; k < by_class.size(); ++k) by_class[k].merge(other.by_class[k]);
  plumb::merge(scores, other.scores);
  several_votes = several_votes || other.several_votes;
}

CellPlan equal_width_plan(int bins, int classes) {
  const Cells cells{bins, true, {}};
  return {cells, std::vector<Cells>(static_cast<std::size_t>(classes), cells)};
}

CellPlan equal_mass_plan(const Items& items, int bins, bool with_classes, int threads) {
  CellPlan plan;
  plan.event = equal_mass_cells(sort_forecasts(collect(items, Event::kEvent, threads), threads).view(), bins);
  if (!with_classes) return plan;
  for (int k = 0; k < items.classes(); ++k)
    plan.by_class.push_back(
        equal_mass_cells(sort_forecasts(collect_class(items, k, threads), threads).view(), bins));
  return plan;
}

void BlockParts::read(const Items& items, std::int64_t begin, std::int64_t end, const Selection& passes,
                      const ScoreOptions& options) {
  read_items(items, begin, end, block);
  if (passes.event) project(block, Event::kEvent, event);
  if (passes.scores) score_terms(block, options, terms);
}

StreamBuilder::StreamBuilder(const CellPlan& plan, const Selection& passes)
    : use_scores_(passes.scores), use_event_(passes.event), event_(plan.event) {
  if (passes.classes) by_class_.emplace(plan.by_class);
}

void StreamBuilder::update(const BlockParts& parts, std::span<const std::uint32_t> times) {
  if (use_event_) {
    ForecastsView f = parts.event.view();
    f.times = times;
    event_.update(f);
  }
  if (by_class_) by_class_->update(parts.block, times);
  if (use_scores_) plumb::update(scores_, parts.terms, times);
  if (!several_votes_ && !parts.block.votes.single)
    for (const std::uint32_t n : parts.block.votes.total) several_votes_ = several_votes_ || n > 1;
}

StreamSums StreamBuilder::finish() {
  StreamSums sums;
  sums.event = event_.finish();
  if (by_class_) sums.by_class = by_class_->finish();
  sums.scores = scores_;
  sums.several_votes = several_votes_;
  return sums;
}

StreamSums stream_sums(const Items& items, const CellPlan& plan, const Selection& passes, const ScoreOptions& options,
                       int threads) {
  struct Worker {
    BlockParts parts;
    StreamBuilder builder;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(resolve_threads(threads)), {{}, StreamBuilder(plan, passes)});
  parallel_blocks(items.size(), block_rows(items), threads, [&](int worker, std::int64_t begin, std::int64_t end) {
    Worker& w = workers[static_cast<std::size_t>(worker)];
    w.parts.read(items, begin, end, passes, options);
    w.builder.update(w.parts);
  });
  StreamSums sums = workers[0].builder.finish();
  for (std::size_t i = 1; i < workers.size(); ++i) sums.merge(workers[i].builder.finish());
  return sums;
}

}  // namespace plumb
