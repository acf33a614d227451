#include "evaluate/sample.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kBlock = 8192;

/// The rows with the smallest random bits: a heap of the sample, one pass over the row numbers.
std::vector<std::int64_t> sampled_rows(std::int64_t items, std::int64_t wanted, std::uint64_t seed) {
  std::priority_queue<std::pair<std::uint64_t, std::int64_t>> kept;
  std::vector<std::uint64_t> rows, bits;
  for (std::int64_t begin = 0; begin < items; begin += kBlock) {
    const auto size = static_cast<std::size_t>(std::min(kBlock, items - begin));
    rows.resize(size);
    bits.resize(size);
    for (std::size_t i = 0; i < size; ++i) rows[i] = static_cast<std::uint64_t>(begin) + i;
    fill_bits(seed, Purpose::sample, 0, rows, bits);
    for (std::size_t i = 0; i < size; ++i) {
      const auto row = static_cast<std::int64_t>(rows[i]);
      if (static_cast<std::int64_t>(kept.size()) < wanted) {
        kept.emplace(bits[i], row);
      } else if (bits[i] < kept.top().first) {
        kept.pop();
        kept.emplace(bits[i], row);
      }
    }
  }
  std::vector<std::int64_t> out;
  for (; !kept.empty(); kept.pop()) out.push_back(kept.top().second);
  std::sort(out.begin(), out.end());
  return out;
}

/// The probability of class k; binary blocks hold that of class 1 alone.
double probability(const ItemBlock& block, std::size_t i, std::size_t k) {
  const auto width = static_cast<std::size_t>(block.z.width);
  if (width > 1) return block.z.z[i * width + k];
  return k == 1 ? block.z.z[i] : 1 - block.z.z[i];
}

Value loss_of(const ItemBlock& block, std::size_t i) {
  const auto row = static_cast<std::int64_t>(i);
  if (block.votes.votes(row) == 0) return {};
  double sum = 0;
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(block.classes); ++k) {
    const double hits = block.votes.single ? (block.votes.cls[i] == k ? 1 : 0) : block.votes.hits(row, k);
    if (hits > 0) sum -= hits * log_portable(probability(block, i, k));
  }
  const double loss = sum / block.votes.votes(row);
  return std::isfinite(loss) ? Value(loss) : Value{};
}

double entropy_of(const ItemBlock& block, std::size_t i) {
  double sum = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(block.classes); ++k) {
    const double p = probability(block, i, k);
    if (p > 0) sum -= p * log_portable(p);
  }
  return sum;
}

}  // namespace

Table sample_rows(const Items& items, const EvaluateOptions& options) {
  const std::vector<std::int64_t> rows = sampled_rows(items.size(), options.sample_items, options.seed);
  const Items part = items.gather(rows);
  Table out;
  out.columns = {"item", "p", "top", "top_p", "hits", "trials", "loss", "entropy", "correct"};
  if (!items.truth.empty()) out.columns.emplace_back("truth");
  if (!items.by.empty()) out.columns.emplace_back("slice");
  ItemBlock block;
  read_items(part, 0, part.size(), block);
  std::vector<double> top_p(rows.size());
  std::vector<std::uint32_t> top(rows.size()), classes;
  top_labels(block.z, 0, top_p, top);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    block.votes.majority_classes(row, classes);
    const double share = majority_share(classes, top[i], {options.ties, options.seed}, rows[i]);
    const bool decided = share == 0 || share == 1;  // else no votes, or the top class is one of several tied
    const std::int64_t hits = block.votes.single ? (block.votes.cls[i] == top[i] ? 1 : 0)
                                                 : std::int64_t{block.votes.hits(row, top[i])};
    std::vector<Value> cells{rows[i],
                             items.binary() ? block.z.z[i] : top_p[i],
                             std::int64_t{top[i]},
                             top_p[i],
                             hits,
                             std::int64_t{block.votes.votes(row)},
                             loss_of(block, i),
                             entropy_of(block, i),
                             decided ? Value(share == 1) : Value{}};
    if (!items.truth.empty()) cells.emplace_back(block.truth[i]);
    if (!items.by.empty()) cells.emplace_back(part.by.front().name(row));
    out.rows.push_back(std::move(cells));
  }
  return out;
}

}  // namespace plumb::detail
