// A number, or the reason why there is none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace plumb {

struct Estimate {
  std::optional<double> value;
  std::string why;          ///< when there is no value
  std::int64_t items = -1;  ///< items that entered, where that is not all of them; -1: all

  Estimate() = default;
  Estimate(double v) : value(v) {}  // NOLINT: a number is an estimate
  [[nodiscard]] static Estimate undefined(std::string reason) {
    Estimate e;
    e.why = std::move(reason);
    return e;
  }
  [[nodiscard]] explicit operator bool() const { return value.has_value(); }
};

/// Estimates by registry key, in key order.
using Scores = std::map<std::string, Estimate, std::less<>>;

inline constexpr const char* kNoVotes = "there are no votes";
inline constexpr const char* kNoPairs = "no item has two votes or more";
[[nodiscard]] inline Estimate no_votes() { return Estimate::undefined(kNoVotes); }

}  // namespace plumb
