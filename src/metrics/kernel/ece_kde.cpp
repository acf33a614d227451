#include "plumb/metrics/kernel/ece_kde.hpp"

#include <vector>

#include "metrics/kernel/kde_gaps.hpp"

namespace plumb {

using detail::direct_sums;
using detail::Gaps;
using detail::KdeEnds;

KdeErrors ece_kde(const ForecastPass& pass, const BetaPlan& plan, LeaveOut leave_out) {
  const BetaSums sums = beta_sums(pass, plan.boxes());
  KdeErrors out;
  if (sums.weight().is_zero()) {
    out.ece_kde = out.ece_kde_l2 = Estimate::undefined(kNoVotes);
  } else {
    const BetaValues values = plan.values(sums, pass.workers);
    const KdeEnds ends(sums);
    std::vector<Gaps> part(pass.workers, Gaps(ends, plan.accuracy(), leave_out));
    std::vector<BetaEvaluator> evaluator;
    for (int w = 0; w < pass.workers; ++w) evaluator.emplace_back(values);
    pass.run([&](int worker, const ForecastsView& f) {
      BetaEvaluator& at = evaluator[worker];
      at.evaluate(f.p);
      part[worker].update(f, at.all(), at.hits(), at.error());
    });
    for (std::size_t w = 1; w < part.size(); ++w) part[0].merge(part[w]);
    const std::vector<double> isolated = part[0].isolated_p();
    if (!isolated.empty()) part[0].add_isolated(direct_sums(pass, isolated, plan.bandwidth()));
    out = part[0].finish();
    out.direct = std::ssize(isolated);
  }
  out.bandwidth = plan.bandwidth();
  return out;
}

KdeErrors ece_kde(const ForecastsView& f, const BetaPlan& plan, LeaveOut leave_out, int threads) {
  return ece_kde(pass_over(f, threads), plan, leave_out);
}

KdeErrors ece_kde(const ForecastsView& f, double bandwidth, LeaveOut leave_out, int threads) {
  return ece_kde(f, BetaPlan(bandwidth), leave_out, threads);
}

}  // namespace plumb
