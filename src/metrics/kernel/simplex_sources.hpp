// The items of a SimplexView in an order of their own, laid out in tiles for the Dirichlet kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/metrics/kernel/ece_kde_canonical.hpp"

namespace plumb::detail {

inline constexpr std::size_t kSimplexTile = 512;  // sources in cache at a time

struct SimplexVote {
  std::uint32_t cls;
  double count;
};

// Consecutive places of one tile whose only vote is for `cls`; or one place with several votes.
struct SimplexRun {
  std::size_t begin, end;
  std::uint32_t cls;
  bool single;
};

// Items of positive mass in an order of their own (by votes, then probabilities, then weight), so that sums
// taken along it do not depend on the order of the rows.
class SimplexSources {
 public:
  SimplexSources(const SimplexView& f, double bandwidth);

  [[nodiscard]] std::size_t size() const { return row_.size(); }
  [[nodiscard]] std::size_t classes() const { return classes_; }
  [[nodiscard]] const double* z(std::size_t i) const { return f_->z.data() + row_[i] * classes_; }
  [[nodiscard]] std::span<const SimplexVote> votes(std::size_t i) const { return votes_of(row_[i]); }
  [[nodiscard]] double weight(std::size_t i) const { return weight_[row_[i]]; }
  [[nodiscard]] double trials(std::size_t i) const { return trials_[row_[i]]; }
  [[nodiscard]] bool several(std::size_t i) const {
    return trials(i) > 1.5;
  }  // real counts add up to 1 only nearly
  [[nodiscard]] bool whole_counts() const { return f_->whole_counts; }
  [[nodiscard]] double log_mass(std::size_t i) const { return log_mass_[i]; }
  [[nodiscard]] std::span<const SimplexRun> runs(std::size_t first) const {
    const std::size_t t = first / kSimplexTile;
    return {run_.data() + first_run_[t], first_run_[t + 1] - first_run_[t]};
  }
  [[nodiscard]] const double* tile(std::size_t first) const { return tiles_.data() + first * classes_; }
  [[nodiscard]] const double* bias(std::size_t first) const { return bias_.data() + first; }

 private:
  [[nodiscard]] std::span<const SimplexVote> votes_of(std::size_t row) const {
    return {votes_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }
  void collect();
  void sort();
  void lay_out(double n);

  const SimplexView* f_;
  std::size_t classes_;
  std::vector<SimplexVote> votes_;       // by row
  std::vector<std::size_t> begin_;       // by row
  std::vector<double> weight_, trials_;  // by row
  std::vector<std::size_t> row_;         // by place in the order
  std::vector<double> tiles_;            // [tile][class][place in tile]: z / h
  std::vector<double> bias_;             // log mass less the log of the kernel's normaliser
  std::vector<double> log_mass_;
  std::vector<SimplexRun> run_;
  std::vector<std::size_t> first_run_;  // by tile
};

}  // namespace plumb::detail
