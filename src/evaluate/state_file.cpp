// The state of a classification as a file (state_bytes.hpp).
#include "evaluate/state_parts.hpp"
#include "evaluate/state_visit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb {

using namespace detail;

namespace {

constexpr std::string_view kMagic = "PLUMBSTA";

}  // namespace

std::string serialize(const EvaluateState& state) { return detail::seal_state(kMagic, kStateFormat, state); }

EvaluateState deserialize_state(std::string_view bytes, const std::string& name) {
  return detail::read_state<EvaluateState>(kMagic, kStateFormat, bytes, name, consistent);
}

}  // namespace plumb
