#include "plumb/api/accumulator.hpp"

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

EvaluateState state_of(const Items& items, const EvaluateOptions& o) { return evaluate_state(items, o); }
RegressionState state_of(const RegressionItems& items, const RegressionOptions& o) {
  return regression_state(items, o);
}

void read(std::string_view bytes, EvaluateState& state, EvaluateOptions& o) {
  state = deserialize_state(bytes, "the state");
  o.bins = state.bins;
  o.clip = state.clip;
  o.bandwidth = state.bandwidth;
}
void read(std::string_view bytes, RegressionState& state, RegressionOptions& o) {
  state = deserialize_regression_state(bytes, "the state");
  o.bins = state.bins;
  o.clip = state.clip;
  o.range = state.has_range ? std::optional(state.range) : std::nullopt;
}

template <class State>
const State& seen(const std::optional<State>& state) {
  if (!state) throw InputError("the accumulator has seen no batch; update it first");
  return *state;
}

}  // namespace

template <class State, class Items, class Options>
BasicAccumulator<State, Items, Options>::BasicAccumulator(Options options) : options_(std::move(options)) {
  if (options_.bootstrap > 0)
    throw InputError("⟦bootstrap⟧ needs all the data in one run; an accumulator has only the streaming sums");
}

template <class State, class Items, class Options>
void BasicAccumulator<State, Items, Options>::update(const Items& batch) {
  add(state_of(batch, options_));
}

template <class State, class Items, class Options>
void BasicAccumulator<State, Items, Options>::merge(const BasicAccumulator& other) {
  if (other.state_) add(*other.state_);
}

template <class State, class Items, class Options>
void BasicAccumulator<State, Items, Options>::add(const State& state) {
  if (state_) {
    plumb::merge(*state_, state);
  } else {
    state_ = state;
  }
}

template <class State, class Items, class Options>
Result BasicAccumulator<State, Items, Options>::finish() const {
  return plumb::finish(seen(state_), options_);
}

template <class State, class Items, class Options>
std::string BasicAccumulator<State, Items, Options>::to_bytes() const {
  return serialize(seen(state_));
}

template <class State, class Items, class Options>
BasicAccumulator<State, Items, Options> BasicAccumulator<State, Items, Options>::from_bytes(
    std::string_view bytes, Options options) {
  BasicAccumulator out(std::move(options));
  read(bytes, out.state_.emplace(), out.options_);
  return out;
}

template class BasicAccumulator<EvaluateState, Items, EvaluateOptions>;
template class BasicAccumulator<RegressionState, RegressionItems, RegressionOptions>;

}  // namespace plumb
