#include <cmath>
#include <limits>

#include "metrics/streaming/cell_kernels.hpp"
#include "metrics/streaming/classwise_rows.hpp"
#include "metrics/streaming/whole_cell.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

/// The smallest z that is not in the lowest cell.
double beyond_lowest(const Cells& cells) {
  if (cells.count() == 1) return std::numeric_limits<double>::infinity();
  if (!cells.equal_width) return cells.thresholds[0];
  double z = 1.0 / cells.bins;
  while (cells.bin_of(z) > 0) z = std::nextafter(z, 0.0);
  while (cells.bin_of(z) == 0) z = std::nextafter(z, 1.0);
  return z;
}

/// Calls body(class, count) for each class that has votes of item i.
template <class Body>
void for_each_vote(const VoteBlock& votes, std::size_t i, Body body) {
  if (votes.single) {
    body(votes.cls[i], std::uint32_t{1});
    return;
  }
  for (std::uint32_t v = votes.offset[i]; v < votes.offset[i + 1]; ++v) body(votes.cls[v], votes.count[v]);
}

}  // namespace

ClasswiseBuilder::ClasswiseBuilder(int classes, const Cells& cells)
    : ClasswiseBuilder(std::vector<Cells>(classes, cells)) {}

ClasswiseBuilder::ClasswiseBuilder(std::vector<Cells> cells) : cells_(std::move(cells)) {
  const std::size_t classes = cells_.size();
  start_.reserve(classes + 1);
  start_.push_back(0);
  for (const Cells& c : cells_) start_.push_back(start_.back() + c.count());
  const bool alike =
      std::all_of(cells_.begin(), cells_.end(), [this](const Cells& c) { return c == cells_[0]; });
  if (alike && classes > 0 && cells_[0].equal_width) width_bins_ = cells_[0].bins;
  whole_.resize(start_.back());
  high_.resize(classes);
  low_.resize(classes);
  for (const Cells& c : cells_) beyond_.push_back(beyond_lowest(c));
  found_.resize(classes);
  // Long rows, and tables that are larger than the cache, are better off with dense sums.
  constexpr std::size_t kLongRow = 64, kManyCells = 1024;
  short_rows_ = width_bins_ > 0 && classes < kLongRow && whole_.size() <= kManyCells;
  if (short_rows_) word_.resize(kGroup * classes);
}

std::size_t ClasswiseBuilder::place(std::size_t k, double z) const {
  const int cell =
      width_bins_ > 0 ? std::min(static_cast<int>(z * width_bins_), width_bins_ - 1) : cells_[k].bin_of(z);
  return start_[k] + cell;
}

void ClasswiseBuilder::update(const ItemBlock& block, std::span<const std::uint32_t> times) {
  const std::size_t size = block.size;
  const double* z = block.z.z.data();
  if (block.z.width == 1) {
    both_.resize(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
      both_[2 * i] = 1.0 - z[i];
      both_[2 * i + 1] = z[i];
    }
    z = both_.data();
  }
  const RowBlock rows{block, z, size, cells_.size(), times};
  if (!block.weight.empty()) {
    for (std::size_t i = 0; i < size; ++i) add_weighted(rows, i);
  } else if (block.votes.single && short_rows_) {
    update_short(rows);
  } else if (block.votes.single && times.empty()) {
    update_long(rows);
  } else {
    for (std::size_t i = 0; i < size; ++i) add_whole(rows, i);
  }
}

void ClasswiseBuilder::add_whole(const RowBlock& rows, std::size_t i) {
  const std::uint64_t drawn = rows.drawn(i), n = rows.votes().votes(i);
  const std::uint64_t mass = drawn * n;
  if (mass == 0) return;
  if (mass > detail::kWholeCapacity) {
    add_weighted(rows, i);
    return;
  }
  if (mass > detail::kWholeCapacity - total_.mass) flush_whole();
  detail::add_mass(total_, 0, mass, n);
  const double* z = rows.row(i);
  const std::size_t found = detail::add_dense_whole(z, rows.classes, narrow<std::uint32_t>(mass),
                                                    beyond_.data(), high_.data(), low_.data(), found_.data());
  for (std::size_t f = 0; f < found; ++f) {
    const std::uint32_t k = found_[f];
    detail::add_mass(whole_[place(k, z[k])], to_fixed(z[k]), mass, n);
  }
  for_each_vote(rows.votes(), i, [&](std::uint32_t k, std::uint32_t count) {
    detail::add_hits(whole_[place(k, z[k])], drawn * count);
  });
}

void ClasswiseBuilder::add_weighted(const RowBlock& rows, std::size_t i) {
  make_tables();
  const double own = rows.block.weight.empty() ? 1.0 : rows.block.weight[i];
  const double weight = own * rows.drawn(i), n = rows.votes().votes(i);
  const double* z = rows.row(i);
  const auto add = [&](std::size_t k, double hits) {
    Cell& cell = table_[k].cell[place(k, z[k]) - start_[k]];
    detail::add_item(cell, z[k], n, hits, weight);
  };
  std::size_t next = 0;
  for_each_vote(rows.votes(), i, [&](std::uint32_t k, std::uint32_t count) {
    for (; next < k; ++next) add(next, 0.0);
    add(next++, count);
  });
  for (; next < rows.classes; ++next) add(next, 0.0);
}

void ClasswiseBuilder::add_total(std::size_t k, uint128 p) {
  constexpr int kHalf = kFractionBits / 2;
  high_[k] += p >> kHalf;
  low_[k] += p & ((std::uint64_t{1} << kHalf) - 1);
}

void ClasswiseBuilder::flush_whole() {
  make_tables();
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    detail::WholeCell& lowest = whole_[start_[k]];  // so far it holds hits alone
    lowest.p = (uint128{high_[k]} << (kFractionBits / 2)) + low_[k];
    lowest.mass = total_.mass;
    lowest.mass_squared = total_.mass_squared;
    lowest.items = total_.items;
    lowest.votes = total_.votes;
    for (std::size_t c = start_[k] + 1; c < start_[k + 1]; ++c) detail::subtract_mass(lowest, whole_[c]);
    for (std::size_t c = start_[k]; c < start_[k + 1]; ++c)
      detail::move_into(table_[k].cell[c - start_[k]], whole_[c]);
  }
  std::fill(high_.begin(), high_.end(), 0);
  std::fill(low_.begin(), low_.end(), 0);
  total_ = {};
}

void ClasswiseBuilder::make_tables() {
  if (table_.empty()) table_ = {cells_.begin(), cells_.end()};
}

std::vector<ReliabilityTable> ClasswiseBuilder::finish() {
  if (pair_used_ > 0) short_rows_ ? flush_short() : flush_long();
  flush_whole();
  std::vector<ReliabilityTable> done = std::move(table_);
  table_.clear();
  return done;
}

}  // namespace plumb
