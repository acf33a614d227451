#include "evaluate/decision_tables.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {
namespace {

/// A share of votes at a threshold, and the mass of its denominator.
struct Share {
  const char* name;
  std::optional<double> (Decision::*value)() const;
  double (*base)(const Decision&);
};
constexpr Share kShares[] = {
    {"sensitivity", &Decision::sensitivity, [](const Decision& d) { return d.hits; }},
    {"specificity", &Decision::specificity, [](const Decision& d) { return d.mass - d.hits; }},
    {"ppv", &Decision::ppv, [](const Decision& d) { return d.treated; }},
    {"npv", &Decision::npv, [](const Decision& d) { return d.untreated(); }}};

Value cell(const std::optional<double>& x) { return x ? Value(*x) : Value{}; }

std::vector<double> replicates(const std::vector<Drawn>& draws, std::size_t at,
                               std::optional<double> (Decision::*value)() const) {
  std::vector<double> out;
  for (const Drawn& d : draws)
    if (at < d.decisions.size())
      if (const auto x = (d.decisions[at].*value)()) out.push_back(*x);
  return out;
}

class DecisionIntervals {
 public:
  DecisionIntervals(const std::vector<Drawn>& draws, const SampleSize& size, const EvaluateOptions& o)
      : draws_(draws),
        size_(size),
        level_(o.level),
        stretch_(size.grouped ? group_stretch(size.effective, o.level) : 1) {}

  /// Empty without draws.
  [[nodiscard]] std::optional<Bounds> share(const Decision& d, std::size_t at, const Share& s) const {
    const auto value = (d.*s.value)();
    if (!value || draws_.empty()) return std::nullopt;
    const double votes = s.base(d);
    if (size_.single() && !size_.weighted) return wilson_bounds(*value, votes, level_);
    const double error = stretch_ * standard_deviation(replicates(draws_, at, s.value));
    const double most = size_.effective * s.base(d) / d.mass, binomial = *value * (1 - *value);
    const double n = error > 0 && binomial > 0 ? binomial / (error * error) : most;
    return wilson_bounds(*value, std::max(n, 1.0), level_);
  }

  [[nodiscard]] std::optional<Bounds> net_benefit(const Decision& d, std::size_t at) const {
    const auto value = d.net_benefit();
    std::vector<double> drawn = replicates(draws_, at, &Decision::net_benefit);
    if (!value || drawn.empty()) return std::nullopt;
    const Bounds b = percentile_bounds(std::move(drawn), level_);
    return stretch_ > 1 ? stretched(b, *value, stretch_, -kUnbounded, 1) : b;
  }

 private:
  const std::vector<Drawn>& draws_;
  const SampleSize& size_;
  double level_, stretch_;
};

void add_bounds(const std::optional<Bounds>& b, std::vector<Value>& row) {
  row.push_back(b ? Value(b->low) : Value{});
  row.push_back(b ? Value(b->high) : Value{});
}

bool was_asked(const EvaluateOptions& o, double threshold) {
  return std::find(o.thresholds.begin(), o.thresholds.end(), threshold) != o.thresholds.end();
}

constexpr int kCurveSteps = 100;

}  // namespace

std::vector<double> decision_thresholds(const EvaluateOptions& o) {
  std::vector<double> out = o.thresholds;
  if (out.empty()) return out;
  for (int i = 1; i < kCurveSteps; ++i) out.push_back(static_cast<double>(i) / kCurveSteps);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void check_thresholds(const EvaluateOptions& o, bool binary) {
  for (const double t : o.thresholds)
    if (!(t > 0 && t < 1)) throw InputError("⟦thresholds⟧ must lie between 0 and 1, not " + show(t));
  if (!o.thresholds.empty() && !binary)
    throw InputError("⟦thresholds⟧ needs two classes; take one class against the rest");
}

void add_decision_tables(const Observed& observed, const std::vector<Drawn>& draws, const SampleSize& size,
                         const EvaluateOptions& o, Result& result) {
  if (observed.decisions.empty()) return;
  const DecisionIntervals intervals(draws, size, o);
  Table asked, curve;
  asked.columns = {"threshold", "treated"};
  for (const Share& s : kShares)
    for (const char* end : {"", "_low", "_high"}) asked.columns.push_back(std::string(s.name) + end);
  const std::vector<std::string> benefit{"net_benefit", "net_benefit_low", "net_benefit_high", "treat_all"};
  asked.columns.insert(asked.columns.end(), benefit.begin(), benefit.end());
  curve.columns = {"threshold"};
  curve.columns.insert(curve.columns.end(), benefit.begin(), benefit.end());
  curve.columns.emplace_back("treat_none");
  for (std::size_t i = 0; i < observed.decisions.size(); ++i) {
    const Decision& d = observed.decisions[i];
    std::vector<Value> row{d.threshold, d.treated / d.mass};
    std::vector<Value> net{cell(d.net_benefit())};
    add_bounds(intervals.net_benefit(d, i), net);
    net.push_back(cell(d.treat_all()));
    if (was_asked(o, d.threshold)) {
      for (const Share& s : kShares) {
        row.push_back(cell((d.*s.value)()));
        add_bounds(intervals.share(d, i, s), row);
      }
      row.insert(row.end(), net.begin(), net.end());
      asked.rows.push_back(std::move(row));
    }
    std::vector<Value> point{d.threshold};
    point.insert(point.end(), net.begin(), net.end());
    point.push_back(0.0);
    curve.rows.push_back(std::move(point));
  }
  result.tables.emplace_back("thresholds", std::move(asked));
  result.tables.emplace_back("decision_curve", std::move(curve));
}

Table net_benefit_differences(const std::vector<std::string>& models,
                              const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                              const std::vector<const std::vector<Decision>*>& observed,
                              const std::vector<const std::vector<Drawn>*>& draws, const EvaluateOptions& o) {
  Table out;
  out.columns = {"threshold", "from", "to", "difference", "low", "high", "p_value"};
  for (std::size_t i = 0; i < observed.front()->size(); ++i) {
    const double threshold = (*observed.front())[i].threshold;
    if (!was_asked(o, threshold)) continue;
    for (const auto& [from, to] : pairs) {
      const auto a = (*observed[from])[i].net_benefit(), b = (*observed[to])[i].net_benefit();
      if (!a || !b) continue;
      std::vector<double> drawn;
      for (std::size_t r = 0; r < draws[from]->size(); ++r) {
        const auto x = (*draws[from])[r].decisions[i].net_benefit();
        const auto y = (*draws[to])[r].decisions[i].net_benefit();
        if (x && y) drawn.push_back(*y - *x);
      }
      const Difference d = difference_of(*b - *a, std::move(drawn), Interval::percentile, o.level);
      out.rows.push_back(
          {threshold, models[from], models[to], cell(d.value), cell(d.low), cell(d.high), cell(d.p_value)});
    }
  }
  return out;
}

}  // namespace plumb::detail
