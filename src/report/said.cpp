#include "report/said.hpp"

#include <algorithm>
#include <array>

namespace plumb::detail {
namespace {

constexpr std::array kClaimNames{
    "trustworthy",    "off",       "undecided",        "too high",      "too low",   "mean by chance",
    "too extreme",    "too timid", "within tolerance", "beyond chance", "by chance", "sigma too small",
    "sigma too large"};

struct Pair {
  Claim a, b;
};
// A trustworthy model may be found too high, too extreme or beyond chance: with many items a small fault is
// certain. Then the sentence says that the tolerance allows it (within_tolerance), which nothing else may
// say.
constexpr Pair kExclude[] = {
    {Claim::trustworthy, Claim::off},
    {Claim::trustworthy, Claim::undecided},
    {Claim::off, Claim::undecided},
    {Claim::too_high, Claim::too_low},
    {Claim::too_high, Claim::mean_by_chance},
    {Claim::too_low, Claim::mean_by_chance},
    {Claim::too_extreme, Claim::too_timid},
    {Claim::beyond_chance, Claim::by_chance},
    {Claim::off, Claim::by_chance},
    {Claim::off, Claim::within_tolerance},
    {Claim::undecided, Claim::within_tolerance},
    {Claim::sigma_too_small, Claim::sigma_too_large},
};

}  // namespace

std::string_view claim_name(Claim claim) { return kClaimNames.at(static_cast<std::size_t>(claim)); }

std::vector<std::string> contradictions(std::span<const Claim> claims) {
  const auto made = [&](Claim c) { return std::find(claims.begin(), claims.end(), c) != claims.end(); };
  std::vector<std::string> out;
  for (const Pair& p : kExclude)
    if (made(p.a) && made(p.b))
      out.push_back(std::string(claim_name(p.a)) + ", " + std::string(claim_name(p.b)));
  return out;
}

std::vector<Claim> claims_of(std::span<const Said> sentences) {
  std::vector<Claim> out;
  for (const Said& s : sentences) out.insert(out.end(), s.claims.begin(), s.claims.end());
  return out;
}

}  // namespace plumb::detail
