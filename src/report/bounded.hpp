// A number with its interval as part of the JSON.
#pragma once

#include "plumb/raters/raters.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

inline Tree bounded_tree(const Bounded& b) {
  Tree::Members out;
  out.emplace_back("value", b.value ? Value(*b.value) : Value{});
  if (!b.value) out.emplace_back("why", Value(b.why));
  if (b.low) {
    out.emplace_back("low", *b.low);
    out.emplace_back("high", *b.high);
    out.emplace_back("interval", Value(b.interval));
  }
  return out;
}

}  // namespace plumb::detail
