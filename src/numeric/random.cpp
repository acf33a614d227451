#include "plumb/numeric/random.hpp"

#include <stdexcept>

#include "numeric/random_layout.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {

using namespace detail;

// Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011), section 3.3.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{kPhiloxMultiplier0} * c[0];
    const std::uint64_t p1 = std::uint64_t{kPhiloxMultiplier1} * c[2];
    c = {high_half(p1) ^ c[1] ^ key[0], low_half(p1), high_half(p0) ^ c[3] ^ key[1], low_half(p0)};
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  return c;
}

std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::uint32_t replicate, std::uint64_t unit) {
  const auto w = philox_block(seed, pair_stream(purpose), replicate, unit / 2);
  const std::size_t at = 2 * (unit % 2);
  return std::uint64_t{w[at + 1]} << 32 | w[at];
}

double random_uniform(std::uint64_t seed, Purpose purpose, std::uint32_t replicate, std::uint64_t unit) {
  return uniform_of(random_bits(seed, purpose, replicate, unit));
}

std::uint32_t random_poisson(std::uint64_t seed, std::uint32_t replicate, std::uint64_t unit) {
  return poisson_of(philox_block(seed, word_stream(Purpose::bootstrap), replicate, unit / 4)[unit % 4]);
}

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  // FNV-1a's high bits depend little on the last characters; the finaliser of MurmurHash3 spreads them.
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

double RandomStream::normal() { return normal_quantile(open_uniform()); }

// The middle of one of 2^52 equal intervals: neither 0 nor 1.
double RandomStream::open_uniform() {
  return (random_bits(seed_, purpose_, replicate_, next_++) >> 11 | 1) * 0x1p-53;
}

// Marsaglia and Tsang: A simple method for generating gamma variables (2000).
double RandomStream::gamma(double shape) {
  if (!(shape > 0.0)) throw std::invalid_argument("the shape of a gamma variable must be positive");
  if (shape < 1.0) {
    const double boost = exp_portable(log_portable(open_uniform()) / shape);
    return gamma(shape + 1.0) * boost;
  }
  const double d = shape - 1.0 / 3.0, c = 1.0 / (3.0 * __builtin_sqrt(d));
  for (;;) {
    const double x = normal(), t = 1.0 + c * x;
    if (t <= 0.0) continue;
    const double v = t * t * t;
    if (log_portable(open_uniform()) < 0.5 * x * x + d * (1.0 - v + log_portable(v))) return d * v;
  }
}

// Lemire: Fast random integer generation in an interval (2019): without bias, by rejection.
std::uint64_t RandomStream::below(std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("no integer lies below 0");
  __extension__ using uint128 = unsigned __int128;
  const std::uint64_t reject = (0 - n) % n;
  for (;;) {
    const uint128 product = uint128{random_bits(seed_, purpose_, replicate_, next_++)} * n;
    if (static_cast<std::uint64_t>(product) >= reject) return product >> 64;
  }
}

}  // namespace plumb
