// Predictions of the model: N x K class probabilities or logits, or S stochastic versions of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {

enum class Scale { probability, logit };

struct PredictionOptions {
  bool normalize = false;  ///< rescale rows of probabilities to sum to 1
  friend bool operator==(const PredictionOptions&, const PredictionOptions&) = default;
};

/// Probabilities of a block of items in double, row-major.
/// Binary tasks keep P(class 1) alone: width 1, classes 2.
struct PredictionBlock {
  std::vector<double> z;
  std::int64_t size = 0;
  int width = 0;
  std::vector<double> sums = {};    ///< scratch of the reader: row sums, or the two columns of a binary task
  std::vector<double> sample = {};  ///< scratch of the reader: one stochastic prediction
};

/// Its scale is explicit, never guessed from the numbers. Rows are read, checked and converted block
/// by block.
class Predictions {
 public:
  Predictions() = default;
  /// `samples`: one entry for a plain prediction; S entries (each N or N x K) for stochastic ones, whose mean
  /// probability, taken in the order given, is the prediction.
  Predictions(std::vector<Rows> samples, Scale scale, PredictionOptions options = {});

  [[nodiscard]] std::int64_t items() const { return items_; }
  [[nodiscard]] int classes() const { return classes_; }  ///< 2 when binary
  [[nodiscard]] bool binary() const { return classes_ == 2; }
  [[nodiscard]] int width() const { return binary() ? 1 : classes_; }  ///< numbers per item in a block
  [[nodiscard]] Scale scale() const { return scale_; }
  [[nodiscard]] bool normalizes() const { return options_.normalize; }
  [[nodiscard]] int samples() const { return narrow<int>(samples_.size()); }
  [[nodiscard]] const std::vector<Rows>& sources() const { return samples_; }

  /// Mean probabilities of items [begin, end). Throws InputError naming file, row, column and value for NaN,
  /// infinity, values outside [0, 1] ("these look like logits: use ⟦logits⟧" when a whole row does), rows
  /// that do not sum to 1 within 1e-3.
  void read(std::int64_t begin, std::int64_t end, PredictionBlock& out) const;
  /// The same for one sample.
  void read_sample(int sample, std::int64_t begin, std::int64_t end, PredictionBlock& out) const;

  [[nodiscard]] Predictions gather(std::span<const std::int64_t> rows) const;

 private:
  void read_probabilities(const Rows& rows, std::int64_t begin, std::int64_t end, std::span<double> z,
                          std::vector<double>& sums) const;
  void read_logits(const Rows& rows, std::int64_t begin, std::int64_t end, std::span<double> z,
                   std::vector<double>& pairs) const;
  void read_source(const Rows& rows, std::int64_t begin, std::int64_t end, std::span<double> z,
                   std::vector<double>& scratch) const;

  std::vector<Rows> samples_;
  Scale scale_ = Scale::probability;
  PredictionOptions options_;
  std::int64_t items_ = 0;
  int classes_ = 0;
};

/// A row of probabilities may miss 1 by this much (float16 and text files round);
/// the last term lets 0.999 itself pass.
inline constexpr double kSumTolerance = 1e-3 + 1e-12;

/// Stacked samples, S x N x K or S x N (shards stack along S), as S predictions of their own;
/// nothing is copied.
[[nodiscard]] std::vector<Rows> split_samples(const Rows& stacked);

/// Probabilities given as logits: the first rows have two columns or more, with numbers in [0, 1] that sum
/// to 1.
[[nodiscard]] bool logits_look_like_probabilities(const Predictions& predictions);
inline constexpr const char* kNoLogits =
    "the logits lie between 0 and 1 and each row sums to 1: if they are probabilities, give them as ⟦probs⟧";

/// Index of the largest value, the lowest index among equals; 0 for an empty row.
[[nodiscard]] int argmax(std::span<const double> row);
/// The largest probability and its class for rows [first, first + p.size()) of a block, the lowest class
/// among equals. Binary tasks: max(p, 1 - p), and class 0 at p = 0.5.
void top_labels(const PredictionBlock& block, std::int64_t first, std::span<double> p,
                std::span<std::uint32_t> label);

}  // namespace plumb
