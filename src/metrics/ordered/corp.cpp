#include "plumb/metrics/ordered/corp.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "metrics/shared/groups.hpp"
#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/isotonic.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

struct CorpFit {
  std::vector<IsotonicBlock> blocks;
  double mass = 0, hits = 0;
  explicit CorpFit(const ForecastsView& f) : blocks(isotonic_blocks(f)) {
    ExactSum m, h;
    for (const IsotonicBlock& b : blocks) {
      m.add(b.mass);
      h.add(b.hits);
    }
    mass = m.value();
    hits = h.value();
  }
  [[nodiscard]] double base() const { return hits / mass; }
};

/// Mean over votes of term(p, mass, hits, number of the block), over distinct p.
template <class Term>
double mean_over_forecasts(const ForecastsView& f, const CorpFit& fit, Term term) {
  return detail::with_residuals(f, [&]<class A>(A) {
    ExactSum sum;
    std::size_t b = 0;
    for (detail::Groups<A> g(f); g.next();) {
      while (fit.blocks[b].high < g.p) ++b;
      sum.add(term(g.p, A::value(g.mass), A::hits_value(g.hits), b));
    }
    return sum.value() / fit.mass;
  });
}

template <class Term>
double mean_over_blocks(const CorpFit& fit, Term term) {
  ExactSum sum;
  for (const IsotonicBlock& b : fit.blocks) sum.add(term(b));
  return sum.value() / fit.mass;
}

// At least 0 but for rounding.
double corp_part(double x) { return std::max(x, 0.0); }

struct CorpLogs {
  double yes, no;  // log c, log(1 - c); 0 where no vote needs it
};
CorpLogs corp_logs(double hits, double mass) {
  const double c = hits / mass;
  return {hits > 0 ? log_portable(c) : 0, hits < mass ? log_portable((mass - hits) / mass) : 0};
}

Estimate log_miscalibration(const ForecastsView& f, const CorpFit& fit, double clip) {
  double unforeseen = 0;
  std::vector<CorpLogs> fitted;
  for (const IsotonicBlock& b : fit.blocks) fitted.push_back(corp_logs(b.hits, b.mass));
  const double mean = mean_over_forecasts(f, fit, [&](double given, double mass, double hits, std::size_t b) {
    const double misses = mass - hits;
    const double p = std::max(given, clip), q = std::max(1 - given, clip);
    if ((hits > 0 && !(p > 0)) || (misses > 0 && !(q > 0))) {
      unforeseen += hits > 0 && !(p > 0) ? hits : misses;
      return 0.0;
    }
    const double yes = hits > 0 ? hits * (fitted[b].yes - log_portable(std::min(p, 1 - clip))) : 0;
    const double no = misses > 0 ? misses * (fitted[b].no - log_portable(std::min(q, 1 - clip))) : 0;
    return yes + no;
  });
  if (unforeseen > 0)
    return Estimate::undefined("some votes fall on probability 0 of the event: give ⟦clip⟧ 1e-12");
  return corp_part(mean);
}

}  // namespace

CorpParts corp_brier(const ForecastsView& f) {
  const CorpFit fit(f);
  if (fit.blocks.empty()) return {no_votes(), no_votes(), no_votes()};
  const double base = fit.base();
  // The squared errors of p and of the fit c differ by (p - c) (p + c - 2 y).
  const double mcb = mean_over_forecasts(f, fit, [&](double p, double mass, double hits, std::size_t b) {
    const double c = fit.blocks[b].mean();
    return (p - c) * (mass * (p + c) - 2 * hits);
  });
  const double dsc = mean_over_blocks(
      fit, [&](const IsotonicBlock& b) { return b.mass * (b.mean() - base) * (b.mean() - base); });
  return {corp_part(mcb), corp_part(dsc), base * (1 - base)};
}

CorpParts corp_log(const ForecastsView& f, double clip) {
  const CorpFit fit(f);
  if (fit.blocks.empty()) return {no_votes(), no_votes(), no_votes()};
  if (!f.whole_counts)
    for (std::size_t i = 0; i < f.size(); ++i)
      if (f.hits[i] < 0 || f.hits[i] > f.trials_of(i)) {
        const Estimate none = Estimate::undefined("outcomes below 0 or above 1 have no log-loss");
        return {none, none, none};
      }
  const CorpLogs base = corp_logs(fit.hits, fit.mass);
  const double dsc = mean_over_blocks(fit, [&](const IsotonicBlock& b) {
    const CorpLogs own = corp_logs(b.hits, b.mass);
    return b.hits * (own.yes - base.yes) + (b.mass - b.hits) * (own.no - base.no);
  });
  const double unc = -(fit.hits * base.yes + (fit.mass - fit.hits) * base.no) / fit.mass;
  return {log_miscalibration(f, fit, clip), corp_part(dsc), corp_part(unc)};
}

}  // namespace plumb
