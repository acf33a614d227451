#include "plumb/metrics/ordered/isotonic.hpp"

#include "metrics/shared/groups.hpp"

namespace plumb {
namespace {

/// The frequency of a does not lie below that of b. Products of whole numbers: exact for unweighted votes.
bool not_below(const IsotonicBlock& a, const IsotonicBlock& b) { return a.hits * b.mass >= b.hits * a.mass; }

}  // namespace

std::vector<IsotonicBlock> isotonic_blocks(const ForecastsView& ascending) {
  return detail::with_residuals(ascending, [&]<class A>(A) {
    std::vector<IsotonicBlock> blocks;
    for (detail::Groups<A> g(ascending); g.next();)
      push_block(blocks, {g.p, g.p, A::hits_value(g.hits), A::value(g.mass)}, not_below);
    return blocks;
  });
}

std::vector<double> isotonic_at(std::span<const IsotonicBlock> blocks, std::span<const double> at) {
  std::vector<double> out;
  if (blocks.empty()) return out;
  std::size_t b = 0;
  for (const double p : at) {
    while (b + 1 < blocks.size() && blocks[b + 1].low <= p) ++b;
    const IsotonicBlock& here = blocks[b];
    if (p <= here.high || b + 1 == blocks.size()) {
      out.push_back(here.mean());
    } else {
      const IsotonicBlock& next = blocks[b + 1];
      const double share = (p - here.high) / (next.low - here.high);
      out.push_back(here.mean() + share * (next.mean() - here.mean()));
    }
  }
  return out;
}

}  // namespace plumb
