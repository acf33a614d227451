// Model files: models of plumb/calibrate on disk.
#pragma once

#include <string>

#include "plumb/calibrate/model.hpp"

namespace plumb {

/// The model of a file that `plumb calibrate fit` or save_model() wrote; its name is the path. InputError for
/// what parse_model() refuses and for files above 1 GB.
[[nodiscard]] CalibrationModel load_model(const std::string& path);

/// The file appears complete or not at all. InputError when it cannot be written.
void save_model(const CalibrationModel& model, const std::string& path);

}  // namespace plumb
