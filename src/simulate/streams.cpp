#include "plumb/simulate/streams.hpp"

#include <numeric>
#include <vector>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

// log of a gamma variable. For shape < 1:
// Gamma(a) = Gamma(a + 1) U^(1/a), where the power underflows but its log does not.
double log_gamma_draw(double shape, RandomStream& random) {
  if (shape >= 1.0) return log_portable(random.gamma(shape));
  const double boost = log_portable(1.0 - random.uniform()) / shape;
  return log_portable(random.gamma(shape + 1.0)) + boost;
}

int byte_sum(std::uint32_t w) { return (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24); }

}  // namespace

std::uint64_t derive_seed(std::uint64_t seed, std::string_view use) {
  return random_bits(seed, Purpose::demo, 0, hash_name(use));
}

RandomStream item_stream(std::uint64_t seed, std::string_view use, std::int64_t item) {
  return {derive_seed(seed, use), Purpose::demo, narrow<std::uint32_t>(item)};
}

double draw_beta(double a, double b, RandomStream& random) {
  const double la = log_gamma_draw(a, random), lb = log_gamma_draw(b, random);
  return logistic(la - lb);
}

void fill_noise(std::uint64_t seed, std::string_view use, std::int64_t item, std::span<std::int16_t> out) {
  const std::size_t words = (out.size() + 1) / 2;
  std::vector<std::uint64_t> units(words), bits(words);
  std::iota(units.begin(), units.end(), std::uint64_t{0});
  fill_bits(derive_seed(seed, use), Purpose::demo, item, units, bits);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = byte_sum(i % 2 == 0 ? bits[i / 2] : bits[i / 2] >> 32) - 510;
}

}  // namespace plumb
