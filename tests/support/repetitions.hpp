// How often a simulation is repeated: a short form in "make test", the whole in
// "make test-long" (PLUMB_LONG=1).
#pragma once

#include <cmath>
#include <cstdlib>

namespace plumb::test {

[[nodiscard]] inline bool is_long() {
  const char* given = std::getenv("PLUMB_LONG");
  return given != nullptr && *given != '\0' && *given != '0';
}

[[nodiscard]] inline int repetitions(int whole, int brief) { return is_long() ? whole : brief; }

/// A bound on a share, stated for `whole` repetitions, as it is for `runs`: its distance from the expected
/// share grows like the standard error.
[[nodiscard]] inline double widened(double bound, double expected, int whole, int runs) {
  return expected + (bound - expected) * std::sqrt(static_cast<double>(whole) / runs);
}

}  // namespace plumb::test
