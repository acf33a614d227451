// How an estimate changes as the test set shrinks, with one label per item and with all votes (Riera-Marin
// 2025, section 2.3), and how many items or raters a given precision requires.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb {

enum class Subsets { nested, independent };
enum class SingleLabel { majority, random, rater };

struct StabilityOptions {
  std::vector<std::string> estimators = {"ece"};  ///< registry keys
  double from = 0.2, step = 0.05;
  int repeats = 100;
  Subsets subsets = Subsets::nested;
  SingleLabel single = SingleLabel::majority;
  int rater = 0;  ///< with SingleLabel::rater
  std::vector<int> raters =
      {};  ///< numbers of votes per item to report the standard error for; empty: 1, 2, 3, 5, 10, 20, 50
  EvaluateOptions evaluate = {};  ///< bins, binning, clip, seed, threads
  std::function<void(double)> progress = {};
};

struct Spread {
  double value = 0, sd = 0;  ///< over repeats
};

/// The curve of one estimator over the fractions, and its total variation.
struct StabilityCurve {
  std::vector<double> mean, sd;  ///< by fraction, over repeats
  Spread tv_mean, tv_sum;  ///< mean and sum of the absolute changes between neighbouring fractions (eq. 6)
  int repeats = 0;         ///< in which every fraction had a value
};

struct PrecisionRow {
  std::int64_t items = 0;  ///< units in the subset
  int raters = 0;          ///< votes per item at most; 0: all there are
  double se = 0;           ///< standard error of the estimate
};

struct EstimatorStability {
  std::string key;
  StabilityCurve multi, single;
  std::optional<double> ratio;  ///< tv of single over multi; absent when multi does not vary
  double ratio_se = 0;          ///< over repeats, by the delta method
  bool has_single = false;      ///< false when every item has one vote: then both are the same
  std::vector<PrecisionRow> precision;
};

struct Stability {
  std::vector<double> fractions;
  std::int64_t units = 0, items = 0, votes = 0;
  std::vector<EstimatorStability> estimators;
};

/// Each repeat draws as many units as there are, with replacement; a subset of fraction f is round(f units)
/// of those draws: the first ones (nested), or new ones for every fraction (independent). Weights on rows, so
/// repeats do not copy data.
[[nodiscard]] Stability stability(const Items& items, const StabilityOptions& options = {});

/// InputError for what is neither "majority", "random" nor "rater:" followed by a name or number.
void check_single(const std::string& text);
/// Sets the one label of each item by such a word; a rater by name, otherwise by number from 0.
void set_single(StabilityOptions& options, const std::string& text, const Votes& votes);

/// Items with at most `votes` votes each, drawn without replacement: a function of (seed, repeat, row).
[[nodiscard]] Items draw_votes(const Items& items, int votes, std::uint64_t seed, std::uint32_t repeat,
                               int threads);

}  // namespace plumb
