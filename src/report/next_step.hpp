// The suggested next command, with the user's file names.
#pragma once

#include <string>
#include <vector>

#include "plumb/result.hpp"
#include "report/sentence.hpp"

namespace plumb::detail {

struct NextStep {
  std::string why;  ///< "Fit a calibrator ...:"; options are marked
  /// The command as a shell takes it, in parts that stay together on a line: `plumb evaluate`, `--probs
  /// p.npy`. Empty when the result does not tell its command line.
  std::vector<std::string> parts = {};
  std::vector<Claim> claims = {};             ///< what the advice presupposes
  [[nodiscard]] std::string command() const;  ///< on one line
};
/// Empty when there is nothing to advise.
[[nodiscard]] NextStep next_step(const Result& result);

}  // namespace plumb::detail
