// The tables of bootstrap draws of whole groups: those of each group are made once, and a draw adds them as
// often as it has the group. Counts in them are whole, so that the bits are those of a pass over the rows;
// losses times counts are rounded row by row, and stay with that pass.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/stream.hpp"

namespace plumb::detail {

inline constexpr ProductSet kGroupProducts{Product::event_table, Product::class_tables, Product::histogram,
                                           Product::disagreement};

class GroupTables {
 public:
  /// `products` among kGroupProducts; `units`: of resampling, by code of the group.
  GroupTables(const Items& items, const BinPlan& plan, ProductSet products, std::vector<std::uint64_t> units,
              const EvaluateOptions& options, int threads, Progress& progress);
  void add_tables(std::uint64_t seed, std::uint32_t replicate, StreamSums& into) const;

 private:
  std::vector<std::uint64_t> unit_;
  StreamSums none_;
  std::vector<StreamSums> sums_;
};

}  // namespace plumb::detail
