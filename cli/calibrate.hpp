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
int calibrate_apply(const Args& args);

/// sha256 of the files that hold the predictions, in the order of the flags.
[[nodiscard]] std::vector<std::string> prediction_digests(const Inputs& inputs);
/// One sentence when the model was fitted on one of these prediction files, else "".
[[nodiscard]] std::string fitted_on_notice(const CalibrationModel& model, const Inputs& inputs);
/// Puts the items as the model gives them in the place of the inputs'; the notice of fitted_on_notice().
[[nodiscard]] std::string apply_calibrator(const std::string& path, int threads, Inputs& inputs);
/// The one file that was given; InputError otherwise.
[[nodiscard]] std::string one_model(const Args& given, const std::string& command);

/// The whole text as a finite number, or nothing.
[[nodiscard]] std::optional<double> number_of(const std::string& text);
/// InputError for a name of another format: what is written are .npy bytes.
void check_npy(const std::string& flag, const std::string& path);

}  // namespace plumb::cli
