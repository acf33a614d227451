// Data compressed for smooth kernels: Chebyshev moments of the votes in each box of a partition.
//
// A kernel that is smooth across a box is a short Chebyshev series there, so its sum over the votes of the
// box is a linear function of the 16 moments sum_j m_j T_k(t_j), t in [-1, 1] the place within the box. (This
// is the same compression as spreading every vote on 16 Chebyshev nodes with Lagrange weights; the moments
// are bounded by the mass and cheaper.)
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

inline constexpr int kMoments = 16;

/// Moments of w n (all votes) and w h (hits), order-free: T_k enters as the nearest multiple of 2^-50 (with
/// weights that are not whole: w n T_k as a double). Plain data; merging is exact.
struct BoxMoments {
  std::vector<ExactSum> w;  ///< [box * kMoments + k]
  std::vector<ExactSum> wy;
  BoxMoments() = default;
  explicit BoxMoments(std::size_t boxes) : w(boxes * kMoments), wy(boxes * kMoments) {}
  [[nodiscard]] std::size_t boxes() const { return w.size() / kMoments; }
  void merge(const BoxMoments& other);  ///< throws std::invalid_argument when the numbers of boxes differ
  friend bool operator==(const BoxMoments&, const BoxMoments&) = default;
};

/// The same as numbers, each rounded once.
struct MomentValues {
  std::vector<std::array<double, kMoments>> w, wy;  ///< by box
  double weight = 0;                                ///< of all votes
  explicit MomentValues(std::size_t boxes) : w(boxes), wy(boxes) {}
  explicit MomentValues(const BoxMoments& moments);
};

/// Fills moments. Votes of weight one (and whole `times`) take an integer path of a few nanoseconds per item.
class MomentBuilder {
 public:
  explicit MomentBuilder(std::size_t boxes);
  /// Item i lies in box[i] at t[i]; masses and hits from `f`, whose p is not read.
  void update(std::span<const std::uint32_t> box, std::span<const double> t, const ForecastsView& f);
  void merge(MomentBuilder& other);   ///< takes over all that the other holds, over the same boxes
  [[nodiscard]] BoxMoments finish();  ///< flushes; the builder is then empty
  /// MomentValues(finish()), without exact sums where integers hold all.
  [[nodiscard]] MomentValues finish_values();

 private:
  using Wide = std::array<int128, 2 * kMoments>;  // [miss, hit][k] in units of 2^-50
  Wide& wide_of(std::size_t box);
  void flush(std::size_t box);
  void flush_all();
  void clear();
  void reserve(std::span<const std::uint32_t> box, std::span<const std::uint32_t> votes);
  void update_single(std::span<const std::uint32_t> box, std::span<const double> t,
                     std::span<const double> hits);
  void update_exact(std::uint32_t box, double t, double mass, double hits);
  BoxMoments& exact_sums();
  BoxMoments sums_;                        // empty until integers do not suffice
  std::vector<std::int64_t> narrow_;       // [box][miss, hit][k] in units of 2^-50
  std::vector<std::uint32_t> spent_;       // votes in narrow_ of a box: flushed before it can overflow
  std::vector<Wide> wide_;                 // of the boxes that were flushed
  std::vector<std::uint32_t> wide_place_;  // by box: its place in wide_ and one, or 0
};

}  // namespace plumb
