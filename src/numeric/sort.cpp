#include "plumb/numeric/sort.hpp"

#include <algorithm>
#include <numeric>

namespace plumb {

std::vector<std::uint32_t> sort_order(std::span<const double> values, int) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  return order;
}

SortedColumn sort_column(std::span<const double> values, int threads) {
  SortedColumn c{{}, sort_order(values, threads)};
  c.values.reserve(values.size());
  for (const auto i : c.order) c.values.push_back(values[i]);
  return c;
}

}  // namespace plumb
