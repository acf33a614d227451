// The headline of a report: the verdict on each model, in the words of verdict_words.hpp.
#pragma once

#include <string>
#include <vector>

#include "report/runs.hpp"

namespace plumb::detail {

struct Headline {
  std::string model;
  std::string level;  ///< "trustworthy", "off", "cannot tell"; "none" where there is no verdict
  std::string name;   ///< as shown: "Clearly off"
  std::string text;   ///< options are marked
};

/// One for each model with a verdict; one of the first plot when there is none.
[[nodiscard]] std::vector<Headline> headlines(const Runs& runs);

}  // namespace plumb::detail
