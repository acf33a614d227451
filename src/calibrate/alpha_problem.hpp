// The objective of alpha-calibration: mean over items with two votes or more of the Dirichlet-multinomial
// negative log-likelihood (Mimori 2021, eq. 53's counterpart) plus lambda (log alpha_0)^2.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/calibrate/fit.hpp"
#include "plumb/data/items.hpp"

namespace plumb::detail {

/// InputError for a feature that is not finite or too large to be squared and summed.
void check_feature(double x, const Rows& features, std::int64_t row, std::int64_t column);

struct AlphaSpread {
  double middle = 0, error = 0;
};

class AlphaProblem {
 public:
  AlphaProblem(const Items& items, const FitOptions& options, double lambda);

  [[nodiscard]] std::int64_t unknowns() const { return features_ + 1; }  ///< bias first
  [[nodiscard]] std::int64_t items() const { return weight_.size(); }
  [[nodiscard]] std::int64_t votes() const { return votes_; }
  [[nodiscard]] std::int64_t clipped() const { return clipped_; }
  [[nodiscard]] std::int64_t single() const { return single_; }  ///< items of one vote, left out

  /// Objective at theta (of standardised features), its gradient, and each item's curvature kept for times().
  double value(std::span<const double> theta, std::span<double> gradient);
  /// Hessian of the last value() call times v.
  void times(std::span<const double> v, std::span<double> out) const;
  /// log alpha_0 for average features without the pull of the penalty, by one Newton step from the optimum
  /// theta, and its standard error: the sandwich of the curvature and of the gradients' variance between
  /// units (groups if given, otherwise items). Absent where alpha_0 stands on its bound, with fewer than two
  /// units, or with very many features.
  [[nodiscard]] std::optional<AlphaSpread> log_alpha_spread(std::span<const double> theta,
                                                            const Names& groups) const;
  /// Bias first, for features as they are in the file.
  [[nodiscard]] std::vector<double> in_file_units(std::span<const double> theta) const;
  [[nodiscard]] std::vector<double> gradient_in_file_units(std::span<const double> gradient) const;

 private:
  void read(const Items& items, const FitOptions& options);
  void standardise();
  template <class Body>
  void each_block(std::int64_t sums, std::span<double> total, Body body) const;

  int threads_;
  double lambda_;
  std::int64_t features_ = 0;
  std::vector<double> x_;  // items x features, standardised
  std::vector<double> mean_, scale_;
  std::vector<double> weight_, curvature_;
  std::vector<std::uint32_t> total_;
  std::vector<std::int64_t> row_;     // of the items that are kept
  std::vector<std::int64_t> offset_;  // of each item's votes
  std::vector<double> z_;             // probability of each class voted for
  std::vector<std::uint32_t> count_;  // its votes
  double constant_ = 0;               // mean of -sum y log z
  double mass_ = 0;
  std::int64_t votes_ = 0, clipped_ = 0, single_ = 0;
};

}  // namespace plumb::detail
