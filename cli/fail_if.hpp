// --fail-if "ece>0.05": a gate for somebody's CI.
#pragma once

#include <string>
#include <vector>

#include "flags.hpp"
#include "plumb/result.hpp"

namespace plumb::cli {

struct Gate {
  std::string key;
  std::string op;  ///< > >= < <=
  double bound = 0;
};

/// InputError for what is no comparison of a known metric with a number.
[[nodiscard]] std::vector<Gate> parse_gates(const Args& texts);
/// A sentence for each gate that holds. InputError when its metric was not computed or is undefined.
[[nodiscard]] std::vector<std::string> gates_that_hold(const std::vector<Gate>& gates, const Result& result);

}  // namespace plumb::cli
