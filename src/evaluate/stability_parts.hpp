// What subsets of rows and subsets of cases share.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/evaluate/stability.hpp"

namespace plumb::detail {

/// values[repeat][fraction], only repeats in which every fraction has one.
using Paths = std::vector<std::vector<double>>;

[[nodiscard]] std::vector<double> fractions_of(const StabilityOptions& o);
/// How often each unit is in each subset of one repeat.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> subset_counts(std::uint64_t units,
                                                                    const std::vector<double>& fractions,
                                                                    const StabilityOptions& o,
                                                                    std::uint32_t repeat);
[[nodiscard]] StabilityCurve curve_of(const Paths& paths, std::size_t fractions);
/// Ratio of means over repeats and its standard error (delta method; repeats are paired).
void ratio_of(const Paths& single, const Paths& multi, EstimatorStability& out);
/// InputError for what is out of range for so many units.
void check_stability_options(const StabilityOptions& o, std::int64_t units);

}  // namespace plumb::detail
