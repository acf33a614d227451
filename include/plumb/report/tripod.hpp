// The rows that TRIPOD+AI (Collins et al. 2024) asks a paper on a prediction model to report, from a result.
#pragma once

#include <string>
#include <vector>

#include "plumb/result.hpp"

namespace plumb {

struct TripodRow {
  std::string item;     ///< of the checklist, such as "23a"
  std::string topic;    ///< "participants", "calibration", ...
  std::string measure;  ///< a key, or what is counted
  std::string value, low, high, interval, note;
};

/// Numbers of participants and events, performance with its intervals, decisions, and slices. A measure
/// without a value has the reason as its note.
[[nodiscard]] std::vector<TripodRow> tripod_rows(const Result& result);
[[nodiscard]] std::string tripod_csv(const Result& result);   ///< numbers that read back exactly
[[nodiscard]] std::string tripod_html(const Result& result);  ///< a table to paste into a paper

}  // namespace plumb
