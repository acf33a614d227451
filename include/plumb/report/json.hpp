// The result as JSON: the contract that other programs read (docs/result.schema.json).
#pragma once

#include <span>
#include <string>

#include "plumb/calibrate/fit.hpp"
#include "plumb/data/option_name.hpp"
#include "plumb/registry.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// Floats read back exactly; what is undefined is null with its reason. One line for each metric and table
/// row, a newline at the end. A value that is not finite is a fault of the program: std::logic_error names
/// it. Reasons and notes have option names in backticks, for every front end.
[[nodiscard]] std::string render_json(const Result& result);

/// {"plumb", "metrics": [...], "calibrators": [...]}: what `plumb list` prints as JSON.
[[nodiscard]] std::string render_list_json(std::span<const MetricRow> metrics, const std::string& version,
                                           std::span<const CalibratorRow> calibrators = {});

}  // namespace plumb
