#include "numeric/random_layout.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {

void fill_bits(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
               std::span<const std::uint64_t> units, std::span<std::uint64_t> out) {
  for (std::size_t i = 0; i < units.size(); ++i) out[i] = random_bits(seed, purpose, replicate, units[i]);
}
void fill_uniform(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
                  std::span<const std::uint64_t> units, std::span<double> out) {
  for (std::size_t i = 0; i < units.size(); ++i) out[i] = random_uniform(seed, purpose, replicate, units[i]);
}
void fill_poisson(std::uint64_t seed, std::uint32_t replicate, std::span<const std::uint64_t> units,
                  std::span<std::uint32_t> out) {
  for (std::size_t i = 0; i < units.size(); ++i) out[i] = random_poisson(seed, replicate, units[i]);
}
void fill_poisson4(std::uint64_t seed, std::uint32_t group, std::span<const std::uint64_t> units,
                   std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      out[j * units.size() + i] = static_cast<std::uint8_t>(random_poisson(seed, 4 * group + j, units[i]));
    }
  }
}
void fill_signs(std::uint64_t seed, std::uint32_t replicate, std::span<const std::uint64_t> units,
                std::span<std::int8_t> out) {
  for (std::size_t i = 0; i < units.size(); ++i)
    out[i] = static_cast<std::int8_t>(random_sign(seed, replicate, units[i]));
}

}  // namespace plumb
