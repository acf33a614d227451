// From compressed sums to kernel sums at any point: everything that depends on the bandwidth alone is kept in
// a plan, so that replicates of one column pay for it once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/metrics/kernel/beta_sums.hpp"

namespace plumb {

/// G(x) = sum_j m_j k(x; q_j) / k(x; x) of all votes and of the hits, as one Chebyshev series in each target
/// box. A vote's own part in G is its weight.
struct BetaValues {
  BetaBoxes boxes;
  std::vector<std::uint32_t> row;   ///< by side * target_boxes + box: place in the vectors below
  std::vector<double> coefficient;  ///< [row][all votes, hits][kMoments]
  std::vector<double>
      error;  ///< [row]: bound on the error of G; row 0 stands for boxes without votes: infinite
};

/// log k(x; x) as series in the rows of `values`: the density of p is G k(x; x) / weight.
/// The second of each pair is 0.
[[nodiscard]] std::vector<double> log_peak_series(const BetaValues& values);

/// Evaluates G at the p of a block. Not shared between threads: it keeps its scratch.
class BetaEvaluator {
 public:
  explicit BetaEvaluator(const BetaValues& values);
  ~BetaEvaluator();
  BetaEvaluator(BetaEvaluator&&) noexcept;
  /// After this, all()[i], hits()[i] are G at p[i], 0 < p[i] < 1, with error at most error()[i].
  void evaluate(std::span<const double> p);
  /// Another pair of series in the rows of `values`, at the same p.
  void evaluate_other(std::span<const double> coefficient, std::span<double> first,
                      std::span<double> second) const;
  [[nodiscard]] std::span<const double> all() const { return all_; }
  [[nodiscard]] std::span<const double> hits() const { return hits_; }
  [[nodiscard]] std::span<const double> error() const { return error_; }

 private:
  const BetaValues* values_;
  std::shared_ptr<const detail::BetaLayout> layout_;
  std::vector<std::uint32_t> row_;
  std::vector<double> t_, all_, hits_, error_;
};

inline constexpr double kKernelAccuracy = 1e-10;

/// Thread-safe; blocks of the kernel are made when first needed and kept.
class BetaPlan {
 public:
  explicit BetaPlan(double bandwidth, double accuracy = kKernelAccuracy);
  ~BetaPlan();
  BetaPlan(BetaPlan&&) noexcept;
  BetaPlan& operator=(BetaPlan&&) noexcept;

  [[nodiscard]] const BetaBoxes& boxes() const { return boxes_; }
  [[nodiscard]] double bandwidth() const { return boxes_.bandwidth; }
  [[nodiscard]] double accuracy() const { return accuracy_; }
  /// For the boxes where `sums` has votes.
  [[nodiscard]] BetaValues values(const BetaSums& sums, int threads = 0) const;

  /// The series of the hits alone in the rows of `values`, for several draws of them on the votes of `sums`.
  /// `moments`: [box][draw]; the result: [row][draw][kMoments].
  [[nodiscard]] std::vector<double> series_of_hits(const BetaSums& sums, const BetaValues& values,
                                                   std::span<const std::array<double, kMoments>> moments,
                                                   std::size_t draws) const;

 private:
  struct Row;
  struct Rows;
  BetaBoxes boxes_;
  double accuracy_;
  [[nodiscard]] const Row& row(int target) const;
  std::unique_ptr<Rows> rows_;
};

}  // namespace plumb
