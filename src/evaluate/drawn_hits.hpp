// Hits of the event in draws of a calibrated model: drawn once, by row, for the streaming pass and for the
// sorted columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb::detail {

/// A bit for each row and draw where every item has one vote, otherwise a byte. One thread writes a draw.
class DrawnHits {
 public:
  /// Nothing is kept if that would take more than 64 MB, or if an item has more than 255 votes.
  DrawnHits(std::int64_t rows, std::int64_t draws, double most_votes);
  [[nodiscard]] bool kept() const { return !bits_.empty() || !bytes_.empty(); }
  /// Hits of the rows from `begin` on; each row is set once.
  void set(std::int64_t draw, std::int64_t begin, std::span<const double> hits);
  /// out[i]: hits of rows[i].
  void gather(std::int64_t draw, std::span<const std::uint64_t> rows, std::vector<double>& out) const;

 private:
  std::vector<std::vector<std::uint64_t>> bits_;
  std::vector<std::vector<std::uint8_t>> bytes_;
};

}  // namespace plumb::detail
