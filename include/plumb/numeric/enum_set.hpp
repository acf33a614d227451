// A set of enumerators, small enough to be a constant: what a metric needs, what a pass yields.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace plumb {

template <class Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Enum> members) {
    for (const Enum m : members) bits_ |= std::uint64_t{1} << static_cast<unsigned>(m);
  }
  [[nodiscard]] constexpr bool has(Enum m) const { return covers({m}); }
  [[nodiscard]] constexpr bool covers(EnumSet other) const { return (other.bits_ & ~bits_) == 0; }
  [[nodiscard]] constexpr bool meets(EnumSet other) const { return (other.bits_ & bits_) != 0; }
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
