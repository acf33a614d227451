// What comparisons of items and of cases have in common: models by name, and gates on differences.
#pragma once

#include <string>
#include <vector>

#include "fail_if.hpp"
#include "plumb/evaluate/compare.hpp"

namespace plumb::cli {

/// A model as NAME=FILE, and the flag that gave it.
struct NamedFile {
  std::string name, path, flag;
};
/// InputError for what is not NAME=FILE.
[[nodiscard]] NamedFile named_file(const std::string& flag, const std::string& text);
[[nodiscard]] Args names_of(const std::vector<NamedFile>& models);

/// Differences from the reference, otherwise from the first model: "NAME.nll", or "nll" if there are two.
[[nodiscard]] MetricResults gated_differences(const Comparison& c);
/// InputError for wrong gates and an unknown reference; called before anything is computed.
void check_compare_gates(std::vector<Gate> gates, Args models, const std::string& reference, int replicates);

}  // namespace plumb::cli
