// Training from options to a run folder. No LibTorch in this header: the command line includes it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "train/heads.hpp"
#include "train/options/options.hpp"

namespace plumb::train {

struct Hooks {
  std::function<void(const std::string& line)> status = {};    ///< one line that replaces the last: progress
  std::function<void(const std::string& line)> say = {};       ///< one line that stays
  std::function<void(const std::string& line)> complain = {};  ///< the same, also when quiet
  std::function<bool()> interrupted = {};
};

struct Interrupted {
};  ///< thrown when hooks.interrupted() is true; the checkpoint of the last epoch is on disk

/// result.json: the chosen epoch, the epochs run, and the metrics of each part.
struct RunResult {
  std::string method;
  std::int64_t epochs = 0, best_epoch = 0;
  double seconds = 0;
  std::optional<double> strength;  ///< the one that --tune chose
  std::map<std::string, std::map<std::string, std::optional<double>>> metrics;
  [[nodiscard]] std::optional<double> metric(const std::string& part, const std::string& key) const;
};
[[nodiscard]] std::string to_json(const RunResult& r);
[[nodiscard]] RunResult read_result(const std::string& folder);  ///< InputError when there is none
/// The method, or the head of a regression, which is its likelihood.
[[nodiscard]] std::string method_name(const TrainOptions& o, Head head);
[[nodiscard]] bool is_finished(const std::string& folder);
/// Also when it is the folder itself, however it is named.
[[nodiscard]] bool lies_within(const std::string& path, const std::string& folder);
/// The run in whose own files (train/, validation/, test/, members, strengths or its folder itself) this path
/// lies; "" where there is none.
[[nodiscard]] std::string owner_of(const std::string& path);

/// One network into o.out. A folder that holds a run already is continued when its config.json says the same,
/// and refused otherwise.
RunResult train_one(const TrainOptions& o, const Hooks& hooks);
/// One network, an ensemble (member_0, ...) or a sweep of strengths (strength_0.5, ...).
RunResult train_run(const TrainOptions& o, const Hooks& hooks);
/// The options of a run folder, for --resume.
[[nodiscard]] TrainOptions read_config(const std::string& folder);
void write_config(const TrainOptions& o);

/// grid.json: {"base": {options}, "vary": {"method": [...], "seed": [...]}}; cells are folders of `out`.
/// Finished cells are left alone (InputError if their options differ), cells that another process works on
/// are skipped, a cell that cannot be run is reported and skipped. Writes grid.csv.
struct GridOutcome {
  std::int64_t missing = 0;   ///< not done, of which
  std::int64_t busy = 0;      ///< being worked on by another process
  std::int64_t diverged = 0;  ///< without a finite validation log-loss
};
GridOutcome run_grid(const std::string& grid, const TrainOptions& how, const Hooks& hooks);

/// Samples of a run, or of an ensemble, into o.out.
std::string predict_run(const PredictOptions& o, const Hooks& hooks);

}  // namespace plumb::train
