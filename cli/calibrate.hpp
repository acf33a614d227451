// The parts of `plumb calibrate`.
#pragma once

#include <optional>

#include "commands.hpp"
#include "inputs.hpp"
#include "plumb/calibrate/model.hpp"

namespace plumb::cli {

int calibrate_fit(const Args& args);
/// When --manifest is among the arguments.
int calibrate_fit_manifest(const Args& args);
/// When --states is among the arguments.
int calibrate_fit_states(const Args& args);
int calibrate_apply(const Args& args);
/// `fit --method sets`, and `apply` of such a model.
int calibrate_fit_sets(const Args& args);
[[nodiscard]] bool is_sets_fit(const Args& args);
/// `fit --method risk-control`; `apply` of such a model is that of sets.
int calibrate_fit_risk(const Args& args);
[[nodiscard]] bool is_risk_fit(const Args& args);
struct SetsToFile {
  const CalibrationModel& model;
  const InputFlags& inputs;
  std::string out, level;  ///< level: as given; empty: the only one
  std::int64_t threads;
  bool quiet;
};
int apply_sets_to_file(const SetsToFile& given);
/// When --manifest is among the arguments.
int calibrate_apply_manifest(const Args& args);

/// sha256 of the files that hold the predictions, in the order of the flags.
[[nodiscard]] std::vector<std::string> prediction_digests(const Inputs& inputs);
/// One sentence when the model was fitted on one of these prediction files, otherwise "".
[[nodiscard]] std::string fitted_on_notice(const CalibrationModel& model, const Inputs& inputs);
/// Replaces the items of the inputs with the output of the model; returns fitted_on_notice().
[[nodiscard]] std::string apply_calibrator(const std::string& path, int threads, Inputs& inputs);
/// The one file that was given; InputError otherwise.
[[nodiscard]] std::string one_model(const Args& given, const std::string& command);

/// The whole text as a finite number, or nothing.
[[nodiscard]] std::optional<double> number_of(const std::string& text);
/// InputError for a name of a format that numbers are not written in.
void check_numbers_path(const std::string& flag, const std::string& path);

}  // namespace plumb::cli
