// Fitting: one function a method, found by its name in one table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

/// Defaults live here alone. What a method does not use it ignores; the command line refuses flags that do
/// nothing.
struct FitOptions {
  std::optional<double> lambda_b = {}, lambda_w = {},
                        lambda = {};  ///< absent: the method's default (contract section 8)
  bool tune = false;                  ///< choose the strengths by held-out log-loss, then refit on all
  int folds = 0;                      ///< of --tune and auto; 0: one hold-out of 0.2 (tune), 5 folds (auto)
  int bins = 15;                      ///< histogram
  Rows features = {};                 ///< alpha: N x F, or empty
  bool weight_votes = false;          ///< alpha: weigh items by n / mean n
  std::uint64_t seed = 0;             ///< of the splits
  int threads = 0;                    ///< never moves a bit
  std::function<void(double)> progress = {};
};

using FitFunction = Step (*)(const Items&, const FitOptions&);

enum class Complexity { none, one, few, per_class, per_pair, free };  ///< `auto` prefers the simpler

struct CalibratorRow {
  std::string_view method;
  bool binary, multiclass;  ///< tasks it serves
  Complexity complexity;
  bool candidate;   ///< of `auto`
  FitFunction fit;  ///< null for auto, which is fit_auto()
  std::string_view line;
};

/// In the order of contract section 8; classification only.
[[nodiscard]] std::span<const CalibratorRow> calibrators();
[[nodiscard]] const CalibratorRow* find_calibrator(std::string_view method);

/// Checks the items (votes there, task served, K >= 3 where needed) and fits. "--tune" and "auto" included.
/// Throws InputError for an unknown method, with the nearest known one.
[[nodiscard]] std::vector<Step> fit_calibrator(std::string_view method, const Items& items,
                                               const FitOptions& options);

// One per method; src/calibrate/<method>.cpp.
[[nodiscard]] Step fit_none(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_temperature(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_vector(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_matrix(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_dirichlet(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_beta(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_platt(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_isotonic(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_histogram(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_ets(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_mix_n_match(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_alpha(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_structured_vector(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_structured_matrix(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_quadratic(const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_spline(const Items& items, const FitOptions& options);

/// One method on k folds (by group, else item): mean held-out log-loss per vote and its standard error.
struct LeagueRow {
  std::string method;
  double nll = 0, se = 0;  ///< over units
  double gain_se = 0;      ///< standard error of the difference to the best
  bool within = false, chosen = false;
  std::string why;  ///< when it could not be fitted
};
struct AutoChoice {
  std::vector<Step> steps;
  std::vector<LeagueRow> league;  ///< best first
};
[[nodiscard]] AutoChoice fit_auto(const Items& items, const FitOptions& options);

/// Fold of every item in [0, folds), by unit: the same for any threads and shards.
[[nodiscard]] std::vector<int> split_folds(const Items& items, int folds, std::uint64_t seed);

}  // namespace plumb
