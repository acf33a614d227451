#include "plumb/metrics/kernel/forecast_pass.hpp"

#include <memory>
#include <vector>

#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kBlock = 8192;

// Blocks of items, projected as they are read.
template <class Project>
ForecastPass pass_of(const Items& items, int threads, Project project_block) {
  struct Scratch {
    ItemBlock block;
    Forecasts column;
  };
  ForecastPass pass;
  pass.workers = resolve_threads(threads);
  const auto scratch = std::make_shared<std::vector<Scratch>>(pass.workers);
  pass.run = [&items, threads, scratch, project_block](const ForecastPass::Body& body) {
    parallel_blocks(items.size(), block_rows(items), threads,
                    [&](int worker, std::int64_t begin, std::int64_t end) {
                      Scratch& s = (*scratch)[worker];
                      read_items(items, begin, end, s.block);
                      project_block(s.block, s.column);
                      body(worker, s.column.view());
                    });
  };
  return pass;
}

}  // namespace

ForecastPass pass_over(const ForecastsView& f, int threads) {
  ForecastPass pass;
  pass.workers = resolve_threads(threads);
  pass.run = [f, threads](const ForecastPass::Body& body) {
    parallel_blocks(std::ssize(f), kBlock, threads, [&](int worker, std::int64_t begin, std::int64_t end) {
      body(worker, f.slice(begin, end - begin));
    });
  };
  return pass;
}

ForecastPass pass_over(const Items& items, Event event, int threads) {
  return pass_of(items, threads,
                 [event](const ItemBlock& block, Forecasts& out) { project(block, event, out); });
}

ForecastPass pass_over_class(const Items& items, int k, int threads) {
  return pass_of(items, threads,
                 [k](const ItemBlock& block, Forecasts& out) { project_class(block, k, out); });
}

}  // namespace plumb
