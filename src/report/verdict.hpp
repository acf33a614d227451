// The headline of a report: one sentence, and how good the news is.
#pragma once

#include <string>

#include "report/runs.hpp"

namespace plumb::detail {

struct Verdict {
  std::string level;  ///< "good", "fair", "poor"; "open" when the results do not say
  std::string text;
};

[[nodiscard]] Verdict verdict(const Runs& runs);

}  // namespace plumb::detail
