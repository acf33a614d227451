#include "report/sentence.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace plumb::detail {
namespace {

constexpr std::array<std::string_view, kClaims> kClaimNames{"trustworthy",       "off",
                                                            "undecided",         "too high",
                                                            "too low",           "mean by chance",
                                                            "too extreme",       "not extreme enough",
                                                            "within tolerance",  "beyond chance",
                                                            "by chance",         "below guessing",
                                                            "sigma too small",   "sigma too large",
                                                            "errors above",      "errors below",
                                                            "sigma mixed",       "advise replicates",
                                                            "advise calibrator", "advise items",
                                                            "advise suspects",   "advise class order"};

struct Pair {
  Claim a, b;
  std::optional<Claim> unless = {};  ///< makes both compatible
};
constexpr Pair kExclude[] = {
    {Claim::trustworthy, Claim::off},
    {Claim::trustworthy, Claim::undecided},
    {Claim::trustworthy, Claim::below_guessing},
    {Claim::off, Claim::undecided},
    {Claim::off, Claim::by_chance},
    {Claim::off, Claim::within_tolerance},
    {Claim::undecided, Claim::within_tolerance},
    {Claim::too_high, Claim::too_low},
    {Claim::too_high, Claim::mean_by_chance},
    {Claim::too_low, Claim::mean_by_chance},
    {Claim::too_extreme, Claim::too_timid},
    {Claim::beyond_chance, Claim::by_chance},
    {Claim::by_chance, Claim::too_high},
    {Claim::by_chance, Claim::too_low},
    {Claim::by_chance, Claim::too_extreme},
    {Claim::by_chance, Claim::too_timid},
    {Claim::sigma_too_small, Claim::sigma_too_large},
    {Claim::sigma_too_small, Claim::errors_below, Claim::sigma_mixed},
    {Claim::sigma_too_large, Claim::errors_above, Claim::sigma_mixed},
    {Claim::errors_above, Claim::errors_below},
    {Claim::below_guessing, Claim::advise_calibrator},
};

/// A claim that only makes sense beside another one.
struct Rests {
  Claim claim, on;
};
constexpr Rests kRests[] = {
    {Claim::within_tolerance, Claim::trustworthy},
    {Claim::advise_calibrator, Claim::off},
    {Claim::advise_items, Claim::undecided},
    {Claim::advise_suspects, Claim::trustworthy},
    {Claim::advise_class_order, Claim::below_guessing},
};

constexpr Claim kFaults[] = {Claim::too_high,  Claim::too_low,         Claim::too_extreme,
                             Claim::too_timid, Claim::sigma_too_small, Claim::sigma_too_large};

bool has(std::span<const Claim> claims, Claim c) {
  return std::find(claims.begin(), claims.end(), c) != claims.end();
}

}  // namespace

std::string_view claim_name(Claim claim) { return kClaimNames.at(static_cast<std::size_t>(claim)); }

std::vector<std::string> contradictions(std::span<const Sentence> sentences) {
  const std::vector<Claim> all = claims_of(sentences);
  const auto made = [&](Claim c) { return has(all, c); };
  std::vector<std::string> out;
  for (const Pair& p : kExclude)
    if (made(p.a) && made(p.b) && !(p.unless && made(*p.unless)))
      out.push_back(std::string(claim_name(p.a)) + ", " + std::string(claim_name(p.b)));
  for (const Rests& r : kRests)
    if (made(r.claim) && !made(r.on))
      out.push_back(std::string(claim_name(r.claim)) + " without " + std::string(claim_name(r.on)));
  // With many items, a trustworthy model can have a small error that is certain. The sentence then says that
  // it is within the tolerance.
  if (made(Claim::trustworthy))
    for (const Sentence& s : sentences)
      for (const Claim fault : kFaults)
        if (has(s.claims, fault) && !has(s.claims, Claim::within_tolerance))
          out.push_back("trustworthy, " + std::string(claim_name(fault)));
  return out;
}

std::vector<Claim> claims_of(std::span<const Sentence> sentences) {
  std::vector<Claim> out;
  for (const Sentence& s : sentences) out.insert(out.end(), s.claims.begin(), s.claims.end());
  return out;
}

}  // namespace plumb::detail
