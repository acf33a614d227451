// A model file: the steps of a calibration pipeline in order of application. JSON with kind, format version
// and checksum. Written and read as bytes here; plumb/model/model_file.hpp has the files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/step.hpp"

namespace plumb {

struct CalibrationModel {
  std::string task;          ///< "binary", "multiclass", "regression"
  std::int64_t classes = 0;  ///< 2 when binary; regression: outputs d, or 0 when one scale serves any
  std::vector<std::string> class_names;
  /// What the fit saw: "logits", "probabilities"; regression: "variance", "parts".
  std::string input;
  std::vector<Step> steps;
  std::string version;                 ///< of the program that wrote it
  std::vector<std::string> fitted_on;  ///< sha256 of prediction files, to detect an evaluation on them
  std::string name = "the model";      ///< name in messages: the file it was read from; not saved
};

[[nodiscard]] std::string model_text(const CalibrationModel& model);
/// Throws InputError, naming `name` (the file), for files that are truncated, of another kind, edited by hand
/// or of a later format.
[[nodiscard]] CalibrationModel parse_model(std::string_view text, const std::string& name);

}  // namespace plumb
