#include "plumb/metrics/ordered/equal_mass.hpp"

#include <algorithm>
#include <cstdint>

#include "metrics/shared/groups.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

namespace {

// Items [0, at) and their mass.
template <class A>
struct Front {
  std::size_t at = 0;
  typename A::Mass mass{};
  void step(const ForecastsView& f) { A::add_mass(mass, f, at++); }
};

// Moves to where the mass before suffices. Unit mass is the number of items: no walk.
template <class A>
void advance(Front<A>& front, const ForecastsView& f, const typename A::Reach& reach) {
  if constexpr (std::is_same_v<A, detail::Whole>) {
    if (f.trials.empty() && f.times.empty()) {
      front.at = std::min(f.size(), std::max<std::size_t>(front.at, reach.least));
      front.mass = front.at;
      return;
    }
  }
  while (front.at < f.size() && !reach(front.mass)) front.step(f);
}

template <class A>
bool has_mass(const ForecastsView& f, std::size_t i) {
  typename A::Mass m{};
  A::add_mass(m, f, i);
  return A::positive(m);
}

// The first item of each bin in use; the first bin starts at 0.
template <class A>
std::vector<std::size_t> bin_starts(const ForecastsView& f, int bins) {
  const std::size_t n = f.size();
  std::vector<std::size_t> starts{0};
  typename A::Mass total{};
  for (std::size_t i = 0; i < n; ++i) A::add_mass(total, f, i);
  if (!A::positive(total)) return starts;
  Front<A> front;
  std::int64_t bin = 0;
  while (bin + 1 < bins) {
    advance(front, f, typename A::Reach(bin + 1, bins, total));
    while (front.at > 0 && front.at < n && f.p[front.at] == f.p[front.at - 1]) front.step(f);
    while (front.at < n && !has_mass<A>(f, front.at)) ++front.at;
    if (front.at == n) break;
    starts.push_back(front.at);
    bin = A::bin(bins, front.mass, total);
  }
  return starts;
}

// Mass is whole without weights, whatever the hits are.
std::vector<std::size_t> bin_starts(const ForecastsView& f, int bins) {
  check_bins(bins);
  return f.weight.empty() ? bin_starts<detail::Whole>(f, bins) : bin_starts<detail::Weighted>(f, bins);
}

BinEdges edges_from(const ForecastsView& f, int bins, const std::vector<std::size_t>& starts) {
  BinEdges edges{.bins = bins, .equal_width = false, .thresholds = {}};
  for (std::size_t c = 1; c < starts.size(); ++c) edges.thresholds.push_back(f.p[starts[c]]);
  return edges;
}

}  // namespace

BinEdges equal_mass_edges(const ForecastsView& ascending, int bins) {
  return edges_from(ascending, bins, bin_starts(ascending, bins));
}

ReliabilityTable equal_mass_table(const ForecastsView& ascending, int bins, int threads) {
  std::vector<std::size_t> starts = bin_starts(ascending, bins);
  ReliabilityTable table(edges_from(ascending, bins, starts));
  starts.push_back(ascending.size());
  // Each bin is a run of the column: a table of one bin sums it with the arithmetic of all tables.
  constexpr std::int64_t kFewBins = 1;
  parallel_blocks(std::ssize(table.bins), kFewBins, threads, [&](int, std::int64_t begin, std::int64_t end) {
    TableBuilder builder(BinEdges{.bins = 1, .equal_width = true, .thresholds = {}});
    for (std::int64_t c = begin; c < end; ++c) {
      builder.update(ascending.slice(starts[c], starts[c + 1] - starts[c]));
      table.bins[c] = builder.finish().bins.front();
    }
  });
  return table;
}

}  // namespace plumb
