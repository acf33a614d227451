// Fitting a calibrator of class probabilities: the options, and the table of methods, one row per method.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/step.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

class CalibrationMap;
namespace detail {
class OnnxFlow;
}

inline constexpr std::int64_t kHistogramBins = 15;
/// Pseudo-votes of the prior that `auto` uses and that other methods fall back to.
inline constexpr double kPriorVotes = 5;

/// Absent options take the method's default (docs/calibrators). An option that a method does not use is
/// refused, not ignored.
struct FitOptions {
  std::optional<double> lambda_b = {}, lambda_w = {}, lambda = {};  ///< strengths of penalties
  bool tune = false;  ///< choose the strengths by held-out log-loss, then refit on all
  std::optional<std::int64_t> folds =
      {};  ///< 2 to 1000; absent: one hold-out of 0.2 (tune), 5 folds (auto, spline)
  std::optional<std::int64_t> bins = {};  ///< histogram; absent: kHistogramBins
  /// Weight c of a prior that shrinks the fit towards the uncalibrated predictions and keeps every class
  /// possible: the objective gets (c/n) sum_i sum_k t_ik (-log q_ik) with t = (n z + 1/K)/(n + 1), n the
  /// weight of all votes (single votes: the number of items), spread like the votes. Absent: kPriorVotes for
  /// auto; otherwise 0, the papers' objective, and kPriorVotes if that has no finite optimum, which the
  /// report states.
  std::optional<double> prior_votes = {};
  Rows features = {};                         ///< alpha: N x F, or empty
  bool weight_votes = false;                  ///< alpha: weigh items by n / mean n
  std::uint64_t seed = 0;                     ///< of the splits
  int threads = 0;                            ///< does not affect the results
  std::function<void(double)> progress = {};  ///< called with the share done, from one thread at a time
  std::stop_token cancel = {};                ///< ends tuning, auto and cross-fitting with Cancelled
};

using FitFunction = Step (*)(const Items&, const FitOptions&);

enum class Tasks { binary, multiclass, any };
/// What the number of parameters grows with; methods that are not candidates of `auto` have no rank.
enum class Complexity { none, one, few, per_class, per_pair, free, unranked };

/// Everything about a method, defined in its own file, src/calibrate/<method>.cpp.
struct CalibratorRow {
  std::string_view method;
  Tasks tasks = Tasks::any;
  Complexity complexity = Complexity::none;
  std::array<std::string_view, 4> options = {};  ///< options that it uses besides the last four
  FitFunction fit = nullptr;                     ///< for items that check_fit() has seen
  std::unique_ptr<CalibrationMap> (*map)(const Step&, int classes) = nullptr;  ///< null for auto
  void (*onnx)(detail::OnnxFlow&, const Step&) = nullptr;
  std::string_view line = {};
  int numbers = 0;  ///< parameters besides those that grow with the classes

  /// How many numbers it fits: `auto` tries the fewest first.
  [[nodiscard]] std::int64_t parameters(std::int64_t classes) const;
  [[nodiscard]] bool uses(std::string_view option) const;
  [[nodiscard]] bool serves(int classes) const {
    return tasks == Tasks::any || (tasks == Tasks::binary) == (classes == 2);
  }
};

/// Classification only; `plumb list` shows them in this order.
[[nodiscard]] std::span<const CalibratorRow> calibrators();
[[nodiscard]] const CalibratorRow* find_calibrator(std::string_view method);

/// InputError for an unknown method (with the nearest known one), an option that the method does not use, and
/// a value out of range. Front ends may call this before they read files.
void check_fit_options(std::string_view method, const FitOptions& options);
/// Also checks the items: there are votes, and the method supports the task.
void check_fit(std::string_view method, const Items& items, const FitOptions& options);

/// check_fit(), then the fit; "tune" and "auto" included.
[[nodiscard]] std::vector<Step> fit_calibrator(std::string_view method, const Items& items,
                                               const FitOptions& options);

/// One candidate of auto on k folds (by group if given, otherwise the item), repeated: mean held-out log-loss
/// per vote.
struct LeagueRow {
  std::string method;
  std::int64_t parameters = 0;
  double nll = 0, se = 0;        ///< over units
  double gain = 0, gain_se = 0;  ///< over none, and its standard error, paired by unit
  bool chosen = false;
  std::string why;  ///< when it could not be fitted
};
struct AutoChoice {
  std::vector<Step> steps;
  std::vector<LeagueRow> league;  ///< best first
};
[[nodiscard]] AutoChoice fit_auto(const Items& items, const FitOptions& options);

/// Fold of every item in [0, folds), by unit: the same for any number of threads and shards. Each `repeat`
/// assigns new folds.
[[nodiscard]] std::vector<int> split_folds(const Items& items, int folds, std::uint64_t seed,
                                           std::uint32_t repeat = 0);

}  // namespace plumb
