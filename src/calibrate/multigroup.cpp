#include "plumb/calibrate/multigroup.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/data/slicing.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

constexpr double kClippedAt = 1e-12;  // of probabilities that become log-odds
constexpr double kFewForSlope = 20;   // votes for the rarer outcome
constexpr double kLargestMove = 5;    // of the log-odds in one patch

double log_odds(double p) {
  const double q = std::clamp(p, kClippedAt, 1 - kClippedAt);
  return log_portable(q / (1 - q));
}
double chance(double u) { return 1 / (1 + exp_portable(-u)); }

/// The slices of all items: everything, then those of each way and each intersection.
struct SliceList {
  std::vector<std::string> label;               // "" for all items, otherwise "site: west"
  std::vector<std::vector<std::int64_t>> rows;  // empty for all items
};

SliceList slice_list(std::span<const Names> ways, int cross) {
  SliceList out{{""}, {{}}};
  for (const Names& way : with_intersections(ways, cross)) {
    const std::size_t first = out.label.size();
    for (const std::string& name : way.distinct()) out.label.push_back(way.title() + ": " + name);
    out.rows.resize(out.label.size());
    for (std::int64_t i = 0; i < way.size(); ++i) out.rows[first + way.code(i)].push_back(i);
  }
  return out;
}

/// Sums of one slice in a fixed order of items: U = sum e x, V = sum w n p (1 - p) x x', x = (1, u).
struct ScoreSums {
  double u0 = 0, u1 = 0, v00 = 0, v01 = 0, v11 = 0;
  double r00 = 0, r01 = 0, r11 = 0;  // of the units' own scores: their variance if votes move together
  double hits = 0, votes = 0;
};

struct Patch {
  double p_value = 1, shift = 0, slope = 0;
};

/// x' V^-1 x for a symmetric 2 x 2 matrix; absent where it cannot be inverted.
std::optional<double> quadratic_of(double x0, double x1, double v00, double v01, double v11) {
  const double det = v00 * v11 - v01 * v01;
  if (!(det > 1e-10 * v00 * v11)) return std::nullopt;
  return (x0 * x0 * v11 - 2 * x0 * x1 * v01 + x1 * x1 * v00) / det;
}

Patch patch_of(const ScoreSums& s, bool robust) {
  Patch out;
  const double rarer = std::min(s.hits, s.votes - s.hits), v00 = robust ? s.r00 : s.v00;
  if (!(s.v00 > 0) || !(v00 > 0)) return out;
  out.p_value = chi_square_tail(s.u0 * s.u0 / v00, 1);
  out.shift = s.u0 / s.v00;
  if (rarer < kFewForSlope) return out;
  const auto line =
      robust ? quadratic_of(s.u0, s.u1, s.r00, s.r01, s.r11) : quadratic_of(s.u0, s.u1, s.v00, s.v01, s.v11);
  const double det = s.v00 * s.v11 - s.v01 * s.v01;
  if (!line || !(det > 1e-10 * s.v00 * s.v11)) return out;
  const double p = chi_square_tail(*line, 2);
  if (p >= out.p_value) return out;
  return {p, (s.v11 * s.u0 - s.v01 * s.u1) / det, (s.v00 * s.u1 - s.v01 * s.u0) / det};
}

class Booster {
 public:
  Booster(const Items& items, const MultigroupOptions& o)
      : f_(collect(items, Event::positive, o.threads)),
        slices_(slice_list(items.by, o.cross)),
        robust_(!items.groups.empty() || !f_.trials.empty()) {
    const Units units(items);
    for (std::int64_t i = 0; i < items.size(); ++i) {
      u_.push_back(log_odds(f_.p[i]));
      unit_.push_back(units.unit_of(i));
    }
    double votes = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) votes += weight(i) * trials(i);
    if (!(votes > 0)) throw InputError("there is nothing to fit on: no votes");
  }

  Step run(const MultigroupOptions& o) {
    std::vector<double> shift, slope;
    std::vector<std::string> patched;
    const double enough = (1 - o.level) / static_cast<double>(slices_.label.size());
    while (std::ssize(patched) < o.rounds) {
      std::size_t at = 0;
      Patch best;
      for (std::size_t s = 0; s < slices_.label.size(); ++s)
        if (const Patch p = patch_of(sums(s), robust_); p.p_value < best.p_value) best = p, at = s;
      if (best.p_value > enough) break;
      each(at, [&](std::size_t i) { u_[i] = moved(u_[i], best); });
      patched.push_back(slices_.label[at]);
      shift.push_back(best.shift);
      slope.push_back(best.slope);
    }
    Step step{"multigroup"};
    step.fit.iterations = std::ssize(patched);
    step.fit.converged = std::ssize(patched) < o.rounds;
    step.add_parameter("shift", std::move(shift));
    step.add_parameter("slope", std::move(slope));
    step.fit.options.emplace_back("slices", std::move(patched));
    step.fit.options.emplace_back("cross", std::int64_t{o.cross});
    step.fit.options.emplace_back("level", o.level);
    step.fit.items = std::ssize(u_);
    double votes = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) votes += trials(i);
    step.fit.votes = static_cast<std::int64_t>(votes);
    return step;
  }

  static double moved(double u, const Patch& p) {
    return u + std::clamp(p.shift + p.slope * u, -kLargestMove, kLargestMove);
  }

 private:
  [[nodiscard]] double trials(std::size_t i) const { return f_.trials.empty() ? 1 : f_.trials[i]; }
  [[nodiscard]] double weight(std::size_t i) const { return f_.weight.empty() ? 1 : f_.weight[i]; }

  template <class Body>
  void each(std::size_t slice, Body body) const {
    if (slice == 0) {
      for (std::size_t i = 0; i < u_.size(); ++i) body(i);
    } else {
      for (const std::int64_t i : slices_.rows[slice]) body(static_cast<std::size_t>(i));
    }
  }

  /// Exact sums: the bits do not depend on the order of rows.
  [[nodiscard]] ScoreSums sums(std::size_t slice) const {
    ExactSum u0, u1, v00, v01, v11, hits, votes;
    std::map<std::uint64_t, std::pair<ExactSum, ExactSum>> by_unit;
    each(slice, [&](std::size_t i) {
      const double w = weight(i), n = trials(i), p = chance(u_[i]), e = w * (f_.hits[i] - n * p);
      const double v = w * n * p * (1 - p);
      u0.add(e);
      u1.add(e * u_[i]);
      v00.add(v);
      v01.add(v * u_[i]);
      v11.add(v * u_[i] * u_[i]);
      hits.add(f_.hits[i]);
      votes.add(n);
      if (!robust_) return;
      auto& [a, b] = by_unit[unit_[i]];
      a.add(e);
      b.add(e * u_[i]);
    });
    ScoreSums out{u0.value(), u1.value(), v00.value(), v01.value(),  v11.value(),
                  0,          0,          0,           hits.value(), votes.value()};
    ExactSum r00, r01, r11;
    for (const auto& [unit, score] : by_unit) {
      const double a = score.first.value(), b = score.second.value();
      r00.add(a * a);
      r01.add(a * b);
      r11.add(b * b);
    }
    out.r00 = r00.value();
    out.r01 = r01.value();
    out.r11 = r11.value();
    return out;
  }

  Forecasts f_;
  SliceList slices_;
  bool robust_;
  std::vector<double> u_;
  std::vector<std::uint64_t> unit_;
};

void check_multigroup(const Items& items, const MultigroupOptions& o) {
  if (!items.binary())
    throw InputError("multigroup is for two classes; calibrate each class against the rest by itself");
  if (items.by.empty())
    throw InputError("multigroup repairs named groups; name them with ⟦by⟧, as in ⟦by⟧ items.csv:site");
  if (o.cross < 1 || o.cross > std::ssize(items.by))
    throw InputError("⟦cross⟧ is " + std::to_string(o.cross) + ", and there are " +
                     std::to_string(items.by.size()) + " ways to slice");
  if (o.rounds < 1) throw InputError("⟦rounds⟧ must be at least 1, not " + std::to_string(o.rounds));
  check_level(o.level);
}

std::vector<std::string> patched_slices(const CalibrationModel& model) {
  for (const auto& [name, value] : model.steps.front().fit.options) {
    if (name != "slices") continue;
    if (const auto* x = std::get_if<std::vector<std::string>>(&value)) return *x;
    // An empty list of a file does not say of what it is: no slice was off.
    if (const auto* none = std::get_if<std::vector<double>>(&value); none != nullptr && none->empty())
      return {};
  }
  throw InputError(model.name + ": its multigroup step does not name its slices");
}

}  // namespace

CalibrationModel fit_multigroup(const Items& items, const MultigroupOptions& o) {
  check_items(items);
  check_multigroup(items, o);
  CalibrationModel model;
  model.task = "binary";
  model.classes = 2;
  model.class_names = items.class_names;
  model.input = "probabilities";
  model.version = version();
  model.steps.push_back(Booster(items, o).run(o));
  if (!model.steps.front().fit.converged)
    model.steps.front().fit.warnings.push_back("The last of " + std::to_string(o.rounds) +
                                               " rounds still found a slice that is off.");
  return model;
}

bool is_multigroup(const CalibrationModel& model) {
  return model.steps.size() == 1 && model.steps.front().method == "multigroup";
}

int multigroup_cross(const CalibrationModel& model) {
  for (const auto& [name, value] : model.steps.front().fit.options)
    if (const auto* x = std::get_if<std::int64_t>(&value);
        name == "cross" && x != nullptr && *x >= 1 && *x <= 8)
      return static_cast<int>(*x);
  throw InputError(model.name + ": its multigroup step does not say what was intersected");
}

std::vector<double> apply_multigroup(const CalibrationModel& model, const Predictions& predictions,
                                     std::span<const Names> by, int threads) {
  const Step& step = model.steps.front();
  const std::vector<std::string> slices = patched_slices(model);
  const auto rounds = std::ssize(slices);
  const auto shift = parameter(step, "shift", {rounds}), slope = parameter(step, "slope", {rounds});
  Items items;
  items.predictions = predictions;
  if (!items.binary()) throw InputError(model.name + " is for two classes");
  std::vector<Names> ways(by.begin(), by.end());
  const int cross = multigroup_cross(model);
  for (const Names& way : ways) check_same_rows("the predictions", items.size(), way.source(), way.size());
  std::vector<std::string> titles;
  for (const Names& way : with_intersections(ways, std::min<int>(cross, static_cast<int>(ways.size()))))
    titles.push_back(way.title());
  std::map<std::string, std::size_t> at;
  const SliceList list = slice_list(ways, cross);
  for (std::size_t s = 0; s < list.label.size(); ++s) at.emplace(list.label[s], s);
  std::vector<double> u;
  for (const double p : collect(items, Event::positive, threads).p) u.push_back(log_odds(p));
  for (std::int64_t r = 0; r < rounds; ++r) {
    const Patch patch{0, shift[r], slope[r]};
    if (slices[r].empty()) {
      for (double& x : u) x = Booster::moved(x, patch);
      continue;
    }
    const std::string way = slices[r].substr(0, slices[r].find(": "));
    if (std::find(titles.begin(), titles.end(), way) == titles.end())
      throw InputError(model.name + " repairs slices by " + way +
                       "; give ⟦by⟧ with the same names as in the fit");
    const auto found = at.find(slices[r]);
    if (found == at.end()) continue;  // no item of it here
    for (const std::int64_t i : list.rows[found->second]) u[i] = Booster::moved(u[i], patch);
  }
  for (double& x : u) x = chance(x);
  return u;
}

std::vector<double> cross_fit_multigroup(const Items& items, const MultigroupOptions& o, int folds) {
  check_items(items);
  check_multigroup(items, o);
  const std::vector<int> fold = split_folds(items, folds, o.seed);
  std::vector<double> out(items.size());
  for (int f = 0; f < folds; ++f) {
    const std::vector<std::int64_t> in = fold_rows(fold, f, true), others = fold_rows(fold, f, false);
    if (in.empty()) continue;
    if (others.empty()) throw InputError("there are too few items for so many folds; give fewer");
    const CalibrationModel model = fit_multigroup(items.gather(others), o);
    const Items part = items.gather(in);
    const std::vector<double> p = apply_multigroup(model, part.predictions, part.by, o.threads);
    for (std::size_t i = 0; i < in.size(); ++i) out[in[i]] = p[i];
  }
  return out;
}

}  // namespace plumb
