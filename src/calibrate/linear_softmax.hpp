// The log-loss per vote of softmax(W u + b) plus ridges, W full or diagonal: vector, matrix, dirichlet and
// the structured methods differ only in their scores and ridges.
#pragma once

#include <cstdint>

#include "calibrate/fit_data.hpp"
#include "calibrate/minimise.hpp"

namespace plumb::detail {

/// Factors of the sums of squares of (W_kk - 1), W_kl and b_k.
struct Ridge {
  double diagonal = 0, off = 0, b = 0;
};

/// Parameters: W row by row (or its diagonal), then b. Rows of the data are cut into a fixed number of chunks
/// whose sums are added in order: any number of threads, the same bits.
class LinearSoftmax final : public ConvexProblem {
 public:
  /// Above `block_limit` classes the preconditioner is diagonal: its factors hold K (K + 1)^2 numbers.
  LinearSoftmax(const FitData& data, bool full, Ridge ridge, int threads, std::int64_t block_limit = 256);

  [[nodiscard]] std::int64_t parameters() const { return weights() + k_; }
  [[nodiscard]] std::vector<double> identity() const;

  double evaluate(std::span<const double> x, std::span<double> gradient) override;
  void prepare() override;
  void curve(std::span<const double> d, std::span<double> out) override;
  void precondition(std::span<const double> r, std::span<double> out) override;

 private:
  struct Chunk {
    double value = 0;
    std::vector<double> sum;      // weights (padded rows when full), then b
    std::vector<double> scratch;  // a block of rows
  };
  [[nodiscard]] std::int64_t weights() const { return full_ ? k_ * k_ : k_; }
  void load_transposed(std::span<const double> x);
  void linear_rows(std::span<const double> x, std::int64_t begin, std::int64_t end, double* out) const;
  void add_outer(const double* r, std::int64_t begin, std::int64_t end, Chunk& chunk) const;
  void sum_chunks(std::span<double> out) const;
  template <class Body>
  void for_chunks(Body body);
  void evaluate_rows(std::span<const double> x, std::int64_t begin, std::int64_t end, Chunk& chunk);
  void curve_rows(std::span<const double> d, std::int64_t begin, std::int64_t end, Chunk& chunk) const;
  void prepare_diagonal();
  void prepare_full();

  const FitData& data_;
  bool full_;
  Ridge ridge_;
  int threads_;
  std::int64_t k_, stride_, block_limit_;
  std::vector<Chunk> chunks_;
  std::vector<double> transposed_;  // of W: k x stride
  std::vector<double> p_;           // probabilities at the x last evaluated: size x stride
  std::vector<double> blocks_;      // of the preconditioner
  std::vector<double> vectors_;     // of the preconditioner, as rows
  std::vector<double> turned_;      // scratch of the preconditioner
};

}  // namespace plumb::detail
