#include "evaluate/drawn_hits.hpp"

namespace plumb::detail {

DrawnHits::DrawnHits(std::int64_t rows, std::int64_t draws, double most_votes) {
  constexpr std::int64_t kMostBytes = 64 << 20;
  const bool single = most_votes <= 1;
  if (most_votes > 255 || rows * draws > kMostBytes * (single ? 8 : 1)) return;
  if (single) {
    bits_.assign(draws, std::vector<std::uint64_t>((rows + 63) / 64));
  } else {
    bytes_.assign(draws, std::vector<std::uint8_t>(rows));
  }
}

void DrawnHits::set(std::int64_t draw, std::int64_t begin, std::span<const double> hits) {
  if (!bytes_.empty()) {
    std::uint8_t* to = bytes_[draw].data() + begin;
    for (std::size_t i = 0; i < hits.size(); ++i) to[i] = static_cast<std::uint8_t>(hits[i]);
    return;
  }
  if (begin % 64 != 0) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const std::uint64_t row = static_cast<std::uint64_t>(begin) + i;
      bits_[draw][row / 64] |= std::uint64_t{hits[i] != 0} << (row % 64);
    }
    return;
  }
  std::uint64_t* to = bits_[draw].data() + begin / 64;
  for (std::size_t i = 0; i < hits.size(); i += 64, ++to) {
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < 64 && i + j < hits.size(); ++j) word |= std::uint64_t{hits[i + j] != 0} << j;
    *to |= word;
  }
}

void DrawnHits::gather(std::int64_t draw, std::span<const std::uint64_t> rows,
                       std::vector<double>& out) const {
  out.resize(rows.size());
  if (!bytes_.empty()) {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = bytes_[draw][rows[i]];
    return;
  }
  const std::uint64_t* from = bits_[draw].data();
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = static_cast<double>(static_cast<std::int64_t>(from[rows[i] / 64] >> (rows[i] % 64) & 1));
}

}  // namespace plumb::detail
