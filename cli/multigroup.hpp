// `plumb calibrate fit --method multigroup`, and `apply` of such a model.
#pragma once

#include <cstdint>
#include <string>

#include "inputs.hpp"
#include "plumb/calibrate/model.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

[[nodiscard]] bool is_multigroup_fit(const Args& args);
int fit_multigroup_command(const Args& args);

/// `apply` of a model that repairs groups, which --by names.
struct MultigroupToFile {
  const CalibrationModel& model;
  const std::string& path;  ///< of the model
  const InputFlags& inputs;
  std::string out;
  std::int64_t threads;
  bool quiet;
};
int apply_multigroup_to_file(const MultigroupToFile& given);

}  // namespace plumb::cli
