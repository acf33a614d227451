#include "calibrate/linear_softmax.hpp"

#include <algorithm>
#include <limits>

#include "calibrate/kernels.hpp"
#include "calibrate/symmetric.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kChunks = 16;
constexpr std::int64_t kSoftmaxNumbers = 8192;

double row_max(const double* x, std::int64_t stride) {
  double lane[kPad];
  std::copy(x, x + kPad, lane);
  for (std::int64_t j = kPad; j < stride; j += kPad)
    for (std::int64_t l = 0; l < kPad; ++l) lane[l] = x[j + l] > lane[l] ? x[j + l] : lane[l];
  return *std::max_element(lane, lane + kPad);
}

template <class Term>
double row_sum(std::int64_t stride, Term term) {
  double lane[kPad] = {};
  for (std::int64_t j = 0; j < stride; j += kPad)
    for (std::int64_t l = 0; l < kPad; ++l) lane[l] += term(j + l);
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

}  // namespace

LinearSoftmax::LinearSoftmax(const FitData& data, bool full, Ridge ridge, int threads,
                             std::int64_t block_limit)
    : data_(data),
      full_(full),
      ridge_(ridge),
      threads_(threads),
      k_(data.width),
      stride_(data.stride),
      block_limit_(block_limit),
      chunks_(std::min(kChunks, data.size)) {
  // Work of a few microseconds is not worth starting threads for.
  constexpr std::int64_t kSmall = 1 << 18;
  if (data.size * stride_ * (full ? k_ : 1) < kSmall) threads_ = 1;
  resize_large(p_, data.size * stride_);
}

std::vector<double> LinearSoftmax::identity() const {
  std::vector<double> x(parameters());
  for (std::int64_t k = 0; k < k_; ++k) x[full_ ? k * k_ + k : k] = 1;
  return x;
}

void LinearSoftmax::load_transposed(std::span<const double> x) {
  if (!full_) return;
  transposed_.assign(k_ * stride_, 0.0);
  for (std::int64_t k = 0; k < k_; ++k)
    for (std::int64_t j = 0; j < k_; ++j) transposed_[j * stride_ + k] = x[k * k_ + j];
}

// out = W u + b by row, zeros behind.
void LinearSoftmax::linear_rows(std::span<const double> x, std::int64_t begin, std::int64_t end,
                                double* out) const {
  const double* b = x.data() + weights();
  for (std::int64_t i = begin; i < end; ++i) {
    double* row = out + (i - begin) * stride_;
    const double* u = data_.row(i);
    if (full_) {
      std::copy(b, b + k_, row);
    } else {
      for (std::int64_t k = 0; k < k_; ++k) row[k] = x[k] * u[k] + b[k];
    }
    std::fill(row + k_, row + stride_, 0.0);
  }
  if (full_) add_product(data_.row(begin), stride_, 1, end - begin, k_, transposed_.data(), stride_, out);
}

// Adds r u^T and r, summed over rows.
void LinearSoftmax::add_outer(const double* r, std::int64_t begin, std::int64_t end, Chunk& chunk) const {
  double* b = chunk.sum.data() + (full_ ? k_ * stride_ : k_);
  for (std::int64_t i = begin; i < end; ++i) {
    const double* row = r + (i - begin) * stride_;
    const double* u = data_.row(i);
    for (std::int64_t k = 0; k < k_; ++k) b[k] += row[k];
    if (full_) continue;
    for (std::int64_t k = 0; k < k_; ++k) chunk.sum[k] += row[k] * u[k];
  }
  if (full_) add_product(r, 1, stride_, k_, end - begin, data_.row(begin), stride_, chunk.sum.data());
}

template <class Body>
void LinearSoftmax::for_chunks(Body body) {
  const auto count = chunks_.size();
  const std::int64_t block = std::max<std::int64_t>(1, kSoftmaxNumbers / stride_);
  parallel_blocks(count, 1, threads_, [&](int, std::int64_t c, std::int64_t) {
    Chunk& chunk = chunks_[c];
    chunk.value = 0;
    chunk.sum.assign((full_ ? k_ * stride_ : k_) + k_, 0.0);
    chunk.scratch.resize(block * stride_);
    const std::int64_t end = data_.size * (c + 1) / count;
    for (std::int64_t i = data_.size * c / count; i < end; i += block)
      body(i, std::min(end, i + block), chunk);
  });
}

void LinearSoftmax::sum_chunks(std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  const std::int64_t rows = full_ ? k_ : 1;
  const std::int64_t from = full_ ? stride_ : k_;
  for (const Chunk& c : chunks_) {
    for (std::int64_t k = 0; k < rows; ++k)
      for (std::int64_t j = 0; j < k_; ++j) out[k * k_ + j] += c.sum[k * from + j];
    for (std::int64_t k = 0; k < k_; ++k) out[rows * k_ + k] += c.sum[rows * from + k];
  }
}

// Softmax of a block into p_, the loss, and the residual's part of the gradient.
void LinearSoftmax::evaluate_rows(std::span<const double> x, std::int64_t begin, std::int64_t end,
                                  Chunk& chunk) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const auto n = end - begin;
  double* const p = p_.data() + begin * stride_;
  linear_rows(x, begin, end, p);
  for (std::int64_t i = 0; i < n; ++i) {
    double* s = p + i * stride_;
    std::fill(s + k_, s + stride_, kNever);
    const double top = row_max(s, stride_);
    for (std::int64_t k = 0; k < stride_; ++k) s[k] -= top;
    const std::int64_t at = begin + i;
    for (std::int64_t e = data_.offset[at]; e < data_.offset[at + 1]; ++e)
      chunk.value -= data_.share[e] * s[data_.cls[e]];
  }
  const std::span<double> block(p, n * stride_);
  exp_block(block, block);
  for (std::int64_t i = 0; i < n; ++i) {
    double* e = p + i * stride_;
    double* r = chunk.scratch.data() + i * stride_;
    const double sum = row_sum(stride_, [e](std::int64_t j) { return e[j]; });
    const auto at = begin + i;
    const double mass = data_.mass[at];
    chunk.value += mass * log_portable(sum);
    for (std::int64_t k = 0; k < stride_; ++k) {
      e[k] /= sum;
      r[k] = mass * e[k];
    }
    for (std::int64_t v = data_.offset[at]; v < data_.offset[at + 1]; ++v) r[data_.cls[v]] -= data_.share[v];
  }
  add_outer(chunk.scratch.data(), begin, end, chunk);
}

double LinearSoftmax::evaluate(std::span<const double> x, std::span<double> gradient) {
  load_transposed(x);
  for_chunks([&](std::int64_t begin, std::int64_t end, Chunk& c) { evaluate_rows(x, begin, end, c); });
  sum_chunks(gradient);
  double value = 0;
  for (const Chunk& c : chunks_) value += c.value;
  double diagonal = 0, off = 0, b = 0;
  for (std::int64_t i = 0; i < weights(); ++i) {
    const bool on = !full_ || i % (k_ + 1) == 0;
    const double w = on ? x[i] - 1 : x[i];
    (on ? diagonal : off) += w * w;
    gradient[i] += 2 * (on ? ridge_.diagonal : ridge_.off) * w;
  }
  for (std::int64_t i = weights(); i < std::ssize(x); ++i) {
    b += x[i] * x[i];
    gradient[i] += 2 * ridge_.b * x[i];
  }
  return value + (ridge_.diagonal * diagonal + ridge_.off * off + ridge_.b * b);
}

// q = m p (d - p.d): the softmax's curvature along d.
void LinearSoftmax::curve_rows(std::span<const double> d, std::int64_t begin, std::int64_t end,
                               Chunk& chunk) const {
  linear_rows(d, begin, end, chunk.scratch.data());
  for (std::int64_t i = begin; i < end; ++i) {
    double* q = chunk.scratch.data() + (i - begin) * stride_;
    const double* p = p_.data() + i * stride_;
    const double mass = data_.mass[i];
    const double mean = row_sum(stride_, [p, q](std::int64_t j) { return p[j] * q[j]; });
    for (std::int64_t k = 0; k < stride_; ++k) q[k] = mass * p[k] * (q[k] - mean);
  }
  add_outer(chunk.scratch.data(), begin, end, chunk);
}

void LinearSoftmax::curve(std::span<const double> d, std::span<double> out) {
  load_transposed(d);
  for_chunks([&](std::int64_t begin, std::int64_t end, Chunk& c) { curve_rows(d, begin, end, c); });
  sum_chunks(out);
  for (std::int64_t i = 0; i < weights(); ++i)
    out[i] += 2 * (!full_ || i % (k_ + 1) == 0 ? ridge_.diagonal : ridge_.off) * d[i];
  for (std::int64_t i = weights(); i < std::ssize(d); ++i) out[i] += 2 * ridge_.b * d[i];
}

void LinearSoftmax::prepare() { full_ ? prepare_full() : prepare_diagonal(); }

// The 2 x 2 block of (v_k, b_k) for each class: sums of m p (1 - p) times u^2, u, 1.
void LinearSoftmax::prepare_diagonal() {
  for_chunks([&](std::int64_t begin, std::int64_t end, Chunk& c) {
    c.sum.resize(3 * k_);
    for (std::int64_t i = begin; i < end; ++i) {
      const double* p = p_.data() + i * stride_;
      const double* u = data_.row(i);
      const double mass = data_.mass[i];
      for (std::int64_t k = 0; k < k_; ++k) {
        const double h = mass * p[k] * (1 - p[k]);
        c.sum[k] += h * u[k] * u[k];
        c.sum[k_ + k] += h * u[k];
        c.sum[2 * k_ + k] += h;
      }
    }
  });
  blocks_.assign(3 * k_, 0.0);
  for (const Chunk& c : chunks_)
    for (std::int64_t i = 0; i < std::ssize(blocks_); ++i) blocks_[i] += c.sum[i];
  for (std::int64_t k = 0; k < k_; ++k) {
    constexpr double kTiny = 1e-12;  // a class without information
    blocks_[k] += 2 * ridge_.diagonal + kTiny;
    blocks_[2 * k_ + k] += 2 * ridge_.b + kTiny;
  }
}

// The Hessian is a sum over items of (diag p - p p^T) (x) (u, 1)(u, 1)^T. It is taken for the product of the
// two means: in the eigenvectors of the first, a ridge more or less, it separates into one block per
// eigenvalue. The second mean weighs each item with its total curvature.
void LinearSoftmax::prepare_full() {
  const std::int64_t n = k_ + 1;
  for_chunks([&](std::int64_t begin, std::int64_t end, Chunk& c) {
    // Moments of u, then of p; behind them the sums of s u and of m p.
    c.sum.resize(2 * k_ * stride_ + 2 * k_);
    double* mean_u = c.sum.data() + 2 * k_ * stride_;
    double* mean_p = mean_u + k_;
    const auto rows = end - begin;
    const double* p = p_.data() + begin * stride_;
    for (std::int64_t i = 0; i < rows; ++i) {
      const double* pi = p + i * stride_;
      double* to = c.scratch.data() + i * stride_;
      const double mass = data_.mass[begin + i];
      for (std::int64_t k = 0; k < stride_; ++k) to[k] = mass * pi[k];
      for (std::int64_t k = 0; k < k_; ++k) mean_p[k] += to[k];
    }
    add_product(c.scratch.data(), 1, stride_, k_, rows, p, stride_, c.sum.data() + k_ * stride_);
    for (std::int64_t i = 0; i < rows; ++i) {
      const double* pi = p + i * stride_;
      const double* u = data_.row(begin + i);
      double* to = c.scratch.data() + i * stride_;
      const double mass = data_.mass[begin + i];
      const double total = mass * row_sum(stride_, [pi](std::int64_t j) { return pi[j] * (1 - pi[j]); });
      c.value += total;
      for (std::int64_t k = 0; k < stride_; ++k) to[k] = total * u[k];
      for (std::int64_t k = 0; k < k_; ++k) mean_u[k] += to[k];
    }
    add_product(c.scratch.data(), 1, stride_, k_, rows, data_.row(begin), stride_, c.sum.data());
  });
  std::vector<double> gram(n * n), spread(k_ * k_);
  double total = 0;
  for (const Chunk& c : chunks_) {
    const double* moments_p = c.sum.data() + k_ * stride_;
    const double* mean_u = moments_p + k_ * stride_;
    total += c.value;
    for (std::int64_t k = 0; k < k_; ++k) {
      for (std::int64_t j = 0; j <= k; ++j) gram[k * n + j] += c.sum[k * stride_ + j];
      for (std::int64_t j = 0; j < k_; ++j) spread[k * k_ + j] -= moments_p[k * stride_ + j];
      gram[k_ * n + k] += mean_u[k];
      spread[k * k_ + k] += mean_u[k_ + k];
    }
  }
  gram[k_ * n + k_] = total;
  if (total <= 0) total = 1;
  for (double& x : spread) x /= total;
  if (k_ > block_limit_) {
    blocks_.resize(k_ * n);
    for (std::int64_t k = 0; k < k_; ++k) {
      for (std::int64_t j = 0; j < n; ++j) {
        const double ridge = j == k_ ? ridge_.b : j == k ? ridge_.diagonal : ridge_.off;
        blocks_[k * n + j] = spread[k * k_ + k] * gram[j * n + j] + 2 * ridge + 1e-12;
      }
    }
    return;
  }
  // Of the column j of W one of K entries is on the diagonal, with a ridge of its own.
  const double k = k_;
  const double ridge_w = 2 * (ridge_.off * (k - 1) + ridge_.diagonal) / k;
  std::vector<double> values(k_);
  vectors_.resize(k_ * k_);
  eigen(spread, k_, values, vectors_);
  blocks_.resize(k_ * n * n);
  parallel_blocks(k_, 1, threads_, [&](int, std::int64_t at, std::int64_t) {
    const std::span<double> block = std::span(blocks_).subspan(at * n * n, n * n);
    const double value = std::max(values[at], 0.0);
    double most = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) block[i * n + j] = value * gram[i * n + j];
      block[i * n + i] += i == k_ ? 2 * ridge_.b : ridge_w;
      most = std::max(most, block[i * n + i]);
    }
    factor(block, n, most > 0 ? 1e-10 * most : 1.0);
  });
}

void LinearSoftmax::precondition(std::span<const double> r, std::span<double> out) {
  if (!full_) {
    for (std::int64_t k = 0; k < k_; ++k) {
      const double a = blocks_[k], c = blocks_[2 * k_ + k];
      double b = blocks_[k_ + k];
      double det = a * c - b * b;
      if (!(det > 1e-10 * a * c)) {
        b = 0;
        det = a * c;
      }
      out[k] = (c * r[k] - b * r[k_ + k]) / det;
      out[k_ + k] = (a * r[k_ + k] - b * r[k]) / det;
    }
    return;
  }
  const std::int64_t n = k_ + 1;
  if (k_ > block_limit_) {
    for (std::int64_t k = 0; k < k_; ++k) {
      for (std::int64_t j = 0; j < k_; ++j) out[k * k_ + j] = r[k * k_ + j] / blocks_[k * n + j];
      out[k_ * k_ + k] = r[k_ * k_ + k] / blocks_[k * n + k_];
    }
    return;
  }
  // Into the eigenvectors, block by block, and back.
  turned_.assign(k_ * padded(n), 0.0);
  std::vector<double> rows(k_ * padded(n));
  for (std::int64_t k = 0; k < k_; ++k) {
    std::copy_n(r.begin() + (k * k_), k_, rows.begin() + (k * padded(n)));
    rows[k * padded(n) + k_] = r[k_ * k_ + k];
  }
  add_product(vectors_.data(), k_, 1, k_, k_, rows.data(), padded(n), turned_.data());
  parallel_blocks(k_, 8, threads_, [&](int, std::int64_t begin, std::int64_t end) {
    for (auto k = begin; k < end; ++k)
      solve(std::span<const double>(blocks_).subspan(k * n * n, n * n), n,
            std::span(turned_).subspan(k * padded(n), n));
  });
  std::fill(rows.begin(), rows.end(), 0.0);
  add_product(vectors_.data(), 1, k_, k_, k_, turned_.data(), padded(n), rows.data());
  for (std::int64_t k = 0; k < k_; ++k) {
    std::copy_n(rows.begin() + (k * padded(n)), k_, out.begin() + (k * k_));
    out[k_ * k_ + k] = rows[k * padded(n) + k_];
  }
}

}  // namespace plumb::detail
