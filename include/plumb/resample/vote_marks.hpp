// What is kept of an item with very many votes, so that a draw need not add up all its counts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace plumb {

/// The first count of the rarer outcome whose chance is not negligible.
struct VoteStart {
  double chance = 0;
  std::uint32_t count = 0;
};

/// The chances every `step` counts from the start on: a search begins there.
struct VoteMarks {
  struct Mark {
    double chance, reached;  ///< of this count; of it and all smaller ones
  };
  VoteStart start;
  std::uint32_t step = 0;
  std::vector<Mark> marks;
};

/// Marks of all items of a data set, made when they are first asked for; for many threads.
class VoteMarksCache {
 public:
  /// Of n votes, of which the rarer outcome has chance a; any two are correlated by d.
  [[nodiscard]] std::shared_ptr<const VoteMarks> marks(double a, double n, double d);

 private:
  std::mutex mutex_;
  std::map<std::array<double, 3>, std::shared_ptr<const VoteMarks>> kept_;
};

}  // namespace plumb
