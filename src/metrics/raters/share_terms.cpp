// Forecasts and shares as integers.
#include <algorithm>

#include "metrics/raters/share_kernels.hpp"
#include "metrics/raters/share_pass.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb {
namespace {

bool same_width(std::span<const BinEdges> edges) {
  return std::all_of(edges.begin(), edges.end(),
                     [&](const BinEdges& c) { return c.equal_width && c.bins == edges[0].bins; });
}

}  // namespace

void set_forecasts(std::span<const double> p, std::span<const BinEdges> edges, ShareTerms& t) {
  const std::size_t columns = edges.size();
  t.columns = columns;
  t.size = columns == 0 ? 0 : p.size() / columns;
  t.bin.resize(p.size());
  t.forecast.resize(p.size());
  if (columns == 0) return;
  if (same_width(edges)) {
    const std::size_t period = columns * detail::kShareLanes;
    thread_local std::vector<std::uint32_t> first;
    first.resize(period);
    for (std::size_t j = 0; j < period; ++j) first[j] = j % columns * edges[0].bins;
    detail::place_shares(p.data(), p.size(), edges[0].bins, first.data(), period, t.bin.data(),
                         t.forecast.data());
    return;
  }
  for (std::size_t j = 0; j < p.size(); ++j) t.forecast[j] = {to_fixed(p[j]), to_fixed(p[j] * p[j])};
  std::uint32_t first = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t j = k; j < p.size(); j += columns) t.bin[j] = first + edges[k].bin_of(p[j]);
    first += edges[k].count();
  }
}

void detail::begin_shares(std::size_t size, std::size_t most, std::span<const double> weight, ShareTerms& t) {
  t.offset.resize(size + 1);
  t.votes.resize(size);
  t.column.resize(most);
  t.share.resize(most);
  t.weight.assign(weight.begin(), weight.end());
  t.offset[0] = 0;
}

}  // namespace plumb
