// Evaluation of data that arrive in batches, on one machine or several: bounded memory, and the same bits as
// one pass for any split.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumb/evaluate/state.hpp"
#include "plumb/regression/state.hpp"

namespace plumb {

/// Metrics that merge; those that need all the data at once are null in the result and say why. With
/// .bootstrap the items need groups or ids, which name the units of resampling.
template <class State, class Items, class Options>
class BasicAccumulator {
 public:
  BasicAccumulator() = default;
  /// Throws InputError for options that need all the data: equal-mass bins, and bootstrap of a regression.
  /// `ids_once`: batches have ids, and one that occurs twice is refused, by update() and by merge().
  explicit BasicAccumulator(Options options, bool ids_once = false);

  void update(const Items& batch, const Names& ids = {});
  /// Adds batches accumulated elsewhere. An empty accumulator is the identity; InputError names an option
  /// that differs.
  void merge(const BasicAccumulator& other);
  /// The result so far; more batches may follow. InputError before the first one.
  [[nodiscard]] Result finish() const;

  /// What `plumb evaluate --save-state` writes and `plumb merge` reads.
  [[nodiscard]] std::string to_bytes() const;
  /// Bins, clip and similar options are taken from the state; `options` may choose metrics and threads.
  [[nodiscard]] static BasicAccumulator from_bytes(std::string_view bytes, Options options = {});

 private:
  void add(const State& state);

  Options options_;
  bool ids_once_ = false;
  std::optional<State> state_;
};

using Accumulator = BasicAccumulator<EvaluateState, Items, EvaluateOptions>;
using RegressionAccumulator = BasicAccumulator<RegressionState, RegressionItems, RegressionOptions>;

extern template class BasicAccumulator<EvaluateState, Items, EvaluateOptions>;
extern template class BasicAccumulator<RegressionState, RegressionItems, RegressionOptions>;

}  // namespace plumb
