// --fail-if "ece>0.05": a gate for somebody's CI.
#pragma once

#include <string>
#include <vector>

#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct Gate {
  std::string key;
  std::string op;  ///< > >= < <=
  double bound = 0;
};

/// InputError for what is no comparison of a name with a number.
[[nodiscard]] std::vector<Gate> parse_gates(const Args& texts);
/// InputError for a gate on what is no metric of the registry.
void check_metrics_of(const std::vector<Gate>& gates);
/// A sentence for each gate that holds; `what` stands before the key ("the difference of "). InputError when
/// its key was not computed or is undefined.
[[nodiscard]] std::vector<std::string> gates_that_hold(const std::vector<Gate>& gates,
                                                       const MetricResults& values,
                                                       const std::string& what = "");

}  // namespace plumb::cli
