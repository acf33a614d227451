#include "plumb/raters/raters.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/raters/coefficients.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/resample/resample.hpp"
#include "raters/quantities.hpp"
#include "raters/questions.hpp"

namespace plumb {
namespace {

using detail::AllVotes;
using detail::Quantities;

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 28;  // of all replicates

void check_raters_options(const RatersOptions& o) {
  const auto need = [](bool holds, double value, const char* sentence) {
    if (!holds) throw InputError(fmt::format("{}, not {}", sentence, show(value)));
  };
  need(o.prior >= 0 && o.prior <= 1e6, o.prior, "⟦prior⟧ must be from 0 to 1000000 pseudo-votes");
  need(o.converged_at > 0 && o.converged_at < 1, o.converged_at, "⟦converged_at⟧ must be between 0 and 1");
  need(o.iterations >= 1, o.iterations, "⟦iterations⟧ must be at least 1");
  need(o.target_se > 0 && o.target_se < 1, o.target_se, "⟦target_se⟧ must be between 0 and 1");
  need(o.ask >= 0, o.ask, "⟦ask⟧ must be 0 or more");
  need(o.bootstrap >= 0 && o.bootstrap != 1, o.bootstrap,
       "⟦bootstrap⟧ must be 0 (no intervals) or at least 2");
  need(o.level > 0 && o.level < 1, o.level, "⟦level⟧ must be between 0 and 1");
}

std::vector<std::uint64_t> units_of(const Names& groups, std::int64_t items) {
  std::vector<std::uint64_t> out(items);
  for (std::int64_t i = 0; i < items; ++i) out[i] = groups.empty() ? i : hash_name(groups.name(i));
  return out;
}

/// Replicates x quantities: units drawn with Poisson weights, and the raters fitted again from where the data
/// left them, so that classes keep their meaning.
std::vector<double> replicate_quantities(const AllVotes& votes, const DawidSkene& fit, const Quantities& q,
                                         const std::vector<std::uint64_t>& units, const RatersOptions& o,
                                         DawidSkeneOptions model) {
  if (o.bootstrap * q.size() > kMostNumbers)
    throw InputError(
        fmt::format("{} replicates of {} numbers about the raters do not fit in memory; use ⟦bootstrap⟧ {}",
                    o.bootstrap, q.size(), std::max<std::int64_t>(2, kMostNumbers / q.size())));
  std::vector<double> out(o.bootstrap * q.size());
  Progress progress(o.progress, o.cancel);
  progress.expect(o.bootstrap);
  model.threads = 1;
  parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t b, std::int64_t) {
    std::vector<std::uint32_t> times(units.size());
    fill_poisson(o.seed, static_cast<std::uint32_t>(b), units, times);
    const DawidSkene drawn =
        fit_dawid_skene(votes.judgements, votes.classes, votes.raters, model, times, &fit);
    q.fill(votes, drawn, times, {out.data() + b * q.size(), static_cast<std::size_t>(q.size())});
    progress.add(1);
  });
  return out;
}

/// Numbers of the data with intervals from the replicates.
class Intervals {
 public:
  Intervals(std::vector<double> values, std::vector<double> replicates, double level)
      : values_(std::move(values)), replicates_(std::move(replicates)), level_(level) {}

  /// A share of at most `most` votes: Wilson's, with the number of independent votes that the replicates'
  /// variance amounts to. It allows for outcomes that were not observed.
  [[nodiscard]] Bounded share(std::int64_t at, double most) const {
    Bounded out = value(at, "");
    if (!out.value || replicates_.empty() || !(most > 0)) return out;
    const double p = std::clamp(*out.value, 0.0, 1.0), sd = standard_deviation(column(at));
    const double n = sd > 0 && p > 0 && p < 1 ? std::min(most, p * (1 - p) / (sd * sd)) : most;
    return bounded(out, wilson_bounds(p, n, level_), "wilson");
  }
  [[nodiscard]] Bounded percentile(std::int64_t at, const char* why) const {
    Bounded out = value(at, why);
    if (!out.value || replicates_.empty()) return out;
    std::vector<double> drawn = column(at);
    if (std::ssize(drawn) < 0.9 * rows() || drawn.size() < 2) return out;
    return bounded(out, percentile_bounds(std::move(drawn), level_), "percentile");
  }
  [[nodiscard]] Bounded normal(std::int64_t at) const {
    Bounded out = value(at, "the rater has no votes");
    const std::vector<double> drawn = column(at);
    if (!out.value || drawn.size() < 2) return out;
    return bounded(out, normal_bounds(*out.value, drawn, level_), "normal");
  }
  /// The number is above 0 at the level, also as one of so many.
  [[nodiscard]] bool above_zero(std::int64_t at, double of) const {
    const std::vector<double> drawn = column(at);
    return drawn.size() > 1 &&
           values_[at] > normal_quantile(1 - (1 - level_) / 2 / of) * standard_deviation(drawn);
  }

 private:
  [[nodiscard]] std::int64_t rows() const { return std::ssize(replicates_) / std::ssize(values_); }
  [[nodiscard]] std::vector<double> column(std::int64_t at) const {
    std::vector<double> out;
    for (std::int64_t b = 0; b < rows(); ++b)
      if (const double x = replicates_[b * std::ssize(values_) + at]; !std::isnan(x)) out.push_back(x);
    return out;
  }
  [[nodiscard]] Bounded value(std::int64_t at, const char* why) const {
    Bounded out;
    if (std::isnan(values_[at])) {
      out.why = why;
    } else {
      out.value = values_[at];
    }
    return out;
  }
  static Bounded bounded(Bounded out, const Bounds& b, const char* interval) {
    out.low = b.low;
    out.high = b.high;
    out.interval = interval;
    return out;
  }

  std::vector<double> values_, replicates_;
  double level_;
};

void add_profiles(const AllVotes& votes, const Quantities& q, const Intervals& intervals, RatersResult& out) {
  const int k = votes.classes;
  for (int c = 0; c < k; ++c)
    out.prevalence.push_back(intervals.share(q.prevalence(c), static_cast<double>(out.judged)));
  for (int r = 0; r < votes.raters; ++r) {
    RaterProfile p;
    p.votes = votes.by_rater[r];
    p.seen.assign(out.fit.seen.begin() + std::int64_t{r} * k,
                  out.fit.seen.begin() + (std::int64_t{r} + 1) * k);
    if (p.votes == 0) {
      p.accuracy.why = "the rater has no votes";
      out.raters.push_back(std::move(p));
      continue;
    }
    p.accuracy = intervals.share(q.accuracy(r), static_cast<double>(p.votes));
    for (int cell = 0; cell < k * k; ++cell)
      p.confusion.push_back(intervals.share(q.confusion(r, cell), p.seen[cell / k]));
    for (int c = 0; c < k; ++c) {
      p.bias.push_back(intervals.normal(q.bias(r, c)));
      const bool above = intervals.above_zero(q.bias(r, c), 1.0 * votes.raters * k);
      if (above && (!p.too_often || *p.bias[c].value > *p.bias[*p.too_often].value)) p.too_often = c;
    }
    out.raters.push_back(std::move(p));
  }
}

void add_agreement(const AllVotes& votes, const Quantities& q, const Intervals& intervals,
                   RatersResult& out) {
  for (std::int64_t j = 0; j < std::ssize(q.coefficients()); ++j)
    out.agreement.emplace_back(
        q.coefficients()[j],
        intervals.percentile(q.coefficient(j), "no item has two votes or more, or all votes name one class"));
  if (q.pairs().empty()) return;
  const PairCounts counts(votes.judgements, votes.classes, votes.raters);
  for (std::size_t p = 0; p < q.pairs().size(); ++p) {
    const auto [a, b] = q.pairs()[p];
    PairProfile pair{a, b, 0, {}, {}};
    for (const std::uint64_t n : counts.counts(a, b)) pair.items += static_cast<std::int64_t>(n);
    pair.agreement = intervals.share(q.agreement(p), static_cast<double>(pair.items));
    if (!pair.agreement.value) pair.agreement.why = "no item was rated by both";
    pair.kappa = intervals.percentile(q.kappa(p), "the two raters named one class only, or shared no item");
    out.pairs.push_back(std::move(pair));
  }
}

}  // namespace

RatersResult describe_raters(const Votes& given, const Names& groups, const RatersOptions& o) {
  check_raters_options(o);
  const AllVotes votes(given);
  const DawidSkeneOptions model{o.one_coin, o.prior, o.converged_at, o.iterations, o.threads, o.cancel};
  RatersResult out;
  out.items = given.items();
  out.votes = std::ssize(votes.judgements.cls);
  for (std::int64_t i = 0; i < out.items; ++i)
    out.judged += votes.judgements.offset[i + 1] > votes.judgements.offset[i] ? 1 : 0;
  out.fit = fit_dawid_skene(votes.judgements, votes.classes, votes.raters, model);
  out.consensus = consensus_of(out.fit, votes.judgements, o.threads);

  const Quantities q(votes.classes, votes.raters, o.ordered);
  std::vector<double> values(q.size()), replicates;
  q.fill(votes, out.fit, {}, values);
  const std::int64_t units = groups.empty() ? out.judged : std::ssize(groups.distinct());
  if (o.bootstrap > 0) out.few_units = few_units_note(units, !groups.empty());
  if (o.bootstrap > 0 && units > 1)
    replicates = replicate_quantities(votes, out.fit, q, units_of(groups, out.items), o, model);
  const Intervals intervals(std::move(values), std::move(replicates), o.level);
  add_profiles(votes, q, intervals, out);
  add_agreement(votes, q, intervals, out);
  if (o.ask > 0) out.ask = detail::items_to_ask(out.fit, votes, out.consensus, o.ask, o.threads);
  detail::add_precision(votes, o.target_se, out);
  return out;
}

}  // namespace plumb
