// A set of enumerators, small enough to be a constant: what a metric needs, what a pass yields.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace plumb {

template <class Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(Enum m) : bits_(std::uint64_t{1} << static_cast<unsigned>(m)) {}  // NOLINT: one is a set
  constexpr EnumSet(std::initializer_list<Enum> members) {
    for (const Enum m : members) *this |= m;
  }
  [[nodiscard]] constexpr bool has(EnumSet all) const { return (bits_ & all.bits_) == all.bits_; }
  [[nodiscard]] constexpr bool any(EnumSet some) const { return (bits_ & some.bits_) != 0; }
  [[nodiscard]] constexpr EnumSet both(EnumSet other) const {
    other.bits_ &= bits_;
    return other;
  }
  [[nodiscard]] constexpr EnumSet without(EnumSet other) const {
    other.bits_ = bits_ & ~other.bits_;
    return other;
  }
  constexpr EnumSet& operator|=(EnumSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr EnumSet operator|(EnumSet a, EnumSet b) { return a |= b; }
  friend constexpr bool operator==(EnumSet, EnumSet) = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace plumb
