#include "plumb/metrics/streaming/reliability_table.hpp"

#include <stdexcept>

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
    throw std::invalid_argument("reliability tables with different bins cannot be merged");
  for (std::size_t b = 0; b < cell.size(); ++b) cell[b].merge(other.cell[b]);
}

Cell ReliabilityTable::total() const {
  Cell sum;
  for (const Cell& c : cell) sum.merge(c);
  return sum;
}

}  // namespace plumb
