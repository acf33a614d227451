// One p-value for "the forecasts are calibrated", from several tests that see different failures.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "evaluate/prepared.hpp"

namespace plumb::detail {

/// The tests that are combined; all are read off the event's column. Of a key without bound below, its size.
inline constexpr std::array<std::string_view, 5> kOmnibus = {"cox_score", "spiegelhalter_z", "ks", "mmce",
                                                             "ece_mass"};
/// Adds the tests that `part` lacks.
void add_omnibus(Selection& part);

/// Each test ranks the data among the draws of a calibrated model; how often are the smallest tail ranks of a
/// draw as small as those of the data? Rows are values of the tests; the first is the data's. A draw that is
/// as far out as the data counts against rejection.
[[nodiscard]] double smallest_rank_p(std::span<const std::vector<double>> rows);

/// Absent without draws, or where no test has a value.
[[nodiscard]] std::optional<double> omnibus_p(const Scores& observed, std::span<const Drawn> null);

}  // namespace plumb::detail
