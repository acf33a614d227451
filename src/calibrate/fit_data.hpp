// Items in memory for the methods that iterate: scores in double, votes by item, all of it per vote.
#pragma once

#include <cstdint>

#include "calibrate/ballots.hpp"

namespace plumb::detail {

enum class ScoreKind {
  logits,             ///< as scores.hpp gives them
  log_probabilities,  ///< log softmax(u / T), not below log kScoreClip; two columns when binary
};

/// Only items with votes and weight; order of the rows kept. Shares are divided by the total, so that sums
/// over votes are means per vote. With a prior, its pseudo-votes are entries too, one for each class.
struct FitData {
  std::int64_t size = 0;
  int width = 0;            ///< columns of u that mean something
  std::int64_t stride = 0;  ///< padded(width), or 1 when width is 1; the rest is 0
  std::vector<double> u;
  std::vector<double> mass;          ///< w n / total
  std::vector<std::int64_t> offset;  ///< size + 1: entries of item i in cls, share
  std::vector<std::uint32_t> cls;
  std::vector<double> share;  ///< w y_k / total
  std::int64_t clipped = 0;

  [[nodiscard]] const double* row(std::int64_t i) const { return u.data() + i * stride; }
};
[[nodiscard]] FitData load_fit_data(const Items& items, const Tally& tally, ScoreKind kind,
                                    double temperature, const FitOptions& options);

/// log softmax(u / T) of rows, clipped; in and out may be the same. Returns how many were clipped.
std::int64_t log_probabilities(std::span<const double> u, int width, double temperature,
                               std::span<double> out);
/// (log(1 - p), log p) of log-odds u / T, clipped; `out` has two numbers per row.
std::int64_t log_probability_pairs(std::span<const double> u, double temperature, std::span<double> out);

}  // namespace plumb::detail
