// The top label is class 1 where p > 1/2, otherwise class 0 with 1 - p and the misses: two columns in
// ascending order, the lower half backwards and the upper half, which are merged. Any stretch of the merge
// can be read by itself, because its first rows are found by bisection.
#include "plumb/data/confidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr std::size_t kStretch = 1 << 13;

/// The first number in [0, n) for which `beyond` holds; n if there is none.
template <class Beyond>
std::size_t first_beyond(std::size_t n, Beyond beyond) {
  std::size_t from = 0, to = n;
  while (from < to) {
    const std::size_t middle = (from + to) / 2;
    beyond(middle) ? to = middle : from = middle + 1;
  }
  return from;
}

}  // namespace

ConfidenceColumn::ConfidenceColumn(const ForecastsView& ascending)
    : f_(ascending),
      lows_(std::upper_bound(f_.p.begin(), f_.p.end(), 0.5) - f_.p.begin()),
      highs_(f_.size() - lows_) {
  for (std::size_t at = 0; at < f_.size();) {
    at = std::min(at + kStretch, f_.size());
    // How many of the first `at` are low ones (lows first among equals); then all that equal the last
    // of them.
    const std::size_t least = at > highs_ ? at - highs_ : 0;
    std::size_t i = least + first_beyond(std::min(at, lows_) - least, [&](std::size_t k) {
                      const std::size_t low_rows = least + k, high_rows = at - low_rows;
                      return !(high_rows > 0 && low_rows < lows_ && low(low_rows) <= high(high_rows - 1));
                    });
    std::size_t j = at - i;
    const double last = std::max(i > 0 ? low(i - 1) : 0.0, j > 0 ? high(j - 1) : 0.0);
    i += first_beyond(lows_ - i, [&](std::size_t k) { return low(i + k) > last; });
    j += first_beyond(highs_ - j, [&](std::size_t k) { return high(j + k) > last; });
    ends_.push_back({i, j});
    at = i + j;
  }
}

void ConfidenceColumn::read(std::int64_t stretch, const Target& to) const {
  const Place end = ends_[stretch];
  auto [i, j] = stretch == 0 ? Place{0, 0} : ends_[stretch - 1];
  const auto take = [&](std::size_t k, std::size_t at, bool is_low) {
    const double trials = f_.trials.empty() ? 1.0 : f_.trials[at], hits = f_.hits[at];
    to.p[k] = is_low ? 1.0 - f_.p[at] : f_.p[at];
    to.hits[k] = is_low ? trials - hits : hits;
    if (!f_.trials.empty()) to.trials[k] = trials;
    if (!f_.weight.empty()) to.weight[k] = f_.weight[at];
  };
  std::size_t k = 0;
  if (f_.trials.empty() && f_.weight.empty()) {
    // Which half is next is unpredictable, so a branch on it would cost more than the rest.
    const double *const p = f_.p.data() + lows_, *const hits = f_.hits.data() + lows_;
    for (; i < end.lows && j < end.highs; ++k) {
      const double l = 1.0 - p[-1 - static_cast<std::ptrdiff_t>(i)], h = p[j];
      const auto is_low = static_cast<std::ptrdiff_t>(l <= h);
      const std::ptrdiff_t high_at = static_cast<std::ptrdiff_t>(j),
                           low_at = -1 - static_cast<std::ptrdiff_t>(i);
      const double hit = hits[high_at + (low_at - high_at) * is_low];
      to.p[k] = std::min(l, h);
      to.hits[k] = std::fabs(static_cast<double>(is_low) - hit);  // 1 - hit of a low one
      i += is_low;
      j += 1 - is_low;
    }
  } else {
    for (; i < end.lows && j < end.highs; ++k)
      low(i) <= high(j) ? take(k, lows_ - 1 - i++, true) : take(k, lows_ + j++, false);
  }
  for (; i < end.lows; ++k) take(k, lows_ - 1 - i++, true);
  for (; j < end.highs; ++k) take(k, lows_ + j++, false);
}

void ConfidenceColumn::read(std::int64_t stretch, Forecasts& out) const {
  const std::size_t rows = ends_[stretch].rows() - (stretch == 0 ? 0 : ends_[stretch - 1].rows());
  out.p.resize(rows);
  out.hits.resize(rows);
  out.trials.resize(f_.trials.empty() ? 0 : rows);
  out.weight.resize(f_.weight.empty() ? 0 : rows);
  read(stretch, {out.p.data(), out.hits.data(), out.trials.data(), out.weight.data()});
}

void ConfidenceColumn::each(bool from_last, int threads,
                            const std::function<void(const ForecastsView&)>& use) const {
  constexpr std::int64_t kAhead = 4;  // of each thread; a thread alone keeps what it reads in its cache
  const std::int64_t all = stretches(), wanted = resolve_threads(threads);
  std::vector<Forecasts> held(std::min(all, wanted > 1 ? kAhead * wanted : 1));
  const std::int64_t most = std::ssize(held);
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t n = std::min(most, all - first);
    parallel_blocks(n, 1, threads, [&](int, std::int64_t i, std::int64_t) {
      read(from_last ? all - 1 - first - i : first + i, held[i]);
    });
    for (std::int64_t i = 0; i < n; ++i) use(held[i].view());
  }
}

Forecasts confidence_of(const Forecasts& ascending, int threads) {
  const ConfidenceColumn column(ascending.view());
  Forecasts out;
  for (auto [to, from] :
       {std::pair(&out.p, &ascending.p), std::pair(&out.hits, &ascending.hits),
        std::pair(&out.trials, &ascending.trials), std::pair(&out.weight, &ascending.weight)})
    if (!from->empty()) resize_large(*to, ascending.size(), threads);
  parallel_blocks(column.stretches(), 1, threads, [&](int, std::int64_t s, std::int64_t) {
    const std::size_t begin = s == 0 ? 0 : column.ends_[s - 1].rows();
    const auto from = [begin](std::vector<double>& column_of) {  // one that is absent has no address
      return column_of.empty() ? nullptr : column_of.data() + begin;
    };
    column.read(s, {from(out.p), from(out.hits), from(out.trials), from(out.weight)});
  });
  return out;
}

}  // namespace plumb
