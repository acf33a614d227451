#include "evaluate/stream.hpp"

#include <algorithm>

#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

void StreamSums::merge(const StreamSums& other) {
  event.merge(other.event);
  for (std::int64_t k = 0; k < std::ssize(by_class); ++k) by_class[k].merge(other.by_class[k]);
  plumb::merge(scores, other.scores);
  plumb::merge(event_log, other.event_log);
  plumb::merge(histogram, other.histogram);
  plumb::merge(disagreement, other.disagreement);
  plumb::merge(agreement, other.agreement);
  several_votes = several_votes || other.several_votes;
}

}  // namespace plumb

namespace plumb::detail {

void BlockParts::read(const Items& items, std::int64_t begin, std::int64_t end, const BinPlan& plan,
                      ProductSet products, const ScoreOptions& options) {
  read_items(items, begin, end, block);
  if (products.any({Product::event_table, Product::event_log})) project(block, Event::event, event);
  if (products.has(Product::proper_scores)) score_terms(block, options, terms);
  if (products.has(Product::event_log)) event_log_terms(event.view(), options, event_log);
  if (products.has(Product::histogram)) histogram_terms(block, plan.by_class, histogram);
  if (products.has(Product::disagreement)) {
    forecast_disagreement(items.predictions, items.concentration, block, forecast);
    disagreement_terms(block, forecast, plan.disagreement, disagreement);
  }
}

void BlockParts::plan_null(const NullModel& model, ProductSet products) {
  if (!products.any({Product::event_table, Product::event_log})) project(block, Event::event, event);
  event_votes.plan(event.view(), std::span(&model.vote_correlation, 1), model.marks.get());
  if (!products.has(Product::disagreement)) return;
  std::vector<double> correlation(block.size);
  const int width = block.z.width;
  for (std::int64_t i = 0; i < block.size; ++i) {
    double same = 0;  // chance that two independent votes agree
    for (const double z : std::span(block.z.z).subspan(i * width, width)) same += z * z;
    if (width == 1) same += (1 - block.z.z[i]) * (1 - block.z.z[i]);
    // Two votes differ with chance (1 - d)(1 - same).
    const double differ = forecast.p[i * forecast.columns];
    correlation[i] = same < 1 ? std::clamp(1 - differ / (1 - same), 0.0, 0.999999) : 0;
  }
  pair_votes.plan(event.view(), correlation, model.marks.get());
}

StreamBuilder::StreamBuilder(const BinPlan& plan, ProductSet products)
    : products_(products),
      event_(plan.event),
      histogram_(products.has(Product::histogram) ? plan.by_class : std::vector<BinEdges>{}),
      disagreement_(products.has(Product::disagreement) ? plan.disagreement : std::vector<BinEdges>{}),
      agreement_(products.has(Product::agreement) ? narrow<int>(std::ssize(plan.by_class)) : 0) {
  if (products.has(Product::class_tables)) by_class_.emplace(plan.by_class);
}

void StreamBuilder::update(BlockParts& parts, const RowDraw& draw) {
  if (draw.outcomes != nullptr) {
    update_null(parts, draw);
  } else {
    update_observed(parts, draw.times);
  }
}

void StreamBuilder::update_observed(const BlockParts& parts, std::span<const std::uint32_t> times) {
  if (products_.has(Product::event_table)) {
    ForecastsView f = parts.event.view();
    f.times = times;
    event_.update(f);
  }
  if (by_class_) by_class_->update(parts.block, times);
  if (products_.has(Product::proper_scores)) plumb::update(scores_, parts.terms, times);
  if (products_.has(Product::event_log)) plumb::update(event_log_, parts.event_log, times);
  if (products_.has(Product::histogram)) histogram_.update(parts.histogram, times);
  if (products_.has(Product::disagreement)) disagreement_.update(parts.disagreement, times);
  if (products_.has(Product::agreement))
    plumb::update(agreement_, parts.block.votes, parts.block.weight, times);
  if (!several_votes_ && !parts.block.votes.single)
    for (const std::uint32_t n : parts.block.votes.total) several_votes_ = several_votes_ || n > 1;
}

void StreamBuilder::update_null(BlockParts& parts, const RowDraw& drawn_rows) {
  const NullDraw& draw = *drawn_rows.outcomes;
  const ForecastsView event = parts.event.view();
  thread_local std::vector<double> hits;
  thread_local VoteBlock drawn;
  if (products_.has(Product::event_table)) {
    ForecastsView f = event;
    if (drawn_rows.event_hits.empty()) draw.hits(f, parts.event_votes, hits);
    f.hits = drawn_rows.event_hits.empty() ? hits : drawn_rows.event_hits;
    f.whole_counts = f.whole_counts && draw.hits_are_counts();
    event_.update(f);
  }
  if (by_class_ || products_.has(Product::histogram)) {
    draw.classes(parts.block, event, parts.event_votes, drawn);
    std::swap(parts.block.votes, drawn);
    if (by_class_) by_class_->update(parts.block);
    if (products_.has(Product::histogram)) {
      histogram_shares(parts.block, parts.histogram);
      histogram_.update(parts.histogram);
    }
    std::swap(parts.block.votes, drawn);
  }
  if (products_.has(Product::disagreement)) {
    draw.classes(parts.block, event, parts.pair_votes, drawn);
    std::swap(parts.block.votes, drawn);
    disagreement_shares(parts.block, parts.forecast, parts.disagreement);
    disagreement_.update(parts.disagreement);
    std::swap(parts.block.votes, drawn);
  }
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

StreamSums stream_sums(const Items& items, const BinPlan& plan, ProductSet products, const EvaluateOptions& o,
                       Progress& progress) {
  struct Worker {
    BlockParts parts;
    StreamBuilder builder;
  };
  std::vector<Worker> workers(resolve_threads(o.threads), {{}, StreamBuilder(plan, products)});
  parallel_blocks(items.size(), block_rows(items), o.threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[worker];
                    w.parts.read(items, begin, end, plan, products, score_options(o));
                    w.builder.update(w.parts);
                    progress.check();
                  });
  StreamSums sums = workers[0].builder.finish();
  for (std::int64_t i = 1; i < std::ssize(workers); ++i) sums.merge(workers[i].builder.finish());
  return sums;
}

}  // namespace plumb::detail
