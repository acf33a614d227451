// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): a number is a pure function of
// (seed, purpose, replicate, unit), so neither threads nor shards nor order can change it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace plumb {

/// What a stream is for. Streams of different purposes never share numbers.
enum class Purpose : std::uint32_t {
  kBootstrap = 1,
  kNullLabels = 2,
  kNullGroups = 3,
  kSplit = 4,
  kSample = 5,
  kDemo = 6,
  kNullModel = 7,
  kNullVotes = 8,
  kNoise = 9,
  kSigns = 10
};

[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key);

/// 64 random bits for (seed, purpose, replicate, unit).
[[nodiscard]] std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
                                        std::uint64_t unit);
/// Uniform on [0, 1): a multiple of 2^-53.
[[nodiscard]] double random_uniform(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
                                    std::uint64_t unit);
/// Poisson(1); at most 12.
[[nodiscard]] std::uint32_t random_poisson(std::uint64_t seed, std::uint32_t replicate, std::uint64_t unit);

// The same numbers for many units at once (SIMD; bit-equal to the calls above). Units that follow each other,
// as the rows of a file do, share Philox blocks and are made several times faster than scattered ones.
void fill_bits(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
               std::span<const std::uint64_t> units, std::span<std::uint64_t> out);
void fill_uniform(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
                  std::span<const std::uint64_t> units, std::span<double> out);
void fill_poisson(std::uint64_t seed, std::uint32_t replicate, std::span<const std::uint64_t> units,
                  std::span<std::uint32_t> out);

/// The unit of a named group: 64-bit FNV-1a, then mixed. Numbers hash as their shortest decimal text.
[[nodiscard]] std::uint64_t hash_name(std::string_view name);

/// A sequential generator over one stream (for simulations): next() walks `unit` upward.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t replicate = 0)
      : seed_(seed), purpose_(purpose), replicate_(replicate) {}
  [[nodiscard]] double uniform() { return random_uniform(seed_, purpose_, replicate_, next_++); }
  [[nodiscard]] double normal();                       ///< standard normal, by inversion
  [[nodiscard]] double gamma(double shape);            ///< Marsaglia-Tsang; shape > 0
  [[nodiscard]] std::uint64_t below(std::uint64_t n);  ///< uniform on 0..n-1

 private:
  [[nodiscard]] double open_uniform();  // on (0, 1)
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t replicate_;
  std::uint64_t next_ = 0;
};

}  // namespace plumb
