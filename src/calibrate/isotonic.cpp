// Isotonic regression by pool-adjacent-violators, votes as weights.
#include <algorithm>

#include "calibrate/tables.hpp"

namespace plumb::detail {
namespace {

struct Block {
  double low = 0, high = 0;  // least and largest p
  double hits = 0, trials = 0;
};

void merge(Block& into, const Block& next) {
  into.high = next.high;
  into.hits += next.hits;
  into.trials += next.trials;
}

// The frequency of a does not lie below that of b. Products of whole numbers: exact for unweighted votes.
bool violates(const Block& a, const Block& b) { return a.hits * b.trials >= b.hits * a.trials; }
bool violates_smoothed(const Block& a, const Block& b) {
  return smoothed(a.hits, a.trials) >= smoothed(b.hits, b.trials);
}

// Takes the next block and pools backward while order is violated.
template <class Violates>
void push(std::vector<Block>& blocks, const Block& next, Violates violated) {
  blocks.push_back(next);
  while (blocks.size() > 1 && violated(blocks[blocks.size() - 2], blocks.back())) {
    merge(blocks[blocks.size() - 2], blocks.back());
    blocks.pop_back();
  }
}

std::vector<Block> pool(const ForecastsView& f) {
  std::vector<Block> blocks;
  Block tie;
  for (std::int64_t i = 0; i < std::ssize(f); ++i) {
    const double weight = f.weight_of(i), trials = f.trials_of(i) * weight;
    if (!(trials > 0)) continue;
    const Block one{f.p[i], f.p[i], f.hits[i] * weight, trials};
    if (tie.trials > 0 && one.low == tie.low) {
      merge(tie, one);
    } else {
      if (tie.trials > 0) push(blocks, tie, violates);
      tie = one;
    }
  }
  if (tie.trials > 0) push(blocks, tie, violates);
  // Small blocks are pulled further to 1/2 than large ones; where that breaks the order, they are pooled too.
  std::vector<Block> out;
  for (const Block& b : blocks) push(out, b, violates_smoothed);
  return out;
}

BinTable pooled_table(const ForecastsView& ascending) {
  const std::vector<Block> blocks = pool(ascending);
  BinTable t;
  if (blocks.empty()) t.values.push_back(0.5);
  for (std::int64_t b = 0; b < std::ssize(blocks); ++b) {
    const double v = smoothed(blocks[b].hits, blocks[b].trials);
    t.values.push_back(v);
    t.loss += event_loss(blocks[b].hits, blocks[b].trials, v);
    if (b > 0) t.edges.push_back(border(blocks[b - 1].high, blocks[b].low));
  }
  return t;
}

Step fit_isotonic(const Items& items, const FitOptions& options) {
  return fit_tables(items, options.threads, "isotonic", pooled_table);
}

}  // namespace

constinit const CalibratorRow kIsotonic{
    "isotonic",       Tasks::any,
    Complexity::free, {},
    fit_isotonic,     map_tables,
    onnx_tables,      "any increasing step function; one against the rest for several classes"};

}  // namespace plumb::detail
