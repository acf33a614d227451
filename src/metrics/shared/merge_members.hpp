// Sums that are added up member by member.
#pragma once

namespace plumb::detail {

template <class Sums, class... Members>
void merge_members(Sums& into, const Sums& from, Members... members) {
  const auto add = [](auto& a, const auto& b) {
    if constexpr (requires { a.merge(b); }) {
      a.merge(b);
    } else {
      a += b;
    }
  };
  (add(into.*members, from.*members), ...);
}

}  // namespace plumb::detail
