#include "plumb/metrics/streaming/reliability_table.hpp"

#include <stdexcept>

#include "metrics/item_pass.hpp"
#include "metrics/shared/merge_members.hpp"

namespace plumb {

double Cells::low(int cell) const {
  if (equal_width) return 1.0 * cell / bins;
  return cell == 0 ? 0.0 : thresholds[cell - 1];
}

double Cells::high(int cell) const { return cell + 1 == count() ? 1.0 : low(cell + 1); }

void Cell::merge(const Cell& other) {
  detail::merge_members(*this, other, &Cell::items, &Cell::votes, &Cell::w, &Cell::wp, &Cell::wy, &Cell::ww,
                        &Cell::wwyy);
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
  std::vector<TableBuilder> builders(resolve_threads(threads), TableBuilder(cells));
  parallel_blocks(std::ssize(f), kBlock, threads, [&](int worker, std::int64_t begin, std::int64_t end) {
    builders[worker].update(f.slice(begin, end - begin));
  });
  ReliabilityTable sum(cells);
  for (TableBuilder& b : builders) sum.merge(b.finish());
  return sum;
}

ReliabilityTable reliability_table(const Items& items, Event event, const Cells& cells, int threads) {
  struct Worker {
    TableBuilder builder;
    Forecasts forecasts;
  };
  ReliabilityTable sum(cells);
  for (Worker& w : detail::item_pass(items, threads, Worker{TableBuilder(cells), {}},
                                     [event](Worker&to, const ItemBlock&block) {
                                       project(block, event, to.forecasts);
                                       to.builder.update(to.forecasts.view());
                                     }))
    sum.merge(w.builder.finish());
  return sum;
}

std::vector<ReliabilityTable> classwise_tables(const Items& items, const Cells& cells, int threads) {
  std::vector<ReliabilityTable> sum(items.classes(), ReliabilityTable(cells));
  for (ClasswiseBuilder& builder :
       detail::item_pass(items, threads, ClasswiseBuilder(items.classes(), cells),
                         [](ClasswiseBuilder&to, const ItemBlock&block) { to.update(block); })) {
    const std::vector<ReliabilityTable> part = builder.finish();
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k].merge(part[k]);
  }
  return sum;
}

}  // namespace plumb
