#include "plumb/metrics/streaming/proper_scores.hpp"

#include <array>

#include "metrics/shared/merge_members.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_columns.hpp"

namespace plumb {
namespace {

/// The items that enter, with votes and positive weight.
struct Entering {
  std::vector<std::uint32_t> at;
  std::vector<double> w;
  std::uint64_t unvoted = 0;
};

Entering entering(const ScoreTerms& t, std::span<const std::uint32_t> times) {
  const std::size_t size = t.votes.size();
  Entering e;
  e.at.resize(size);
  e.w.resize(size);
  std::size_t next = 0;
  for (std::size_t i = 0; i < size; ++i) {  // no branches: whether an item was drawn is unpredictable
    const double drawn = times.empty() ? 1.0 : times[i];
    const double w = t.weight.empty() ? drawn : t.weight[i] * drawn;
    const bool voted = t.votes[i] > 0;
    e.at[next] = i;
    e.w[next] = w;
    next += voted & (w > 0);
    e.unvoted += !voted & (drawn > 0);
  }
  e.at.resize(next);
  e.w.resize(next);
  return e;
}

/// Adds w x for each item that enters.
void add_products(ExactSum& into, const Entering& e, const std::vector<double>& x) {
  add_terms(into, e.at.size(), [&](std::size_t j) { return e.w[j] * x[e.at[j]]; });
}

/// A sum of whole numbers >= 0: exact, and so free of any order, when it is below 2^53.
template <class Term>
double whole_sum(std::size_t n, Term term) {
  constexpr std::size_t kParts = 4;  // independent sums, to hide latency
  std::array<double, kParts> part{};
  std::size_t j = 0;
  for (; j + kParts <= n; j += kParts)
    for (std::size_t l = 0; l < kParts; ++l) part[l] += term(j + l);
  for (; j < n; ++j) part[0] += term(j);
  return part[0] + part[1] + (part[2] + part[3]);
}

void add_whole_products(ExactSum& into, const Entering& e, const std::vector<double>& x) {
  constexpr double kExact = 9007199254740992.0;
  const double sum = whole_sum(e.at.size(), [&](std::size_t j) { return e.w[j] * x[e.at[j]]; });
  if (sum < kExact) {
    into.add(sum);
  } else {
    add_products(into, e, x);
  }
}

std::uint64_t count(const Entering& e, const std::vector<double>& x) {
  return static_cast<std::uint64_t>(whole_sum(e.at.size(), [&](std::size_t j) { return x[e.at[j]]; }));
}

}  // namespace

void update(ProperScores& s, const ScoreTerms& t, std::span<const std::uint32_t> times) {
  const Entering e = entering(t, times);
  const auto add = t.weight.empty() ? add_whole_products : add_products;
  const std::vector<double> one(t.votes.size(), 1.0);
  s.items += e.at.size();
  s.unvoted += e.unvoted;
  s.votes += count(e, t.votes);
  s.zero += count(e, t.zero);
  s.clipped += count(e, t.clipped);
  add(s.item_weight, e, t.decided.empty() ? one : t.decided);
  add(s.vote_weight, e, t.votes);
  (t.shared ? add_products : add)(s.correct, e, t.correct);
  add(s.agree, e, t.agree);
  add_products(s.nll, e, t.nll);
  add_products(s.brier, e, t.brier);
  if (t.mse_p.empty()) return;
  s.kl_bad += count(e, t.kl_bad);
  add(s.truth_weight, e, one);
  add_products(s.mse_p, e, t.mse_p);
  add_products(s.kl_p, e, t.kl_p);
}

void merge(ProperScores& into, const ProperScores& from) {
  using S = ProperScores;
  detail::merge_members(into, from, &S::items, &S::unvoted, &S::votes, &S::zero, &S::clipped, &S::kl_bad,
                        &S::item_weight, &S::vote_weight, &S::correct, &S::agree, &S::nll, &S::brier,
                        &S::truth_weight, &S::mse_p, &S::kl_p);
}

void finish(const ProperScores& s, const ScoreOptions& options, bool has_truth, Scores& out) {
  const auto mean = [&s](const ExactSum& sum, const ExactSum& weight) {
    return s.items == 0 ? Estimate::undefined(kNoVotes) : Estimate(sum.value() / weight.value());
  };
  const bool clips = options.clip > 0;
  out["accuracy"] = s.items > 0 && s.item_weight.is_zero()
                        ? Estimate::undefined("every item is a tie, and ties are left out")
                        : mean(s.correct, s.item_weight);
  out["agreement"] = mean(s.agree, s.vote_weight);
  out["brier"] = mean(s.brier, s.vote_weight);
  out["nll"] = mean(s.nll, s.vote_weight);
  if (s.zero > 0 && !clips)
    out["nll"] = Estimate::undefined(counted(s.zero, "vote") + (s.zero == 1 ? " falls" : " fall") +
                                     " on probability 0: give ⟦clip⟧ 1e-12");
  if (!has_truth) return;
  out["mse_p"] = mean(s.mse_p, s.truth_weight);
  out["kl_p"] = mean(s.kl_p, s.truth_weight);
  if (s.kl_bad > 0 && !clips)
    out["kl_p"] = Estimate::undefined(
        counted(s.kl_bad, "item") + (s.kl_bad == 1 ? " has" : " have") +
        " a true probability of 0 or 1 and another forecast: give ⟦clip⟧ 1e-12; the value then depends on the clip through " +
        (s.kl_bad == 1 ? "this item" : "these items"));
}

}  // namespace plumb
