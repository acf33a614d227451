// Isotonic regression by pool-adjacent-violators, votes as weights.
#include "plumb/metrics/ordered/isotonic.hpp"
#include "calibrate/tables.hpp"

namespace plumb::detail {
namespace {

bool violates_smoothed(const IsotonicBlock& a, const IsotonicBlock& b) {
  return smoothed(a.hits, a.mass) >= smoothed(b.hits, b.mass);
}

std::vector<IsotonicBlock> pool(const ForecastsView& ascending) {
  // Small blocks are pulled further to 1/2 than large ones; where that breaks the order, they are pooled too.
  std::vector<IsotonicBlock> out;
  for (const IsotonicBlock& b : isotonic_blocks(ascending)) push_block(out, b, violates_smoothed);
  return out;
}

}  // namespace

BinTable isotonic_table(const ForecastsView& ascending) {
  const std::vector<IsotonicBlock> blocks = pool(ascending);
  BinTable t;
  if (blocks.empty()) t.values.push_back(0.5);
  for (std::int64_t b = 0; b < std::ssize(blocks); ++b) {
    const double v = smoothed(blocks[b].hits, blocks[b].mass);
    t.values.push_back(v);
    t.loss += event_loss(blocks[b].hits, blocks[b].mass, v);
    if (b > 0) t.edges.push_back(border(blocks[b - 1].high, blocks[b].low));
  }
  return t;
}

namespace {

Step fit_isotonic(const Items& items, const FitOptions& options) {
  return fit_tables(items, options.threads, "isotonic", isotonic_table);
}

}  // namespace

constinit const CalibratorRow kIsotonic{
    "isotonic",       Tasks::any,
    Complexity::free, {},
    fit_isotonic,     map_tables,
    onnx_tables,      "any increasing step function; one against the rest for several classes"};

}  // namespace plumb::detail
