// Radix sort of 64-bit keys without records or positions: one pass by the highest bits in use, on all
// threads, then each bucket by its lower digits while it is in cache. Large buckets are split once more.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb {
namespace {

constexpr int kSplitBits = 11;
constexpr std::int64_t kLargeBucket = 1 << 18;  // worth all threads
constexpr std::int64_t kSmallBucket = 64;       // worth no counting
constexpr int kLowBits = 8;

// A word is kept as the double of the same bits: the columns that are sorted are columns of doubles.
std::uint64_t word(double x) { return std::bit_cast<std::uint64_t>(x); }

struct Bits {
  std::uint64_t some = 0, all = ~std::uint64_t{0};
  void include(std::uint64_t k) { some |= k, all &= k; }
  [[nodiscard]] std::uint64_t differ() const { return some & ~all; }
};

class PackedSort {
 public:
  PackedSort(std::span<double> keys, std::span<double> room, int ignored, int threads)
      : keys_(keys), room_(room), ignored_(ignored), threads_(resolve_threads(threads)) {}
  void run() { split(0, std::ssize(keys_)); }

 private:
  [[nodiscard]] std::uint64_t differing(const Bits& b) const { return b.differ() >> ignored_ << ignored_; }
  // Buckets by the highest bits that differ; then each by itself.
  void split(std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin, chunks = std::clamp<std::int64_t>(n / 65536, 1, threads_);
    const auto each_chunk = [&](auto body) {
      parallel_blocks(chunks, 1, threads_, [&](int, std::int64_t c, std::int64_t) {
        body(c, begin + n * c / chunks, begin + n * (c + 1) / chunks);
      });
    };
    std::vector<Bits> seen(chunks);
    each_chunk([&](std::int64_t c, std::int64_t from, std::int64_t to) {
      Bits b;
      for (std::int64_t i = from; i < to; ++i) b.include(word(keys_[i]));
      seen[c] = b;
    });
    for (const Bits& b : seen) seen[0].some |= b.some, seen[0].all &= b.all;
    const std::uint64_t differ = differing(seen[0]);
    if (differ == 0) return;
    const int shift = std::max(ignored_, narrow<int>(std::bit_width(differ)) - kSplitBits);
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kSplitBits) - 1;
    const auto digit = [&](double k) { return word(k) >> shift & kMask; };
    std::vector<std::array<std::int64_t, kMask + 1>> next(chunks);
    each_chunk([&](std::int64_t c, std::int64_t from, std::int64_t to) {
      next[c].fill(0);
      for (std::int64_t i = from; i < to; ++i) ++next[c][digit(keys_[i])];
    });
    std::vector<std::int64_t> edge{begin};
    std::int64_t at = begin;
    for (std::size_t b = 0; b <= kMask; ++b) {
      for (auto& count : next) at += std::exchange(count[b], at);
      edge.push_back(at);
    }
    each_chunk([&](std::int64_t c, std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) room_[next[c][digit(keys_[i])]++] = keys_[i];
    });
    next.clear();
    parallel_blocks(kMask + 1, 1, threads_, [&](int, std::int64_t b, std::int64_t) {
      if (edge[b + 1] - edge[b] < kLargeBucket) {
        lower_digits(edge[b], edge[b + 1]);
      } else {
        std::copy(room_.begin() + edge[b], room_.begin() + edge[b + 1], keys_.begin() + edge[b]);
      }
    });
    for (std::size_t b = 0; b <= kMask; ++b)
      if (edge[b + 1] - edge[b] >= kLargeBucket) split(edge[b], edge[b + 1]);
  }

  // From room_ to keys_, least digit first.
  void lower_digits(std::int64_t begin, std::int64_t end) {
    std::span<double> from = room_.subspan(begin, end - begin), to = keys_.subspan(begin, end - begin);
    if (std::ssize(from) < kSmallBucket) {
      std::copy(from.begin(), from.end(), to.begin());
      std::sort(to.begin(), to.end(), [&](double a, double b) { return word(a) < word(b); });
      return;
    }
    Bits seen;
    for (const double k : from) seen.include(word(k));
    std::uint64_t differ = differing(seen);
    while (differ != 0) {
      const int shift = std::countr_zero(differ);
      constexpr std::uint64_t kMask = (std::uint64_t{1} << kLowBits) - 1;
      differ = shift + kLowBits < 64 ? differ >> (shift + kLowBits) << (shift + kLowBits) : 0;
      std::array<std::uint32_t, kMask + 1> next{};
      for (const double k : from) ++next[word(k) >> shift & kMask];
      std::uint32_t at = 0;
      for (auto& count : next) at += std::exchange(count, at);
      for (const double k : from) to[next[word(k) >> shift & kMask]++] = k;
      std::swap(from, to);
    }
    if (from.data() != keys_.data() + begin) std::copy(from.begin(), from.end(), to.begin());
  }

  std::span<double> keys_, room_;
  int ignored_, threads_;
};

}  // namespace

void sort_packed(std::span<double> keys, std::span<double> room, int ignored_bits, int threads) {
  if (room.size() < keys.size()) throw std::invalid_argument("sorting needs as much room as there are keys");
  PackedSort(keys, room, ignored_bits, threads).run();
}

}  // namespace plumb
