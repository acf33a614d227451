// From draws to intervals and p-values, as the registry says for each metric.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluate/prepared.hpp"
#include "plumb/registry.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Values of each key over the draws that had one.
using Replicates = std::map<std::string, std::vector<double>, std::less<>>;
[[nodiscard]] Replicates by_key(const std::vector<Drawn>& draws);

[[nodiscard]] MetricResult result_of(const Estimate& estimate);
/// Adds null mean and p-value from null draws, then the interval from the others; without draws nothing.
void add_intervals(const MetricRow& row, const Replicates& draws, const Replicates& null, double level,
                   MetricResult& m);

}  // namespace plumb::detail
