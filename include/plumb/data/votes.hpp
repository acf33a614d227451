// Observations: labels, counts or ratings, all as votes. A single label is a histogram with one vote.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {

/// The majority label of an item whose largest vote counts are tied.
enum class Ties {
  half,    ///< each of the m tied classes counts 1/m
  absent,  ///< the item has no majority label
  lowest,  ///< the lowest tied class
  random   ///< one tied class, drawn by (seed, row)
};
[[nodiscard]] const char* ties_name(Ties ties);
struct TiesRule {
  Ties ties = Ties::half;
  std::uint64_t seed = 0;  ///< of `random`
};

/// Votes of a block of items: item i has the entries offset[i] .. offset[i+1] of (cls, count), classes
/// ascending, counts positive; total[i] is their sum. `single`: every item has exactly one vote, cls[i] is
/// its class, and the other three are empty.
struct VoteBlock {
  std::vector<std::uint32_t> offset;
  std::vector<std::uint32_t> cls;
  std::vector<std::uint32_t> count;
  std::vector<std::uint32_t> total;
  std::int64_t size = 0;
  bool single = false;
  std::vector<double> scratch = {};  ///< of the reader: the numbers as they lie in the file

  [[nodiscard]] std::uint32_t votes(std::int64_t i) const { return single ? 1u : total[i]; }
  /// Votes of item i for class k (linear in the item's distinct classes).
  [[nodiscard]] std::uint32_t hits(std::int64_t i, std::uint32_t k) const;
  /// The class with most votes, the lowest among equals; -1 without votes.
  [[nodiscard]] std::int64_t majority(std::int64_t i) const;
  /// The classes with most votes, ascending; several: a tie. Empty without votes.
  void majority_classes(std::int64_t i, std::vector<std::uint32_t>& out) const;
};

/// Judgements one by one: item i has the entries offset[i] .. offset[i+1] of (rater, cls), raters ascending.
/// A rater may occur more than once.
struct Judgements {
  std::vector<std::int64_t> offset = {0};
  std::vector<std::uint32_t> rater;  ///< empty: the raters are unknown
  std::vector<std::uint32_t> cls;
};

class Votes {
 public:
  enum class Kind { labels, counts, ratings, judgements };
  Votes() = default;

  /// N class indices, or text that names one of `class_names` (looked up here, once). Numbers are looked up
  /// too when all the names are numbers, as in -1 and 1; names 0 .. K-1 in another order are refused.
  [[nodiscard]] static Votes from_labels(Rows rows, int classes, std::vector<std::string> class_names = {});
  /// N x K non-negative whole numbers; a row of zeros is an item without votes.
  [[nodiscard]] static Votes from_counts(Rows rows, int classes);
  /// N x R class indices by rater; negative, NaN, or empty text: not rated. A header names the raters.
  [[nodiscard]] static Votes from_ratings(Rows rows, int classes, std::vector<std::string> class_names = {});
  /// Judgements of known classes; `name` is the file, for messages. Raters are indices of `rater_names`.
  [[nodiscard]] static Votes from_judgements(Judgements judgements, int classes,
                                             std::vector<std::string> rater_names, const std::string& name);

  [[nodiscard]] std::int64_t items() const { return rows_.rows(); }
  [[nodiscard]] int classes() const { return classes_; }
  [[nodiscard]] Kind kind() const { return kind_; }
  /// The number of known raters; 0: it is not known who voted.
  [[nodiscard]] int raters() const;
  /// Their names; numbers from 0 if they have none.
  [[nodiscard]] std::string rater_name(int rater) const;
  [[nodiscard]] bool names_raters() const { return rater_names_ != nullptr; }
  /// One value per item: only its number of rows and its name mean something for every kind.
  [[nodiscard]] const Rows& rows() const { return rows_; }

  /// Checked votes of items [begin, end);
  /// throws InputError naming file, row, column, value and the allowed range.
  void read(std::int64_t begin, std::int64_t end, VoteBlock& out) const;
  /// Ratings only: class by item and rater, row-major, -1 where not rated.
  void read_ratings(std::int64_t begin, std::int64_t end, std::vector<std::int32_t>& out) const;
  /// Ratings and judgements: which rater gave which vote on items [begin, end).
  void read_judgements(std::int64_t begin, std::int64_t end, Judgements& out) const;

  [[nodiscard]] Votes gather(std::span<const std::int64_t> rows) const;
  /// The votes of one rater alone; of ratings nothing is copied.
  [[nodiscard]] Votes of_rater(int rater) const;

 private:
  using NamesPtr = std::shared_ptr<const std::vector<std::string>>;
  Votes(Rows rows, int classes, Kind kind, NamesPtr raters = nullptr)
      : rows_(std::move(rows)), classes_(classes), kind_(kind), rater_names_(std::move(raters)) {}
  Votes(Judgements judgements, int classes, NamesPtr raters, const std::string& name);
  [[nodiscard]] Votes gather_judgements(std::span<const std::int64_t> rows) const;

  Rows rows_;
  int classes_ = 0;
  Kind kind_ = Kind::labels;
  NamesPtr rater_names_;
  std::shared_ptr<const Judgements> judgements_;
};

}  // namespace plumb
