// A sample of items that come in sets, too many to hold: every item has the same chance, and which ones are
// taken depends on seed, set and row alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

class ItemSample {
 public:
  /// Holds at most 1.5 times `most` items at any time.
  ItemSample(std::int64_t most, std::uint64_t seed) : most_(most), seed_(seed) {}

  /// A set of ratings with the names of its raters, who may differ between sets; `unit` is that of
  /// resampling. `numbers`: what the rows are called afterwards; empty: their position. InputError for other
  /// classes than the sets before, and for weights.
  void add(const std::string& set, const std::string& unit, const Items& items,
           const std::vector<std::string>& raters, std::span<const std::int64_t> numbers = {});

  [[nodiscard]] std::int64_t seen() const { return seen_; }

  struct Row {
    std::uint32_t set = 0;  ///< in the order in which they were added
    std::int64_t row = 0;   ///< its number in its set
  };
  struct Taken {
    Items items;  ///< groups are the units, raters those of any set; rows in order of set and row
    std::vector<Row> rows;
  };
  /// All items that were seen, if there were at most `most`.
  [[nodiscard]] Taken finish();

 private:
  struct Block {
    std::string unit;
    std::vector<std::size_t> raters;  ///< columns of the whole
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> rows;
    std::vector<double> z;  ///< as they were read, `width_` numbers per row
    std::vector<std::int32_t> votes;
  };
  void cut_to(std::int64_t most);
  [[nodiscard]] std::int64_t held() const;

  std::int64_t most_, seen_ = 0;
  std::uint64_t seed_, cut_ = ~std::uint64_t{0};
  std::vector<Block> blocks_;
  std::vector<std::string> raters_, class_names_;
  Scale scale_ = Scale::probability;
  PredictionOptions options_ = {};
  std::int64_t width_ = 0;
  int rank_ = 1, classes_ = 0;
};

}  // namespace plumb
