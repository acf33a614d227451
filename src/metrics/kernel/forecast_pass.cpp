#include "plumb/metrics/kernel/forecast_pass.hpp"

#include <memory>
#include <vector>

#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kBlock = 8192;

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
  struct Scratch {
    ItemBlock block;
    Forecasts column;
  };
  ForecastPass pass;
  pass.workers = resolve_threads(threads);
  const auto scratch = std::make_shared<std::vector<Scratch>>(pass.workers);
  pass.run = [&items, event, threads, scratch](const ForecastPass::Body& body) {
    parallel_blocks(items.size(), block_rows(items), threads,
                    [&](int worker, std::int64_t begin, std::int64_t end) {
                      Scratch& s = (*scratch)[worker];
                      read_items(items, begin, end, s.block);
                      project(s.block, event, s.column);
                      body(worker, s.column.view());
                    });
  };
  return pass;
}

}  // namespace plumb
