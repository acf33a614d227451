// Everything known about N items, and a block of them in cache.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/data/predictions.hpp"
#include "plumb/data/votes.hpp"

namespace plumb {

/// The name of a file or of a selection from it: the column of "FILE:column", otherwise the file's stem.
[[nodiscard]] std::string source_title(const std::string& source);

/// Names, one per item: groups, slices, ids. Numbers become their shortest decimal text (integers of 64
/// bits exactly).
class Names {
 public:
  Names() = default;
  /// Width 1; throws InputError for a missing name (NaN, empty text) of a `what`.
  explicit Names(const Rows& rows, std::string_view what = "item");
  [[nodiscard]] bool empty() const { return code_.empty(); }
  [[nodiscard]] std::int64_t size() const { return std::ssize(code_); }
  /// In natural order: numbers by value (2 before 10), then text.
  [[nodiscard]] const std::vector<std::string>& distinct() const { return distinct_; }
  [[nodiscard]] std::uint32_t code(std::int64_t i) const { return code_[i]; }
  [[nodiscard]] const std::string& name(std::int64_t i) const { return distinct_[code(i)]; }
  [[nodiscard]] const std::string& source() const { return source_; }    ///< the file, for messages
  [[nodiscard]] std::string title() const;                               ///< source_title of it
  [[nodiscard]] Names gather(std::span<const std::int64_t> rows) const;  ///< distinct() keeps those in use

 private:
  Names(std::string source, std::vector<std::string> text, std::vector<std::uint32_t> text_of);

  std::string source_;
  std::vector<std::string> distinct_;
  std::vector<std::uint32_t> code_;
};

struct Items {
  Predictions predictions;
  Votes votes;                           ///< may be absent (rows().empty()): every item is then without votes
  Rows weights;                          ///< empty: one each
  Rows truth;                            ///< empty, or the true probability of class 1 (binary)
  std::vector<Rows> concentration;       ///< Dirichlet alpha_0: none, one for all samples, or one per sample
  Names groups;                          ///< empty: each item is its own unit of resampling
  std::vector<Names> by;                 ///< slices to report on: one name per item for each way to slice
  std::vector<std::string> class_names;  ///< empty, or K names
  /// The last rows stand for further classes of earlier items (a shared majority): the row of each of these
  /// items, whose unit of resampling they share.
  std::vector<std::int64_t> repeats = {};

  [[nodiscard]] std::int64_t size() const { return predictions.items(); }
  [[nodiscard]] int classes() const { return predictions.classes(); }
  [[nodiscard]] bool binary() const { return predictions.binary(); }
  [[nodiscard]] Items gather(std::span<const std::int64_t> rows) const;
};

/// Items with the majority label as the only vote.
struct Consensus {
  Items items;
  std::int64_t tied = 0;         ///< items whose largest counts are equal
  std::uint32_t most_votes = 0;  ///< on one item; below three there is no majority
};
/// Ties by the rule; items without votes stay without. `half` adds rows at the end, so that a tie of m
/// classes is m rows, each of 1/m of the item's weight. Without ties every rule gives the same bits. Labels
/// take 1 or 4 bytes per item.
[[nodiscard]] Consensus consensus(const Items& items, const TiesRule& rule, int threads);
/// The share of item `row` (of the data) that a class has in its majority: 1, 0, or 1/m in a tie under
/// `half`. Negative: it has no majority. `classes`: majority_classes().
[[nodiscard]] double majority_share(std::span<const std::uint32_t> classes, std::uint32_t cls,
                                    const TiesRule& rule, std::int64_t row);

/// Lengths agree, weights have width 1, truth only for binary tasks, class names are K and distinct.
/// Throws InputError.
void check_items(const Items& items);

/// The weights times a power of two that brings the largest to [1, 2), where it is below 2^-30; others as
/// they are, bit for bit. Only ratios of weights matter, but products of very small ones would be lost.
/// `exponent` gets that of the power, 0: unchanged.
[[nodiscard]] Rows ordinary_weights(const Rows& weights, int* exponent = nullptr);

/// Larger than any realistic value; the squares of sums of weights and votes must fit ExactSum.
inline constexpr double kMaxWeight = 1e12;

/// Items [begin, begin + size) in double, checked. Buffers are kept between reads.
struct ItemBlock {
  std::int64_t begin = 0, size = 0;
  int classes = 0;
  PredictionBlock z;
  VoteBlock votes;
  std::vector<double> weight;  ///< empty: one each
  std::vector<double> truth;   ///< empty: unknown
  [[nodiscard]] bool binary() const { return classes == 2; }
};

/// How many items fit a block that stays in cache.
[[nodiscard]] std::int64_t block_rows(const Items& items);
void read_items(const Items& items, std::int64_t begin, std::int64_t end, ItemBlock& out);

/// The resampling unit of each item: its row number, or a hash of its group's name.
/// Refers to the items it was made from.
class Units {
 public:
  explicit Units(const Items& items);
  void read(std::int64_t begin, std::int64_t end, std::span<std::uint64_t> out) const;
  [[nodiscard]] std::uint64_t unit_of(std::int64_t row) const;
  [[nodiscard]] bool grouped() const { return !hash_.empty(); }
  [[nodiscard]] std::int64_t count() const { return count_; }  ///< number of distinct units

 private:
  const Names* names_ = nullptr;
  std::vector<std::uint64_t> hash_;  // by code of the group
  std::span<const std::int64_t> repeats_;
  std::int64_t count_ = 0;  // without groups: also where the repeats begin
};

}  // namespace plumb
