// LSD radix sort on the order-preserving integer image of the doubles, 11 bits at a time at most. When every
// value is also a float32 (as most probabilities are), the image has 32 bits and a record 8 bytes; otherwise
// 64 bits and 12 bytes. Images are taken relative to the smallest, without the low bits that no value uses,
// so that digits that are the same for all values are skipped.
#include "plumb/numeric/sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kLeastChunk = 4096;  // items worth a thread
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

// Unsigned integers that order as the values do: a negative number's bits are inverted, a positive one's sign
// is set. -0 is made +0 first.
struct Narrow {
  using Key = std::uint32_t;
  static Key image(double x) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x + 0.0));
    return bits ^ (bits >> 31 ? ~Key{0} : Key{1} << 31);
  }
  static double value(Key k, int) { return std::bit_cast<float>(k ^ (k >> 31 ? Key{1} << 31 : ~Key{0})); }
  // None: a subnormal float32 uses bits that its double does not.
  static int unused_bits(std::uint64_t) { return 0; }
};
struct Wide {
  using Key = std::uint64_t;
  static Key image(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits ^ (bits >> 63 ? ~Key{0} : Key{1} << 63);
  }
  // An inverted image ends in 1s where the value has unused bits.
  static double value(Key k, int unused) {
    const bool positive = k >> (63 - unused);
    k <<= unused;
    return std::bit_cast<double>(positive ? k ^ Key{1} << 63 : ~(k | ((Key{1} << unused) - 1)));
  }
  static int unused_bits(std::uint64_t used) { return used == 0 ? 0 : std::countr_zero(used); }
};

template <class Key>
struct [[gnu::packed]] Record {
  Key key;
  std::uint32_t index;
};

struct Summary {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool narrow = true;      // every value is a float32
  std::uint64_t used = 0;  // bits set in some value
};

Summary summarise(std::span<const double> values, int threads) {
  constexpr std::int64_t kBlock = 1 << 16;
  return parallel_reduce_blocks(
      std::ssize(values), kBlock, threads, Summary{},
      [&](Summary& s, std::int64_t begin, std::int64_t end) {
        bool narrow = true, nan = false;
        double low = s.low, high = s.high;
        std::uint64_t used = s.used;
        for (std::int64_t i = begin; i < end; ++i) {
          const double x = values[i];
          narrow &= static_cast<float>(x) == x;
          nan |= x != x;
          low = x < low ? x : low;
          high = x > high ? x : high;
          used |= std::bit_cast<std::uint64_t>(x + 0.0);
        }
        if (nan) {
          const auto at =
              std::find_if(values.begin() + begin, values.begin() + end, [](double x) { return x != x; });
          throw std::invalid_argument("cannot sort a column with a NaN (at position " +
                                      std::to_string(at - values.begin()) + ")");
        }
        s = {low, high, s.narrow && narrow, used};
      },
      [](Summary& into, const Summary& from) {
        into = {std::min(into.low, from.low), std::max(into.high, from.high), into.narrow && from.narrow,
                into.used | from.used};
      });
}

template <class Image>
class RadixSort {
  using Key = typename Image::Key;
  using Item = Record<Key>;

 public:
  RadixSort(std::span<const double> values, const Summary& s, int threads)
      : values_(values),
        unused_(Image::unused_bits(s.used)),
        base_(Image::image(s.low) >> unused_),
        counts_(std::min<std::size_t>(resolve_threads(threads), values.size() / kLeastChunk + 1)) {
    const int bits = std::bit_width(static_cast<Key>((Image::image(s.high) >> unused_) - base_));
    passes_ = (bits + kDigitBits - 1) / kDigitBits;
    digit_bits_ = passes_ == 0 ? 0 : (bits + passes_ - 1) / passes_;
  }

  // Emits emit(position, value, index) for every item.
  template <class Emit>
  void run(Emit emit) {
    const std::size_t n = values_.size();
    const auto from_input = [&](std::size_t i) {
      return Item{static_cast<Key>((Image::image(values_[i]) >> unused_) - base_), narrow<std::uint32_t>(i)};
    };
    const auto finish = [&](std::size_t at, Item item) {
      emit(at, Image::value(static_cast<Key>(item.key + base_), unused_), item.index);
    };
    std::unique_ptr<Item[]> from;
    std::unique_ptr<Item[]> to;
    const auto buffer = [&] {
      auto b = std::make_unique_for_overwrite<Item[]>(n);
      prefer_huge_pages(b.get(), n * sizeof(Item));
      hand_out(b.get(), n * sizeof(Item), narrow<int>(counts_.size()));
      return b;
    };
    if (passes_ > 1) to = buffer();
    if (passes_ > 2) from = buffer();
    if (passes_ == 0) {
      each_chunk([&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) finish(i, from_input(i));
      });
    }
    for (int pass = 0; pass < passes_; ++pass) {
      const auto store = [&](std::size_t at, Item item) { to[at] = item; };
      const auto from_buffer = [&](std::size_t i) { return from[i]; };
      const int shift = pass * digit_bits_;
      const bool first = pass == 0, last = pass + 1 == passes_;
      if (first) {
        last ? scatter(shift, from_input, finish) : scatter(shift, from_input, store);
      } else {
        last ? scatter(shift, from_buffer, finish) : scatter(shift, from_buffer, store);
      }
      std::swap(from, to);
    }
  }

 private:
  template <class Body>
  void each_chunk(Body body) {
    const std::size_t n = values_.size();
    parallel_blocks(std::ssize(counts_), 1, narrow<int>(counts_.size()),
                    [&](int, std::int64_t chunk, std::int64_t) {
                      body(chunk, n * chunk / counts_.size(), n * (chunk + 1) / counts_.size());
                    });
  }

  template <class Get, class Store>
  void scatter(int shift, Get get, Store store) {
    const Key mask = (Key{1} << digit_bits_) - 1;
    each_chunk([&](std::size_t c, std::size_t begin, std::size_t end) {
      auto& count = counts_[c];
      count.fill(0);
      for (std::size_t i = begin; i < end; ++i) ++count[get(i).key >> shift & mask];
    });
    std::uint32_t at = 0;
    for (std::size_t b = 0; b <= mask; ++b)
      for (auto& count : counts_) at += std::exchange(count[b], at);
    each_chunk([&](std::size_t c, std::size_t begin, std::size_t end) {
      auto& next = counts_[c];
      for (std::size_t i = begin; i < end; ++i) {
        const Item item = get(i);
        store(next[item.key >> shift & mask]++, item);
      }
    });
  }

  std::span<const double> values_;
  int unused_;
  Key base_;
  std::vector<std::array<std::uint32_t, kBuckets>> counts_;
  int passes_ = 0, digit_bits_ = 0;
};

template <class Emit>
void sort_into(std::span<const double> values, int threads, Emit emit) {
  const Summary s = summarise(values, threads);
  s.narrow ? RadixSort<Narrow>(values, s, threads).run(emit) : RadixSort<Wide>(values, s, threads).run(emit);
}

void check_size(std::size_t n) {
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a sorted column holds at most 4294967295 items");
}

}  // namespace

SortedColumn sort_column(std::span<const double> values, int threads) {
  check_size(values.size());
  SortedColumn c;
  resize_large(c.values, values.size(), threads);
  resize_large(c.order, values.size(), threads);
  if (!values.empty()) {
    sort_into(values, threads, [&](std::size_t at, double x, std::uint32_t index) {
      c.values[at] = x;
      c.order[at] = index;
    });
  }
  return c;
}

}  // namespace plumb
