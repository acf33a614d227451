#include "evaluate/confusion.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr double kUnit = 0x1p60;  // of the fixed point: thirds add up to ones within a double's precision

/// Cells in use, by predicted * classes + observed.
using Cells128 = std::unordered_map<std::uint64_t, uint128>;

struct Confused {
  std::vector<uint128> dense;  // few classes
  Cells128 sparse;
  void add(std::uint64_t cell, uint128 x) {
    if (dense.empty())
      sparse[cell] += x;
    else
      dense[cell] += x;
  }
};

double largest_weight(const Items& items) {
  if (items.weights.empty()) return 1;
  std::vector<double> block;
  double out = 0;
  for (std::int64_t begin = 0; begin < items.size(); begin += 65536) {
    block.resize(std::min<std::int64_t>(65536, items.size() - begin));
    items.weights.read(begin, begin + std::ssize(block), block);
    for (const double w : block) out = std::max(out, w);
  }
  return out > 0 ? out : 1;
}

uint128 fixed(double share) { return static_cast<uint128>(std::llround(share * kUnit)); }
double value_of(uint128 x, double scale) { return static_cast<double>(x) / kUnit * scale; }

void add_block(const ItemBlock& block, std::span<const std::uint32_t> top, double scale, Confused& out) {
  const std::uint64_t classes = block.classes;
  for (std::int64_t i = 0; i < block.size; ++i) {
    const double w = block.weight.empty() ? 1 : block.weight[i] / scale;
    if (!(w > 0)) continue;
    const std::uint64_t row = top[i] * classes;
    if (block.votes.single) {
      out.add(row + block.votes.cls[i], fixed(w));
      continue;
    }
    const double total = block.votes.total[i];
    for (std::uint32_t v = block.votes.offset[i]; v < block.votes.offset[i + 1]; ++v)
      out.add(row + block.votes.cls[v], fixed(w * (block.votes.count[v] / total)));
  }
}

Confused counted_cells(const Items& items, double scale, int threads) {
  struct Worker {
    ItemBlock block;
    std::vector<double> p;
    std::vector<std::uint32_t> top;
    Confused cells;
  };
  const std::size_t classes = items.classes();
  std::vector<Worker> workers(resolve_threads(threads));
  if (classes <= kWholeConfusion)
    for (Worker& w : workers) w.cells.dense.resize(classes * classes);
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[worker];
                    read_items(items, begin, end, w.block);
                    w.p.resize(end - begin);
                    w.top.resize(end - begin);
                    top_labels(w.block.z, 0, w.p, w.top);
                    add_block(w.block, w.top, scale, w.cells);
                  });
  Confused& out = workers[0].cells;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    for (std::size_t c = 0; c < out.dense.size(); ++c) out.dense[c] += workers[i].cells.dense[c];
    for (const auto& [cell, x] : workers[i].cells.sparse) out.sparse[cell] += x;
  }
  return std::move(out);
}

}  // namespace

Table confusion_rows(const Items& items, int threads) {
  Table out;
  out.columns = {"predicted", "observed", "items", "share"};
  const std::uint64_t classes = items.classes();
  const double scale = largest_weight(items);
  const Confused cells = counted_cells(items, scale, threads);
  std::vector<std::pair<std::uint64_t, uint128>> all(cells.sparse.begin(), cells.sparse.end());
  for (std::size_t c = 0; c < cells.dense.size(); ++c) all.emplace_back(c, cells.dense[c]);
  std::vector<uint128> observed(classes);
  for (const auto& [cell, x] : all) observed[cell % classes] += x;
  std::sort(all.begin(), all.end());
  if (cells.dense.empty()) {
    std::erase_if(all, [&](const auto& c) { return c.first / classes == c.first % classes; });
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (all.size() > kConfusions) all.resize(kConfusions);
  }
  for (const auto& [cell, x] : all) {
    const uint128 sum = observed[cell % classes];
    out.rows.push_back({static_cast<std::int64_t>(cell / classes), static_cast<std::int64_t>(cell % classes),
                        value_of(x, scale),
                        sum > 0 ? Value(static_cast<double>(x) / static_cast<double>(sum)) : Value{}});
  }
  return out;
}

}  // namespace plumb::detail
