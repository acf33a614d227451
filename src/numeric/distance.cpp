#include "plumb/numeric/distance.hpp"

#include <limits>
#include <stdexcept>

#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// One line: out[q] = min over v of (s (q - v))^2 + f[v].
class Envelope {
 public:
  explicit Envelope(std::size_t n) : f_(n), at_(n), from_(n + 1) {}
  [[nodiscard]] std::vector<double>& line() { return f_; }

  template <class Store>
  void minimum(double s, Store store) {
    std::size_t parabolas = 0;
    const auto n = f_.size();
    for (std::size_t q = 0; q < n; ++q) {
      if (f_[q] == kFar) continue;
      double begins = -kFar;
      while (parabolas > 0 && (begins = meet(at_[parabolas - 1], q, s)) <= from_[parabolas - 1]) --parabolas;
      if (parabolas == 0) begins = -kFar;
      at_[parabolas] = q;
      from_[parabolas] = begins;
      ++parabolas;
    }
    std::size_t k = 0;
    for (std::size_t q = 0; q < n; ++q) {
      if (parabolas == 0) {
        store(q, kFar);
        continue;
      }
      while (k + 1 < parabolas && from_[k + 1] < static_cast<double>(q)) ++k;
      const double away = s * (static_cast<double>(q) - static_cast<double>(at_[k]));
      store(q, away * away + f_[at_[k]]);
    }
  }

 private:
  /// Where the parabola of q becomes the lower one of it and that of v < q, in steps of the grid.
  [[nodiscard]] double meet(std::size_t v, std::size_t q, double s) const {
    const double a = static_cast<double>(v), b = static_cast<double>(q);
    return (a + b) / 2 + (f_[q] - f_[v]) / (2 * s * s * (b - a));
  }

  std::vector<double> f_;
  std::vector<std::size_t> at_;
  std::vector<double> from_;
};

}  // namespace

std::vector<double> squared_distances(std::span<const std::uint8_t> seeds,
                                      std::span<const std::int64_t> shape, std::span<const double> spacing,
                                      int threads) {
  if (shape.size() != spacing.size()) throw std::invalid_argument("each axis has a spacing");
  const std::int64_t n = std::ssize(seeds);
  std::vector<double> d(n);
  for (std::int64_t i = 0; i < n; ++i) d[i] = seeds[i] != 0 ? 0 : kFar;
  std::int64_t stride = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t length = shape[axis];
    if (length < 1 || n % length != 0) throw std::invalid_argument("the shape does not fit the seeds");
    constexpr std::int64_t kLines = 64;
    if (length > 1)
      parallel_blocks(n / length, kLines, threads, [&](int, std::int64_t begin, std::int64_t end) {
        Envelope envelope(length);
        for (std::int64_t line = begin; line < end; ++line) {
          double* const first = d.data() + line / stride * stride * length + line % stride;
          for (std::int64_t q = 0; q < length; ++q) envelope.line()[q] = first[q * stride];
          envelope.minimum(spacing[axis], [&](std::size_t q, double x) { first[q * stride] = x; });
        }
      });
    stride *= length;
  }
  return d;
}

}  // namespace plumb
