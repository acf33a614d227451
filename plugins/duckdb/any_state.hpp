// A state file's bytes of either kind: classification or regression.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumb/api/accumulator.hpp"
#include "plumb/data/check.hpp"

namespace plumb::duckdb {

class AnyState {
 public:
  /// `keys` are the metrics of finish(); empty: the default ones.
  explicit AnyState(std::string_view bytes, std::vector<std::string> keys = {}) {
    if (is_regression_state(bytes)) {
      RegressionOptions options;
      options.metrics = std::move(keys);
      options.threads = 1;
      sums_ = RegressionAccumulator::from_bytes(bytes, options);
    } else {
      EvaluateOptions options;
      options.metrics = std::move(keys);
      options.threads = 1;
      sums_ = Accumulator::from_bytes(bytes, options);
    }
  }
  void merge(const AnyState& other) {
    if (sums_.index() != other.sums_.index())
      throw InputError("a state of a classification and one of a regression cannot be merged");
    std::visit([&]<class Sums>(Sums& sums) { sums.merge(std::get<Sums>(other.sums_)); }, sums_);
  }
  [[nodiscard]] std::string to_bytes() const {
    return std::visit([](const auto& sums) { return sums.to_bytes(); }, sums_);
  }
  [[nodiscard]] Result finish() const {
    return std::visit([](const auto& sums) { return sums.finish(); }, sums_);
  }

 private:
  std::variant<Accumulator, RegressionAccumulator> sums_;
};

}  // namespace plumb::duckdb
