#include "plumb/metrics/raters/agreement.hpp"

#include <stdexcept>

#include "metrics/shared/merge_members.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb {
namespace {

constexpr const char* kOneClass = "all votes are for one class, so agreement by chance is complete";

/// Integer sums of a class over a block.
struct Whole {
  int128 mu = 0, g = 0, o = 0;  // in units of 2^-50
  uint128 y = 0;
};

/// sum w n g for g in units of 2^-50, in two parts that a double holds exactly:
/// weight 1 gives the integer sum.
void add_wide(ExactSum& sum, double w, int128 v) {
  const int128 low = v & ((int128{1} << 40) - 1);
  sum.add(w * ((v - low) / kFixedOne));
  sum.add(w * (low / kFixedOne));
}

double minus(ExactSum a, const ExactSum& b) {
  a.subtract(b);
  return a.value();
}

/// Krippendorff's n - 1, for sums of weights: n (1 - 1/N) with N the number of votes, so that a common factor
/// of all weights cancels. Without weights n = N.
double all_but_one(const Agreement& a) {
  const double votes = a.votes.value();
  return votes - votes / a.count;
}

Estimate add_score(Scores& out, const char* key, Estimate e, std::uint64_t items) {
  e.items = items;
  return out[key] = std::move(e);
}

}  // namespace

void update(Agreement& a, const VoteBlock& votes, std::span<const double> weight,
            std::span<const std::uint32_t> times) {
  if (votes.single) return;
  std::vector<Whole> class_sums(a.cls.size());
  uint128 whole_weight = 0, whole_votes = 0;
  for (std::int64_t i = 0; i < votes.size; ++i) {
    const std::uint32_t n = votes.total[i], t = times.empty() ? 1 : times[i];
    const double w = weight.empty() ? t : weight[i] * t;
    if (n < 2 || !(w > 0)) continue;
    a.items += 1;
    a.count += std::uint64_t{n} * t;
    const double pairs = n * (n - 1.0);
    for (std::uint32_t e = votes.offset[i]; e < votes.offset[i + 1]; ++e) {
      const double y = votes.count[e];
      const bool all = votes.count[e] == n;  // saves two divisions where raters agree
      const std::int64_t mu = to_fixed(all ? 1.0 : y / n);
      const std::int64_t g = to_fixed(all ? 1.0 : y * (y - 1) / pairs);
      const int128 o = int128{g} * n;
      if (weight.empty()) {
        Whole& c = class_sums[votes.cls[e]];
        c.mu += int128{mu} * t;
        c.g += int128{g} * t;
        c.o += o * t;
        c.y += uint128{votes.count[e]} * t;
      } else {
        AgreementClass& c = a.cls[votes.cls[e]];
        c.wmu.add(w * from_fixed(mu));
        c.wg.add(w * from_fixed(g));
        c.wy.add(w * y);
        add_wide(c.wo, w, o);
      }
    }
    if (weight.empty()) {
      whole_weight += t;
      whole_votes += uint128{n} * t;
    } else {
      a.weight.add(w);
      a.votes.add(w * n);
    }
  }
  a.weight.add_scaled(whole_weight, 0);
  a.votes.add_scaled(whole_votes, 0);
  for (std::size_t k = 0; k < class_sums.size(); ++k) {
    a.cls[k].wmu.add_scaled(class_sums[k].mu, -kFractionBits);
    a.cls[k].wg.add_scaled(class_sums[k].g, -kFractionBits);
    a.cls[k].wo.add_scaled(class_sums[k].o, -kFractionBits);
    a.cls[k].wy.add_scaled(class_sums[k].y, 0);
  }
}

void merge(Agreement& into, const Agreement& from) {
  if (into.cls.size() != from.cls.size())
    throw std::invalid_argument("agreement of different classes cannot be merged");
  using A = Agreement;
  using C = AgreementClass;
  detail::merge_members(into, from, &A::items, &A::count, &A::weight, &A::votes);
  for (std::size_t k = 0; k < into.cls.size(); ++k)
    detail::merge_members(into.cls[k], from.cls[k], &C::wmu, &C::wg, &C::wy, &C::wo);
}

void finish_agreement(const Agreement& a, Scores& out) {
  const char* const keys[] = {"rater_agreement", "fleiss_kappa", "krippendorff_alpha"};
  if (a.items == 0) {
    for (const char* key : keys) add_score(out, key, Estimate::undefined(kNoPairs), 0);
    return;
  }
  ExactSum agree, coincide;
  double chance_agree = 0, other_votes = 0;
  const double weight = a.weight.value();
  for (const AgreementClass& c : a.cls) {
    agree.merge(c.wg);
    coincide.merge(c.wo);
    const double share = c.wmu.value() / weight;
    chance_agree += share * share;
    other_votes += c.wy.value() * minus(a.votes, c.wy);  // sum_k n_k (n - n_k) = n^2 - sum n_k^2
  }
  const double observed = agree.value() / weight;
  add_score(out, keys[0], observed, a.items);
  const Estimate one_class = Estimate::undefined(kOneClass);
  // Fleiss 1971: (P - P_e) / (1 - P_e), with means over items so that n may vary.
  add_score(out, keys[1],
            other_votes > 0 ? Estimate((observed - chance_agree) / (1 - chance_agree)) : one_class, a.items);
  // Krippendorff 2011: 1 - (n - 1) sum_{c != k} o_ck / sum_{c != k} n_c n_k.
  add_score(
      out, keys[2],
      other_votes > 0 ? Estimate(1 - all_but_one(a) * minus(a.votes, coincide) / other_votes) : one_class,
      a.items);
}

ClassScores agreement_classes(const Agreement& a) {
  ClassScores out{{"rater_agreement", {}},
                  {"fleiss_kappa", {}},
                  {"krippendorff_alpha", {}},
                  {"rater_specific_agreement", {}}};
  const double weight = a.weight.value();
  for (const AgreementClass& c : a.cls) {
    std::optional<double> agreement, kappa, alpha, specific;
    if (a.items > 0) {
      const double share = c.wmu.value() / weight;
      const double differ = minus(c.wmu, c.wg) / weight;  // mean of y (n - y) / (n (n - 1))
      const double n_k = c.wy.value(), others = minus(a.votes, c.wy);
      agreement = 1 - 2 * differ;
      if (n_k > 0) specific = c.wg.value() / c.wmu.value();
      if (n_k > 0 && others > 0) {
        kappa = 1 - differ / (share * (1 - share));
        alpha = 1 - all_but_one(a) * minus(c.wy, c.wo) / (n_k * others);
      }
    }
    const std::optional<double> values[] = {agreement, kappa, alpha, specific};
    for (std::size_t j = 0; j < out.size(); ++j) out[j].second.push_back(values[j]);
  }
  return out;
}

}  // namespace plumb
