#include "plumb/metrics/streaming/reliability_table.hpp"

#include <stdexcept>

#include "metrics/shared/merge_members.hpp"

namespace plumb {

double BinEdges::low(int bin) const {
  if (equal_width) return 1.0 * bin / bins;
  return bin == 0 ? 0.0 : thresholds[bin - 1];
}

double BinEdges::high(int bin) const { return bin + 1 == count() ? 1.0 : low(bin + 1); }

void Bin::merge(const Bin& other) {
  detail::merge_members(*this, other, &Bin::items, &Bin::votes, &Bin::w, &Bin::wp, &Bin::wy, &Bin::ww,
                        &Bin::wwyy);
}

double Bin::gap() const {
  ExactSum difference = wp;
  difference.subtract(wy);
  return difference.value() / w.value();
}

void ReliabilityTable::merge(const ReliabilityTable& other) {
  if (edges != other.edges)
    throw std::invalid_argument("reliability tables with different bins cannot be merged");
  for (std::size_t b = 0; b < bins.size(); ++b) bins[b].merge(other.bins[b]);
}

Bin ReliabilityTable::total() const {
  Bin sum;
  for (const Bin& c : bins) sum.merge(c);
  return sum;
}

}  // namespace plumb
