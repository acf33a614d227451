// Votes and hits of each distinct forecast: a hash table in one piece, for columns with many ties.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace plumb {

struct VoteCount {
  std::uint64_t votes = 0, hits = 0;
};

class DistinctCounts {
 public:
  [[nodiscard]] std::size_t size() const { return used_; }
  /// The counts of p, which is not -0; votes must be added before the next call.
  [[nodiscard]] VoteCount& operator[](double p) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = slots_[place(p)];
    if (slot.count.votes == 0) {
      slot.p = p;
      ++used_;
    }
    return slot.count;
  }
  void clear() {
    slots_ = {};
    used_ = 0;
  }
  /// (p, counts) in no particular order.
  template <class Body>
  void each(Body body) const {
    for (const Slot& slot : slots_)
      if (slot.count.votes > 0) body(slot.p, slot.count);
  }

 private:
  struct Slot {
    double p = 0;
    VoteCount count;  // no votes: the slot is free
  };
  /// Where p is, or the free slot where it goes.
  [[nodiscard]] std::size_t place(double p) const {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio: spreads neighbours
    const int shift = std::countl_zero(slots_.size()) + 1;
    std::size_t at = std::bit_cast<std::uint64_t>(p) * kMix >> shift;
    while (slots_[at].count.votes > 0 && slots_[at].p != p) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    constexpr std::size_t kFirst = 1024;  // sizes are powers of two
    const std::vector<Slot> before = std::exchange(slots_, {});
    slots_.resize(before.empty() ? kFirst : 2 * before.size());
    for (const Slot& slot : before)
      if (slot.count.votes > 0) slots_[place(slot.p)] = slot;
  }
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace plumb
