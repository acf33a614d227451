#include <cmath>
#include <limits>

#include "metrics/streaming/cell_kernels.hpp"
#include "metrics/streaming/whole_cell.hpp"

namespace plumb {
namespace {

/// The smallest z that is not in the lowest cell.
double beyond_lowest(const Cells& cells) {
  if (cells.count() == 1) return std::numeric_limits<double>::infinity();
  if (!cells.equal_width) return cells.thresholds[0];
  double z = 1.0 / cells.bins;
  while (cells.of(z) > 0) z = std::nextafter(z, 0.0);
  while (cells.of(z) == 0) z = std::nextafter(z, 1.0);
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

struct ClasswiseBuilder::RowBlock {
  const ItemBlock& block;
  const double* z;
  std::size_t size, classes;
  [[nodiscard]] const double* row(std::size_t i) const { return z + i * classes; }
  [[nodiscard]] const VoteBlock& votes() const { return block.votes; }
};

ClasswiseBuilder::ClasswiseBuilder(int classes, const Cells& cells)
    : ClasswiseBuilder(std::vector<Cells>(static_cast<std::size_t>(classes), cells)) {}

ClasswiseBuilder::ClasswiseBuilder(std::vector<Cells> cells) : cells_(std::move(cells)) {
  const std::size_t classes = cells_.size();
  start_.reserve(classes + 1);
  start_.push_back(0);
  for (const Cells& c : cells_) start_.push_back(start_.back() + static_cast<std::size_t>(c.count()));
  const bool alike =
      std::all_of(cells_.begin(), cells_.end(), [this](const Cells& c) { return c == cells_[0]; });
  if (alike && classes > 0 && cells_[0].equal_width) width_bins_ = cells_[0].bins;
  whole_.resize(start_.back());
  high_.resize(classes);
  low_.resize(classes);
  // Short rows are taken eight (or a multiple) together: their values then fill whole vectors.
  constexpr std::size_t kLongRow = 64;
  const std::size_t group = classes >= kLongRow || classes == 0 ? 1 : 8 * ((8 + classes - 1) / classes);
  for (std::size_t r = 0; r < group; ++r) {
    for (std::size_t k = 0; k < classes; ++k) {
      beyond_.push_back(r == 0 ? beyond_lowest(cells_[k]) : beyond_[k]);
      class_.push_back(static_cast<std::uint32_t>(k));
    }
  }
  found_.resize(beyond_.size());
  group_rows_ = group;
}

std::size_t ClasswiseBuilder::place(std::size_t k, double z) const {
  const int cell =
      width_bins_ > 0 ? std::min(static_cast<int>(z * width_bins_), width_bins_ - 1) : cells_[k].of(z);
  return start_[k] + static_cast<std::size_t>(cell);
}

void ClasswiseBuilder::update(const ItemBlock& block, std::span<const std::uint32_t> times) {
  const std::size_t size = static_cast<std::size_t>(block.size);
  const double* z = block.z.z.data();
  if (block.z.width == 1) {
    both_.resize(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
      both_[2 * i] = 1.0 - z[i];
      both_[2 * i + 1] = z[i];
    }
    z = both_.data();
  }
  const RowBlock rows{block, z, size, cells_.size()};
  if (!block.weight.empty()) {
    update_weighted(rows, times);
  } else if (block.votes.single && times.empty()) {
    update_unit(rows);
  } else {
    update_whole(rows, times);
  }
}

void ClasswiseBuilder::update_unit(const RowBlock& rows) {
  if (pair_.empty()) {
    pair_.resize(whole_.size());
    dense_.resize(beyond_.size());
  }
  for (std::size_t begin = 0; begin < rows.size; begin += group_rows_) {
    const std::size_t n = std::min(group_rows_, rows.size - begin);
    if (pair_used_ + n > detail::kPairCapacity) flush_pairs();
    pair_used_ += n;
    const double* z = rows.row(begin);
    const std::size_t found =
        detail::add_dense(z, n * rows.classes, beyond_.data(), dense_.data(), found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const std::uint32_t j = found_[f];
      detail::Pair& pair = pair_[place(class_[j], z[j])];
      pair.sum += detail::raw_fixed(z[j]);
      pair.counts += detail::kOneForecast;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t k = rows.votes().cls[begin + i];
      pair_[place(k, z[i * rows.classes + k])].counts += 1;
    }
  }
}

void ClasswiseBuilder::update_whole(const RowBlock& rows, std::span<const std::uint32_t> times) {
  for (std::size_t i = 0; i < rows.size; ++i) {
    const std::uint64_t drawn = times.empty() ? 1 : times[i];
    const std::uint64_t n = rows.votes().votes(static_cast<std::int64_t>(i));
    const std::uint64_t mass = drawn * n;
    if (mass == 0) continue;
    if (mass > detail::kWholeCapacity) {
      add_weighted(rows, i, static_cast<double>(drawn));
      continue;
    }
    if (mass > detail::kWholeCapacity - total_.mass) flush_whole();
    detail::add_mass(total_, 0, mass, n);
    const double* z = rows.row(i);
    const std::size_t found =
        detail::add_dense_whole(z, rows.classes, static_cast<std::uint32_t>(mass), beyond_.data(),
                                high_.data(), low_.data(), found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const std::uint32_t k = found_[f];
      detail::add_mass(whole_[place(k, z[k])], static_cast<std::uint64_t>(to_fixed(z[k])), mass, n);
    }
    for_each_vote(rows.votes(), i, [&](std::uint32_t k, std::uint32_t count) {
      detail::add_hits(whole_[place(k, z[k])], drawn * count);
    });
  }
}

void ClasswiseBuilder::add_weighted(const RowBlock& rows, std::size_t i, double weight) {
  make_tables();
  const auto n = static_cast<double>(rows.votes().votes(static_cast<std::int64_t>(i)));
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

void ClasswiseBuilder::update_weighted(const RowBlock& rows, std::span<const std::uint32_t> times) {
  for (std::size_t i = 0; i < rows.size; ++i) {
    const double w = rows.block.weight[i];
    add_weighted(rows, i, times.empty() ? w : w * static_cast<double>(times[i]));
  }
}

void ClasswiseBuilder::update_flipped(const ItemBlock& block, std::span<const std::int8_t> signs) {
  if (minus_.empty()) minus_.emplace_back(cells_);
  std::vector<std::uint32_t> kept(signs.size());
  std::vector<std::uint32_t> flipped(signs.size());
  for (std::size_t i = 0; i < signs.size(); ++i) (signs[i] < 0 ? flipped : kept)[i] = 1;
  update(block, kept);
  minus_[0].update(block, flipped);
}

void ClasswiseBuilder::flush_pairs() {
  if (pair_used_ == 0) return;
  if (pair_used_ > detail::kWholeCapacity - total_.mass) flush_whole();
  constexpr int kHalf = kFractionBits / 2;
  const std::size_t classes = cells_.size();
  for (std::size_t k = 0; k < classes; ++k) {
    // The magic number comes off once for each row; all is modulo 2^64, and the sum itself is below that.
    std::uint64_t sum = 0;
    for (std::size_t j = k; j < dense_.size(); j += classes) sum += dense_[j];
    sum -= pair_used_ * detail::kMagicBits;
    high_[k] += sum >> kHalf;
    low_[k] += sum & ((std::uint64_t{1} << kHalf) - 1);
    for (std::size_t c = start_[k]; c < start_[k + 1]; ++c) {
      const detail::PairSums s = detail::read_pair(pair_[c]);
      detail::add_singles(whole_[c], s.p, s.count, s.hits);
      pair_[c] = {};
    }
  }
  std::fill(dense_.begin(), dense_.end(), 0);
  detail::add_singles(total_, 0, pair_used_, 0);
  pair_used_ = 0;
}

void ClasswiseBuilder::flush_whole() {
  make_tables();
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    detail::WholeCell& lowest = whole_[start_[k]];  // so far it holds hits alone
    lowest.p = (static_cast<uint128>(high_[k]) << (kFractionBits / 2)) + low_[k];
    lowest.mass = total_.mass;
    lowest.mass_squared = total_.mass_squared;
    lowest.items = total_.items;
    lowest.votes = total_.votes;
    for (std::size_t c = start_[k] + 1; c < start_[k + 1]; ++c) detail::subtract_mass(lowest, whole_[c]);
    for (std::size_t c = start_[k]; c < start_[k + 1]; ++c) {
      detail::move_into(table_[k].cell[c - start_[k]], whole_[c]);
    }
  }
  std::fill(high_.begin(), high_.end(), 0);
  std::fill(low_.begin(), low_.end(), 0);
  total_ = {};
}

void ClasswiseBuilder::make_tables() {
  if (table_.empty()) table_ = {cells_.begin(), cells_.end()};
}

std::vector<ReliabilityTable> ClasswiseBuilder::finish() {
  flush_pairs();
  flush_whole();
  std::vector<ReliabilityTable> done = std::move(table_);
  table_.clear();
  if (!minus_.empty()) {
    const std::vector<ReliabilityTable> flipped = minus_[0].finish();
    minus_.clear();
    for (std::size_t k = 0; k < done.size(); ++k) {
      for (std::size_t b = 0; b < done[k].cell.size(); ++b) {
        detail::add_flipped(done[k].cell[b], flipped[k].cell[b]);
      }
    }
  }
  return done;
}

}  // namespace plumb
