// A simulated cohort: cells on blood smears, raters who disagree, and an over-confident model. For the demo,
// the docs and tests that need a known truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/numeric/narrow.hpp"

namespace plumb {

struct CohortOptions {
  std::int64_t items = 6000;
  std::uint64_t seed = 0;
  double sharpening = 2.5;   ///< the model's logits are the true ones times this; 1 would be calibrated
  double model_noise = 0.8;  ///< standard deviation of the model's error, on the true logits
};

/// All columns have one entry (or one row) per item. Votes of an item are independent draws from its `truth`.
struct Cohort {
  std::int64_t items = 0;
  std::vector<std::string> class_names;  ///< K of them
  int raters = 0;                        ///< R; each item is seen by 3 to R of them
  std::vector<double> truth;             ///< N x K: what a rater answers, and how often
  std::vector<float> logits;             ///< N x K, the model's
  std::vector<float> probs;              ///< N x K, their softmax
  std::vector<std::int64_t> ratings;     ///< N x R: class by rater, -1 where not rated
  std::vector<std::int64_t> counts;      ///< N x K votes
  std::vector<std::uint8_t> labels;      ///< N: the majority vote, the lowest class among equals
  std::vector<std::string> patient;      ///< N: twenty cells each
  std::vector<std::string> site;         ///< N: where the patient was seen; the slides of one site are poor

  [[nodiscard]] int classes() const { return narrow<int>(class_names.size()); }
};

/// Item i depends on (seed, i) alone, so a larger cohort begins with the items of a smaller one.
[[nodiscard]] Cohort simulate_cohort(const CohortOptions& options);

/// Items [begin, end).
[[nodiscard]] Cohort slice(const Cohort& cohort, std::int64_t begin, std::int64_t end);

/// Where to cut into a validation part (before) and a test part: a third, at the border of a patient.
[[nodiscard]] std::int64_t validation_size(const Cohort& cohort);

}  // namespace plumb
