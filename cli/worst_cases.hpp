// Pictures of the cases with the worst calibration error, for the report.
#pragma once

#include "case_flags.hpp"

namespace plumb::cli {

inline constexpr std::int64_t kWorstCases = 5;

/// Section "worst_cases", from "per_case": reads these cases again. By ece, otherwise by the first metric
/// with a better direction. Nothing where cases are not images.
void add_worst_cases(const CaseInputs& cases, Result& result);

}  // namespace plumb::cli
