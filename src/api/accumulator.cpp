#include "plumb/api/accumulator.hpp"

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

EvaluateState state_of(const Items& items, const Names& ids, const EvaluateOptions& o) {
  if (o.bootstrap > 0 && items.groups.empty() && ids.empty())
    throw InputError(
        "⟦bootstrap⟧ of batches needs ⟦groups⟧ or ⟦ids⟧, which name the units of resampling: row numbers would depend on the split");
  EvaluateState s = evaluate_state(items, o);
  if (o.bootstrap > 0) add_replicates(items, ids, o, s);
  return s;
}
RegressionState state_of(const RegressionItems& items, const Names& /*ids*/, const RegressionOptions& o) {
  return regression_state(items, o);
}

void keep_ids(const Names& ids, EvaluateState& s) {
  if (ids.empty()) throw InputError("⟦check_ids⟧ needs ⟦ids⟧, which name the items");
  check_ids(ids, s);
}
void keep_ids(const Names& /*ids*/, RegressionState& /*s*/) {
  throw InputError("⟦check_ids⟧ is for class probabilities; states of regressions keep no ids");
}
bool has_ids(const EvaluateState& s) { return s.ids.has_value(); }
bool has_ids(const RegressionState& /*s*/) { return false; }

void check(const EvaluateOptions& o) {
  if (o.bootstrap < 0 || o.bootstrap > 1'000'000) check_bootstrap(o.bootstrap);
}
void check(const RegressionOptions& o) {
  if (o.bootstrap > 0)
    throw InputError("⟦bootstrap⟧ needs all the data in one run; an accumulator has only the streaming sums");
}

void read(std::string_view bytes, EvaluateState& state, EvaluateOptions& o) {
  state = deserialize_state(bytes, "the state");
  o.bins = state.bins;
  o.clip = state.clip;
  o.bandwidth = state.bandwidth;
  o.bootstrap = 0;
  if (!state.replicates) return;
  o.bootstrap = state.replicates->count;
  o.seed = state.replicates->seed;
  o.null = state.replicates->signs ? NullKind::signs : NullKind::model;
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
BasicAccumulator<State, Items, Options>::BasicAccumulator(Options options, bool ids_once)
    : options_(std::move(options)), ids_once_(ids_once) {
  check(options_);
}

template <class State, class Items, class Options>
void BasicAccumulator<State, Items, Options>::update(const Items& batch, const Names& ids) {
  State state = state_of(batch, ids, options_);
  if (ids_once_) keep_ids(ids, state);
  add(state);
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
  out.ids_once_ = has_ids(*out.state_);
  return out;
}

template class BasicAccumulator<EvaluateState, Items, EvaluateOptions>;
template class BasicAccumulator<RegressionState, RegressionItems, RegressionOptions>;

}  // namespace plumb
