#include "raters/quantities.hpp"

#include <limits>

#include "plumb/data/check.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/rater_pairs.hpp"
#include "plumb/raters/coefficients.hpp"

namespace plumb::detail {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// Rater by class: own votes less the votes that the consensus expects, as a share of the rater's votes.
void fill_bias(const AllVotes& votes, const DawidSkene& fit, std::span<const std::uint32_t> times,
               std::span<double> out) {
  const std::int64_t k = votes.classes;
  std::vector<std::int64_t> own(votes.raters * k), all(votes.raters);
  const Judgements& j = votes.judgements;
  for (std::int64_t i = 0; i + 1 < std::ssize(j.offset); ++i)
    for (std::int64_t v = j.offset[i]; v < j.offset[i + 1]; ++v) {
      const std::int64_t t = times.empty() ? 1 : times[i];
      own[j.rater[v] * k + j.cls[v]] += t;
      all[j.rater[v]] += t;
    }
  for (std::size_t c = 0; c < own.size(); ++c)
    out[c] = all[c / k] > 0 ? (own[c] - fit.seen[c]) / all[c / k] : kUndefined;
}

}  // namespace

AllVotes::AllVotes(const Votes& votes) : classes(votes.classes()), raters(votes.raters()) {
  if (raters == 0)
    throw InputError(
        "the raters are unknown: counts and labels do not say who voted; give ⟦ratings⟧ or ⟦annotations⟧ with a rater");
  if (raters < 2) throw InputError(votes.rows().name() + " has one rater; two or more can be compared");
  votes.read_judgements(0, votes.items(), judgements);
  votes.read(0, votes.items(), block);
  by_rater.resize(raters);
  for (const std::uint32_t r : judgements.rater) ++by_rater[r];
  if (judgements.cls.empty()) throw InputError(votes.rows().name() + " has no votes");
}

Quantities::Quantities(int classes, int raters, bool ordered)
    : classes_(classes),
      raters_(raters),
      ordered_(ordered),
      coefficients_{"rater_agreement", "fleiss_kappa", "krippendorff_alpha"} {
  if (ordered) coefficients_.insert(coefficients_.end(), {"krippendorff_ordinal", "krippendorff_interval"});
  if (raters <= kMostRatersInPairs)
    for (int a = 0; a < raters; ++a)
      for (int b = a + 1; b < raters; ++b) pairs_.emplace_back(a, b);
  size_ = agreement(std::ssize(pairs_));
}

void Quantities::fill(const AllVotes& votes, const DawidSkene& fit, std::span<const std::uint32_t> times,
                      std::span<double> out) const {
  std::copy(fit.prevalence.begin(), fit.prevalence.end(), out.begin());
  for (int r = 0; r < raters_; ++r) out[accuracy(r)] = fit.accuracy(r);
  std::copy(fit.confusion.begin(), fit.confusion.end(), out.begin() + confusion(0, 0));
  fill_bias(votes, fit, times, out.subspan(bias(0, 0), raters_ * classes_));

  Agreement sums(votes.classes);
  update(sums, votes.block, {}, times);
  Scores scores;
  finish_agreement(sums, scores);
  for (std::int64_t j = 0; j < 3; ++j)
    out[coefficient(j)] = scores[coefficients_[j]].value.value_or(kUndefined);
  if (ordered_) {
    const Coincidences pairs(votes.judgements, votes.classes, times);
    out[coefficient(3)] = pairs.alpha(Distance::ordinal).value_or(kUndefined);
    out[coefficient(4)] = pairs.alpha(Distance::interval).value_or(kUndefined);
  }
  if (pairs_.empty()) return;
  const PairCounts counts(votes.judgements, votes.classes, votes.raters, times);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const auto table = counts.counts(pairs_[p].first, pairs_[p].second);
    double all = 0, alike = 0;
    for (std::size_t c = 0; c < table.size(); ++c) all += table[c];
    for (std::int64_t c = 0; c < classes_; ++c) alike += table[c * classes_ + c];
    out[agreement(p)] = all > 0 ? alike / all : kUndefined;
    out[kappa(p)] = cohen_kappa(table, votes.classes, ordered_).value_or(kUndefined);
  }
}

}  // namespace plumb::detail
