// Whole passes over items with one metric's sums alone, for tests and bench/: the library itself makes one
// pass for all that was asked for (src/evaluate/stream.hpp).
#pragma once

#include <span>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

/// Calls update(state, block) for every block of the items. Each worker has its own copy of `initial`; they
/// are returned for the caller to merge.
template <class State, class Update>
std::vector<State> item_pass(const Items& items, int threads, const State& initial, Update update) {
  std::vector<State> states(static_cast<std::size_t>(resolve_threads(threads)), initial);
  std::vector<ItemBlock> blocks(states.size());
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    const auto w = static_cast<std::size_t>(worker);
                    read_items(items, begin, end, blocks[w]);
                    update(states[w], blocks[w]);
                  });
  return states;
}

inline ReliabilityTable reliability_table(const ForecastsView& f, const BinEdges& edges, int threads) {
  constexpr std::int64_t kBlock = 1 << 14;
  std::vector<TableBuilder> builders(static_cast<std::size_t>(resolve_threads(threads)), TableBuilder(edges));
  parallel_blocks(std::ssize(f), kBlock, threads, [&](int worker, std::int64_t begin, std::int64_t end) {
    builders[static_cast<std::size_t>(worker)].update(
        f.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  });
  ReliabilityTable sum(edges);
  for (TableBuilder& b : builders) sum.merge(b.finish());
  return sum;
}

inline ReliabilityTable reliability_table(const Items& items, Event event, const BinEdges& edges,
                                          int threads) {
  struct Worker {
    TableBuilder builder;
    Forecasts forecasts;
  };
  ReliabilityTable sum(edges);
  const auto update = [event](Worker& to, const ItemBlock& block) {
    project(block, event, to.forecasts);
    to.builder.update(to.forecasts.view());
  };
  for (Worker& w : item_pass(items, threads, Worker{TableBuilder(edges), {}}, update))
    sum.merge(w.builder.finish());
  return sum;
}

inline std::vector<ReliabilityTable> classwise_tables(const Items& items, const BinEdges& edges,
                                                      int threads) {
  std::vector<ReliabilityTable> sum(static_cast<std::size_t>(items.classes()), ReliabilityTable(edges));
  const auto update = [](ClasswiseBuilder& to, const ItemBlock& block) { to.update(block); };
  for (ClasswiseBuilder& builder :
       item_pass(items, threads, ClasswiseBuilder(items.classes(), edges), update)) {
    const std::vector<ReliabilityTable> part = builder.finish();
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k].merge(part[k]);
  }
  return sum;
}

/// project(block, terms) fills the terms of a block.
template <class Project>
ShareTables share_pass(const Items& items, std::span<const BinEdges> edges, int threads, Project project) {
  struct Worker {
    ShareBuilder builder;
    ShareTerms terms;
  };
  const std::vector<BinEdges> own(edges.begin(), edges.end());
  ShareTables total(own);
  const auto update = [&](Worker& to, const ItemBlock& block) {
    project(block, to.terms);
    to.builder.update(to.terms);
  };
  for (Worker& w : item_pass(items, threads, Worker{ShareBuilder(own), {}}, update))
    merge(total, w.builder.finish());
  return total;
}

inline ShareTables label_histogram(const Items& items, std::span<const BinEdges> edges, int threads) {
  return share_pass(items, edges, threads,
                    [edges](const ItemBlock& block, ShareTerms& t) { histogram_terms(block, edges, t); });
}

inline ShareTables disagreement(const Items& items, std::span<const Rows> concentration,
                                std::span<const BinEdges> edges, int threads) {
  return share_pass(items, edges, threads, [&](const ItemBlock& block, ShareTerms& t) {
    thread_local DisagreementForecast forecast;
    forecast_disagreement(items.predictions, concentration, block, forecast);
    disagreement_terms(block, forecast, edges, t);
  });
}

inline Agreement rater_agreement(const Items& items, int threads) {
  Agreement total(items.classes());
  const auto add = [](Agreement& to, const ItemBlock& block) { update(to, block.votes, block.weight); };
  for (const Agreement& part : item_pass(items, threads, total, add)) merge(total, part);
  return total;
}

}  // namespace plumb
