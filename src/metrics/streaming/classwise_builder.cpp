#include <cmath>
#include <limits>

#include "metrics/streaming/bin_kernels.hpp"
#include "metrics/streaming/classwise_rows.hpp"
#include "metrics/streaming/integer_bin.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

constexpr double kMostCount = 0xffffffffu;

/// The smallest z that is not in the lowest bin.
double beyond_lowest(const BinEdges& edges) {
  if (edges.count() == 1) return std::numeric_limits<double>::infinity();
  if (!edges.equal_width) return edges.thresholds[0];
  double z = 1.0 / edges.bins;
  while (edges.bin_of(z) > 0) z = std::nextafter(z, 0.0);
  while (edges.bin_of(z) == 0) z = std::nextafter(z, 1.0);
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

ClasswiseBuilder::ClasswiseBuilder(int classes, const BinEdges& edges)
    : ClasswiseBuilder(std::vector<BinEdges>(classes, edges)) {}

ClasswiseBuilder::ClasswiseBuilder(std::vector<BinEdges> edges) : edges_(std::move(edges)) {
  const std::size_t classes = edges_.size();
  start_.reserve(classes + 1);
  start_.push_back(0);
  for (const BinEdges& c : edges_) start_.push_back(start_.back() + c.count());
  const bool alike =
      std::all_of(edges_.begin(), edges_.end(), [this](const BinEdges& c) { return c == edges_[0]; });
  if (alike && classes > 0 && edges_[0].equal_width) width_bins_ = edges_[0].bins;
  integer_.resize(start_.back());
  high_.resize(classes);
  low_.resize(classes);
  for (const BinEdges& c : edges_) beyond_.push_back(beyond_lowest(c));
  found_.resize(classes);
  // Long rows, and tables that are larger than the cache, are better off with dense sums.
  constexpr std::size_t kLongRow = 64, kManyBins = 1024;
  short_rows_ = width_bins_ > 0 && classes < kLongRow && integer_.size() <= kManyBins;
  if (short_rows_) word_.resize(kGroup * classes);
}

std::size_t ClasswiseBuilder::place(std::size_t k, double z) const {
  const int bin =
      width_bins_ > 0 ? std::min(static_cast<int>(z * width_bins_), width_bins_ - 1) : edges_[k].bin_of(z);
  return start_[k] + bin;
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
  const RowBlock rows{block, z, size, edges_.size(), times};
  if (!block.weight.empty()) {
    for (std::size_t i = 0; i < size; ++i) {  // whole weights are counts: the sums are the same to the bit
      const double w = block.weight[i] * rows.drawn(i);
      if (w <= kMostCount && w == std::floor(w)) {
        add_integer(rows, i, static_cast<std::uint64_t>(w));
      } else {
        add_weighted(rows, i);
      }
    }
  } else if (block.votes.single && short_rows_) {
    update_short(rows);
  } else if (block.votes.single && times.empty()) {
    update_long(rows);
  } else {
    for (std::size_t i = 0; i < size; ++i) add_integer(rows, i, rows.drawn(i));
  }
}

void ClasswiseBuilder::add_integer(const RowBlock& rows, std::size_t i, std::uint64_t drawn) {
  const std::uint64_t n = rows.votes().votes(i);
  const std::uint64_t mass = drawn * n;
  if (mass == 0) return;
  if (mass > detail::kWholeCapacity) {
    add_weighted(rows, i);
    return;
  }
  if (mass > detail::kWholeCapacity - total_.mass) flush_integer();
  detail::add_mass(total_, 0, mass, n);
  const double* z = rows.row(i);
  const std::size_t found = detail::add_dense_whole(z, rows.classes, narrow<std::uint32_t>(mass),
                                                    beyond_.data(), high_.data(), low_.data(), found_.data());
  for (std::size_t f = 0; f < found; ++f) {
    const std::uint32_t k = found_[f];
    detail::add_mass(integer_[place(k, z[k])], to_fixed(z[k]), mass, n);
  }
  for_each_vote(rows.votes(), i, [&](std::uint32_t k, std::uint32_t count) {
    detail::add_hits(integer_[place(k, z[k])], drawn * count);
  });
}

void ClasswiseBuilder::add_weighted(const RowBlock& rows, std::size_t i) {
  make_tables();
  const double own = rows.block.weight.empty() ? 1.0 : rows.block.weight[i];
  const double weight = own * rows.drawn(i), n = rows.votes().votes(i);
  const double* z = rows.row(i);
  const auto add = [&](std::size_t k, double hits) {
    Bin& bin = table_[k].bins[place(k, z[k]) - start_[k]];
    detail::add_item(bin, z[k], n, hits, weight);
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

void ClasswiseBuilder::flush_integer() {
  make_tables();
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    detail::IntegerBin& lowest = integer_[start_[k]];  // so far it holds hits alone
    lowest.p = (uint128{high_[k]} << (kFractionBits / 2)) + low_[k];
    lowest.mass = total_.mass;
    lowest.mass_squared = total_.mass_squared;
    lowest.items = total_.items;
    lowest.votes = total_.votes;
    for (std::size_t c = start_[k] + 1; c < start_[k + 1]; ++c) detail::subtract_mass(lowest, integer_[c]);
    for (std::size_t c = start_[k]; c < start_[k + 1]; ++c)
      detail::move_into(table_[k].bins[c - start_[k]], integer_[c]);
  }
  std::fill(high_.begin(), high_.end(), 0);
  std::fill(low_.begin(), low_.end(), 0);
  total_ = {};
}

void ClasswiseBuilder::make_tables() {
  if (table_.empty()) table_ = {edges_.begin(), edges_.end()};
}

std::vector<ReliabilityTable> ClasswiseBuilder::finish() {
  if (pair_used_ > 0) short_rows_ ? flush_short() : flush_long();
  flush_integer();
  std::vector<ReliabilityTable> done = std::move(table_);
  table_.clear();
  return done;
}

}  // namespace plumb
