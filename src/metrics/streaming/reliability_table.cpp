#include "plumb/metrics/streaming/reliability_table.hpp"

#include <stdexcept>

#include "plumb/numeric/parallel.hpp"

namespace plumb {

double Cells::low(int cell) const {
  if (equal_width) return static_cast<double>(cell) / bins;
  return cell == 0 ? 0.0 : thresholds[static_cast<std::size_t>(cell) - 1];
}

double Cells::high(int cell) const { return cell + 1 == count() ? 1.0 : low(cell + 1); }

void Cell::merge(const Cell& other) {
  items += other.items;
  votes += other.votes;
  w.merge(other.w);
  wp.merge(other.wp);
  wy.merge(other.wy);
  ww.merge(other.ww);
  wwyy.merge(other.wwyy);
}

double Cell::gap() const {
  ExactSum difference = wp;
  difference.subtract(wy);
  return difference.value() / w.value();
}

void ReliabilityTable::merge(const ReliabilityTable& other) {
  if (cells != other.cells)
    throw std::invalid_argument("reliability tables with different cells cannot be merged");
  for (std::size_t b = 0; b < cell.size(); ++b) cell[b].merge(other.cell[b]);
}

Cell ReliabilityTable::total() const {
  Cell sum;
  for (const Cell& c : cell) sum.merge(c);
  return sum;
}

ReliabilityTable reliability_table(const ForecastsView& f, const Cells& cells, int threads) {
  constexpr std::int64_t kBlock = 1 << 14;
  std::vector<TableBuilder> builders(static_cast<std::size_t>(resolve_threads(threads)), TableBuilder(cells));
  parallel_blocks(static_cast<std::int64_t>(f.size()), kBlock, threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    builders[static_cast<std::size_t>(worker)].update(
                        f.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
                  });
  ReliabilityTable sum = builders[0].finish();
  for (std::size_t i = 1; i < builders.size(); ++i) sum.merge(builders[i].finish());
  return sum;
}

ReliabilityTable reliability_table(const Items& items, Event event, const Cells& cells, int threads) {
  struct Worker {
    TableBuilder builder;
    ItemBlock block;
    Forecasts forecasts;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(resolve_threads(threads)),
                              Worker{TableBuilder(cells), {}, {}});
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[static_cast<std::size_t>(worker)];
                    read_items(items, begin, end, w.block);
                    project(w.block, event, w.forecasts);
                    w.builder.update(w.forecasts.view());
                  });
  ReliabilityTable sum = workers[0].builder.finish();
  for (std::size_t i = 1; i < workers.size(); ++i) sum.merge(workers[i].builder.finish());
  return sum;
}

std::vector<ReliabilityTable> classwise_tables(const Items& items, const Cells& cells, int threads) {
  struct Worker {
    ClasswiseBuilder builder;
    ItemBlock block;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(resolve_threads(threads)),
                              Worker{ClasswiseBuilder(items.classes(), cells), {}});
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[static_cast<std::size_t>(worker)];
                    read_items(items, begin, end, w.block);
                    w.builder.update(w.block);
                  });
  std::vector<ReliabilityTable> sum = workers[0].builder.finish();
  for (std::size_t i = 1; i < workers.size(); ++i) {
    const std::vector<ReliabilityTable> part = workers[i].builder.finish();
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k].merge(part[k]);
  }
  return sum;
}

}  // namespace plumb
