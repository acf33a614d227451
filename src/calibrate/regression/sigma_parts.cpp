// One factor for each part: variance = a aleatoric + b epistemic, a, b >= 0, by maximum likelihood.
#include <algorithm>
#include <cmath>

#include "calibrate/regression/entries.hpp"
#include "calibrate/regression/rows.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_columns.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr double kLog2Pi = 1.8378770664093453;
constexpr double kGradientAim = 1e-10;
constexpr double kGradientPromise = 1e-6;
constexpr int kMostIterations = 200;

/// Mean NLL, its gradient in (log a, log b), and the expected curvature in (a, b) scaled likewise.
struct Point {
  bool defined = false;  ///< every variance is positive
  double value = 0;
  std::array<double, 2> gradient{};
  std::array<double, 3> curvature{};  ///< aa, ab, bb
};

struct Sums {
  ExactSum weight, value, ga, gb, aa, ab, bb;
  std::uint64_t bad = 0;
  RegressionBlock block;
  std::vector<double> v, logs, term;
};

Point evaluate_at(const RegressionItems& items, const RegressionFitOptions& o, double a, double b) {
  const auto all = parallel_reduce_blocks(
      items.size(), block_rows(items), o.threads, Sums{},
      [&](Sums& s, std::int64_t begin, std::int64_t end) {
        read_regression(items, begin, end, s.block);
        const RegressionBlock& k = s.block;
        const std::size_t n = k.variance.size();
        s.v.resize(n);
        s.logs.resize(n);
        s.term.resize(n);
        std::vector<double> weight;  // by entry
        if (!k.weight.empty())
          for (int j = 0; j < k.outputs; ++j) weight.insert(weight.end(), k.weight.begin(), k.weight.end());
        for (std::size_t i = 0; i < n; ++i) {
          s.v[i] = std::max(a * k.aleatoric[i] + b * k.epistemic[i], o.clip);
          if (s.v[i] < 1e-300) {
            s.bad += weight.empty() || weight[i] > 0 ? 1 : 0;
            s.v[i] = 1;
          }
        }
        log_block(s.v, s.logs);
        const auto add = [&](ExactSum& into, auto term) {
          for (std::size_t i = 0; i < n; ++i) s.term[i] = term(i);
          add_column(into, s.term, weight);
        };
        if (weight.empty()) {
          s.weight.add(n);
        } else {
          add_column(s.weight, weight);
        }
        const auto z2 = [&](std::size_t i) { return k.error[i] * k.error[i] / s.v[i]; };
        const auto pa = [&](std::size_t i) { return a * k.aleatoric[i] / s.v[i]; };  // share of the part
        const auto pb = [&](std::size_t i) { return b * k.epistemic[i] / s.v[i]; };
        add(s.value, [&](std::size_t i) { return s.logs[i] + z2(i); });
        add(s.ga, [&](std::size_t i) { return pa(i) * (1 - z2(i)); });
        add(s.gb, [&](std::size_t i) { return pb(i) * (1 - z2(i)); });
        add(s.aa, [&](std::size_t i) { return pa(i) * pa(i); });
        add(s.ab, [&](std::size_t i) { return pa(i) * pb(i); });
        add(s.bb, [&](std::size_t i) { return pb(i) * pb(i); });
      },
      [](Sums& x, const Sums& y) {
        for (const auto m :
             {&Sums::weight, &Sums::value, &Sums::ga, &Sums::gb, &Sums::aa, &Sums::ab, &Sums::bb})
          (x.*m).merge(y.*m);
        x.bad += y.bad;
      });
  const double w = all.weight.value();
  if (!(w > 0)) throw InputError("there is nothing to fit on: no item of positive weight");
  const auto half = [w](const ExactSum& x) { return 0.5 * (x.value() / w); };
  return {all.bad == 0,
          0.5 * kLog2Pi + half(all.value),
          {half(all.ga), half(all.gb)},
          {half(all.aa), half(all.ab), half(all.bb)}};
}

struct Solution {
  double a = 1, b = 1;
  Point at;
  std::int64_t iterations = 0;
};

/// Fisher scoring in (log a, log b) with halved steps; a part with factor 0 stays out.
Solution descend(const RegressionItems& items, const RegressionFitOptions& o, double a, double b) {
  Solution s{a, b, evaluate_at(items, o, a, b), 0};
  for (; s.iterations < kMostIterations && s.at.defined; ++s.iterations) {
    const auto [ga, gb] = s.at.gradient;
    if (std::max(std::abs(ga), std::abs(gb)) <= kGradientAim) break;
    const auto [aa, ab, bb] = s.at.curvature;
    const double det = aa * bb - ab * ab;
    std::array<double, 2> step{aa > 0 ? -ga / aa : 0, bb > 0 ? -gb / bb : 0};
    if (det > 1e-12 * aa * bb) step = {-(bb * ga - ab * gb) / det, -(aa * gb - ab * ga) / det};
    if (step[0] * ga + step[1] * gb >= 0) step = {-ga, -gb};
    for (double& x : step) x = std::clamp(x, -2.0, 2.0);
    bool better = false;
    for (int halving = 0; halving < 40 && !better; ++halving) {
      const double na = s.a * exp_portable(step[0]), nb = s.b * exp_portable(step[1]);
      const Point next = evaluate_at(items, o, na, nb);
      better = next.defined && next.value < s.at.value;
      if (better) {
        s.a = na;
        s.b = nb;
        s.at = next;
      }
      for (double& x : step) x *= 0.5;
    }
    if (!better) break;
  }
  return s;
}

Step fit_sigma_parts(const RegressionItems& items, const RegressionFitOptions& o) {
  Point start = evaluate_at(items, o, 1, 1);
  if (!start.defined) throw InputError("some variance is 0 in both parts; raise small variances with ⟦clip⟧");
  Solution best = descend(items, o, 1, 1);
  std::int64_t iterations = best.iterations;
  // The optimum may lie where one part has no share: then its own closed form is better than any pair nearby.
  for (const auto& [a, b] : {std::pair{1.0, 0.0}, {0.0, 1.0}}) {
    const Solution edge = descend(items, o, a, b);
    iterations += edge.iterations;
    // A factor that approaches 0 gains nothing measurable: the solution is 0.
    if (edge.at.defined && edge.at.value <= best.at.value + 1e-9) best = edge;
  }
  Step step{"sigma-parts"};
  step.add_parameter("s_aleatoric", std::sqrt(best.a));
  step.add_parameter("s_epistemic", std::sqrt(best.b));
  step.fit.objective = best.at.value;
  step.fit.gradient_norm = std::max(std::abs(best.at.gradient[0]), std::abs(best.at.gradient[1]));
  step.fit.iterations = iterations;
  step.fit.converged = step.fit.gradient_norm <= kGradientPromise;
  note_counts(items, step.fit);
  if (best.a == 0 || best.b == 0)
    step.fit.warnings.push_back(std::string("the ") + (best.a == 0 ? "aleatoric" : "epistemic") +
                                " part got factor 0: the other part explains the errors as well by itself");
  if (!step.fit.converged) step.fit.warnings.push_back("the fit did not reach a gradient of 1e-6");
  return step;
}

class PartsMap : public VarianceMap {
 public:
  PartsMap(double aleatoric, double epistemic) : a_(aleatoric * aleatoric), b_(epistemic * epistemic) {}
  bool needs_parts() const override { return true; }
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = a_ * b.aleatoric[k] + b_ * b.epistemic[k];
  }

 private:
  double a_, b_;
};

VarianceMapPtr map_sigma_parts(const Step& step, int /*outputs*/) {
  return std::make_unique<PartsMap>(scalar_parameter(step, "s_aleatoric"),
                                    scalar_parameter(step, "s_epistemic"));
}

}  // namespace

constinit const RegressionCalibratorRow kSigmaParts{
    "sigma-parts",   kOnParts,        {},
    fit_sigma_parts, map_sigma_parts, "one factor for each part, by maximum likelihood"};

}  // namespace plumb::detail
