// --fail-if "ece.high>0.05": a gate for CI. One grammar for every command (docs/gates.md):
//
//     NAME[.low|.high|.p_value]  > >= < <=  NUMBER
//     [MODEL.]verdict  == !=  trustworthy | off | cannot tell
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct Gate {
  std::string key;  ///< of a verdict: "verdict", or in a comparison "MODEL.verdict"
  std::string op;   ///< > >= < <=; of a verdict: == !=
  double bound = 0;
  std::string field = {};    ///< "low", "high", "p_value"; empty: the value
  std::string verdict = {};  ///< the word that "verdict" is compared with

  [[nodiscard]] bool on_verdict() const { return !verdict.empty(); }
};

/// InputError for anything else.
[[nodiscard]] std::vector<Gate> parse_gates(const Args& texts);
/// InputError for a gate on an unknown metric.
void check_metrics_of(const std::vector<Gate>& gates);
/// InputError for a gate that no p-value of so many replicates can make fail; the smallest is
/// `least` / (replicates + 1).
void check_reach(const std::vector<Gate>& gates, std::int64_t replicates, double least = 1);

/// Where intervals, p-values and verdicts come from, and why there may be none.
struct GateSource {
  std::string what = {};            ///< stands before the key: "the difference of "
  const Verdict* judged = nullptr;  ///< where a gate on the verdict looks; null for commands that reach none
  std::function<const Verdict*(std::string_view)> judged_model = {};  ///< of a comparison: by name
  std::int64_t replicates = 0;
  bool merged = false;  ///< of states, which hold no items to resample
};
/// A sentence for each gate that fails. A gate that cannot be decided, because what it names was not computed
/// or is undefined, is an InputError: a missing value never passes.
[[nodiscard]] std::vector<std::string> gates_that_hold(const std::vector<Gate>& gates,
                                                       const MetricResults& values,
                                                       const GateSource& source = {});

}  // namespace plumb::cli
