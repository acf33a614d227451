#include "plumb/metrics/raters/log_decomposition.hpp"

#include <algorithm>

#include "metrics/shared/merge_members.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

double clipped(double p, double clip) { return clip > 0 ? std::min(std::max(p, clip), 1 - clip) : p; }

/// c log(c / p), 0 at c = 0.
double term(double c, double p) { return c > 0 ? c * (log_portable(c) - log_portable(p)) : 0; }

}  // namespace

void event_log_terms(const ForecastsView& f, const ScoreOptions& options, EventLogTerms& out) {
  const std::size_t size = f.size();
  thread_local std::vector<double> logs;
  logs.resize(2 * size);
  for (auto* column : {&out.loss, &out.zero, &out.clipped}) column->assign(size, 0);
  out.trials.resize(size);
  out.weight.assign(f.weight.begin(), f.weight.end());
  for (std::size_t i = 0; i < size; ++i) {
    const double n = f.trials_of(i), misses = n - f.hits[i];
    out.trials[i] = n;
    const double p = clipped(f.p[i], options.clip);
    if (p != f.p[i]) out.clipped[i] = n;
    if (f.p[i] == 0) out.zero[i] = f.hits[i];
    if (f.p[i] == 1) out.zero[i] = misses;
    logs[2 * i] = p > 0 ? p : 1;  // votes on 0 are counted, not summed
    logs[2 * i + 1] = p < 1 ? 1 - p : 1;
  }
  log_block(logs, logs);
  for (std::size_t i = 0; i < size; ++i)
    out.loss[i] = -(f.hits[i] * logs[2 * i] + (out.trials[i] - f.hits[i]) * logs[2 * i + 1]);
}

void update(EventLogLoss& s, const EventLogTerms& t, std::span<const std::uint32_t> times) {
  uint128 vote_weight = 0;  // vote weight of a block without weights
  for (std::size_t i = 0; i < t.trials.size(); ++i) {
    const double n = t.trials[i];
    const std::uint32_t drawn = times.empty() ? 1 : times[i];
    const double w = t.weight.empty() ? drawn : t.weight[i] * drawn;
    if (!(n > 0) || !(w > 0)) continue;
    const auto votes = static_cast<std::uint64_t>(n);
    s.votes += votes;
    s.zero += static_cast<std::uint64_t>(t.zero[i]);
    s.clipped += static_cast<std::uint64_t>(t.clipped[i]);
    if (t.weight.empty()) {
      vote_weight += uint128{drawn} * votes;
    } else {
      s.weight.add(w * n);
    }
    s.loss.add(w * t.loss[i]);
  }
  s.weight.add_scaled(vote_weight, 0);
}

void merge(EventLogLoss& into, const EventLogLoss& from) {
  using L = EventLogLoss;
  detail::merge_members(into, from, &L::votes, &L::zero, &L::clipped, &L::weight, &L::loss);
}

Estimate log_calibration(const ReliabilityTable& t, const ScoreOptions& options) {
  const double total = t.total().w.value();
  if (!(total > 0)) return no_votes();
  double sum = 0;
  for (const Bin& bin : t.bins) {
    const double w = bin.w.value();
    if (!(w > 0)) continue;
    const auto share = [w](const ExactSum& part) { return part.value() / w; };
    const auto rest = [&bin, w](const ExactSum& part) {
      ExactSum r = bin.w;
      r.subtract(part);
      return r.value() / w;
    };
    const double c = share(bin.wy), not_c = rest(bin.wy);
    const double p = clipped(share(bin.wp), options.clip), not_p = clipped(rest(bin.wp), options.clip);
    if ((c > 0 && p <= 0) || (not_c > 0 && not_p <= 0))
      return Estimate::undefined(
          "a bin whose forecasts are all 0 or all 1 has other outcomes: give ⟦clip⟧ 1e-12");
    sum += w / total * std::max(term(c, p) + term(not_c, not_p), 0.0);  // below 0 only by rounding
  }
  return sum;
}

void finish_log_decomposition(const ReliabilityTable& event, const EventLogLoss& loss,
                              const ScoreOptions& options, Scores& out) {
  Estimate& calibration = out["log_calibration"] = log_calibration(event, options);
  Estimate& refinement = out["log_refinement"];
  if (loss.votes == 0) {
    refinement = no_votes();
  } else if (loss.zero > 0 && !(options.clip > 0)) {
    refinement = Estimate::undefined(counted(loss.zero, "vote") + (loss.zero == 1 ? " falls" : " fall") +
                                     " on probability 0 of the event: give ⟦clip⟧ 1e-12");
  } else if (!calibration) {
    refinement = Estimate::undefined(calibration.why);
  } else {
    refinement = loss.loss.value() / loss.weight.value() - *calibration.value;
  }
}

}  // namespace plumb
