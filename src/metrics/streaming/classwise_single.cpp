// Class-wise tables from single votes of weight one. Long rows: nearly every probability lies in the lowest
// bin, so that dense sums over all bins come first and only what is found beyond the lowest bin is added
// on its own. Short rows: each value goes to its bin, as in a table of one class.
#include "metrics/streaming/bin_kernels.hpp"
#include "metrics/streaming/classwise_rows.hpp"
#include "metrics/streaming/integer_bin.hpp"

namespace plumb {

void ClasswiseBuilder::update_long(const RowBlock& rows) {
  if (pair_.empty()) {
    pair_.resize(integer_.size());
    dense_.resize(rows.classes);
  }
  for (std::size_t i = 0; i < rows.size; ++i) {
    if (pair_used_ == detail::kPairCapacity) flush_long();
    ++pair_used_;
    const double* z = rows.row(i);
    const std::size_t found =
        detail::add_dense(z, rows.classes, beyond_.data(), dense_.data(), found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const std::uint32_t k = found_[f];
      detail::Pair& pair = pair_[place(k, z[k])];
      pair.sum += detail::raw_fixed(z[k]);
      pair.counts += detail::kOneForecast;
    }
    const std::uint32_t vote = rows.votes().cls[i];
    pair_[place(vote, z[vote])].counts += 1;
  }
}

void ClasswiseBuilder::flush_long() {
  if (pair_used_ > detail::kWholeCapacity - total_.mass) flush_integer();
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    // The magic number comes off once for each row; all is modulo 2^64, and the sum itself is below that.
    add_total(k, dense_[k] - pair_used_ * detail::kMagicBits);
    dense_[k] = 0;
    for (std::size_t c = start_[k]; c < start_[k + 1]; ++c) {
      const detail::PairSums s = detail::read_pair(pair_[c]);  // in the lowest bin hits alone
      detail::add_singles(integer_[c], s.p, s.count, s.hits);
      pair_[c] = {};
    }
  }
  detail::add_singles(total_, 0, pair_used_, 0);
  pair_used_ = 0;
}

void ClasswiseBuilder::update_short(const RowBlock& rows) {
  // Table m takes the rows that were drawn m times; what was drawn more often goes another way.
  const std::size_t bins = integer_.size();
  if (pair_.empty()) pair_.resize((detail::kMostDrawn + 1) * bins);
  for (std::size_t begin = 0; begin < rows.size; begin += kGroup) {
    const std::size_t n = std::min(kGroup, rows.size - begin);
    if (pair_used_ + n > detail::kPairCapacity) flush_short();
    pair_used_ += n;
    const double* z = rows.row(begin);
    for (std::size_t r = 0; r < n; ++r) {
      const std::uint32_t drawn = rows.drawn(begin + r);
      const std::size_t table = drawn <= detail::kMostDrawn ? drawn * bins : 0;
      if (begin == 0 || !rows.times.empty()) {
        for (std::size_t k = 0; k < rows.classes; ++k) word_[r * rows.classes + k] = 2 * (table + start_[k]);
      }
      const std::uint32_t vote = rows.votes().cls[begin + r];
      pair_[table + place(vote, z[r * rows.classes + vote])].counts += 1;
      if (drawn > detail::kMostDrawn) add_integer(rows, begin + r, drawn);
    }
    detail::add_rows(edges_[0], z, n * rows.classes, word_.data(), pair_.data());
  }
}

void ClasswiseBuilder::flush_short() {
  if (detail::kMostDrawn * pair_used_ > detail::kWholeCapacity - total_.mass) flush_integer();
  const std::size_t bins = integer_.size();
  for (std::uint64_t m = 1; m <= detail::kMostDrawn; ++m) {
    for (std::size_t k = 0; k < edges_.size(); ++k) {
      std::uint64_t rows = 0;
      for (std::size_t c = start_[k]; c < start_[k + 1]; ++c) {
        const detail::PairSums s = detail::read_pair(pair_[m * bins + c]);
        rows += s.count;
        add_total(k, uint128{m} * s.p);
        const bool lowest = c == start_[k];  // it is what the others leave
        detail::add_singles(integer_[c], lowest ? 0 : s.p, lowest ? 0 : s.count, s.hits, m);
      }
      if (k == 0) detail::add_singles(total_, 0, rows, 0, m);
    }
  }
  std::fill(pair_.begin(), pair_.end(), detail::Pair{});
  pair_used_ = 0;
}

}  // namespace plumb
