#include "plumb/numeric/simd.hpp"

#include "numeric/shared/highway.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <stdexcept>

namespace plumb {
namespace {

std::vector<std::int64_t> target_bits() {
  const std::int64_t usable = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
  std::vector<std::int64_t> bits;
  for (std::int64_t rest = usable; rest != 0; rest &= rest - 1)
    bits.push_back(rest & -rest);  // lower bit, better target
  return bits;
}

void use_targets(std::int64_t mask) {
  hwy::SetSupportedTargetsForTest(mask);  // 0 lifts the restriction
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<std::string> simd_targets() {
  const std::string in_use = simd_target();
  use_targets(0);
  std::vector<std::string> names;
  for (const std::int64_t bit : target_bits()) names.emplace_back(hwy::TargetName(bit));
  force_simd_target(in_use);
  return names;
}

std::string simd_target() { return hwy::TargetName(target_bits().front()); }

void force_simd_target(const std::string& name) {
  use_targets(0);
  if (name.empty()) return;
  for (const std::int64_t bit : target_bits())
    if (name == hwy::TargetName(bit)) return use_targets(bit);
  throw std::invalid_argument("this machine has no SIMD target \"" + name + "\"");
}

}  // namespace plumb
