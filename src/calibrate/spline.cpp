// A monotone cubic of the log-odds, shrunk to the identity; binary tasks.
#include <algorithm>

#include "calibrate/ballots.hpp"
#include "calibrate/monotone_logistic.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/rows.hpp"
#include "calibrate/spline_basis.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/quantile.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb::detail {
namespace {

constexpr double kQuantiles[] = {0.05, 0.23, 0.41, 0.59, 0.77, 0.95};  // Harrell's, for six knots
constexpr double kPenalties[] = {10, 1, 0.1, 0.01, 1e-3, 1e-4, 1e-5};
constexpr int kSplineFolds = 5;

std::vector<double> knots_of(const std::vector<double>& l, const std::vector<double>& mass) {
  const SortedColumn sorted = sort_column(l);
  std::vector<double> weights;
  weights.reserve(l.size());
  for (const std::uint32_t i : sorted.order) weights.push_back(mass[i]);
  std::vector<double> knots;
  for (const double q : kQuantiles) knots.push_back(weighted_quantile_sorted(sorted.values, weights, q));
  // Knots closer than this to their neighbour (ties of the forecasts) get no segment of their own.
  constexpr double kApart = 1e-6;
  std::vector<double> out;
  for (const double k : knots)
    if (out.empty() || k - out.back() > kApart) out.push_back(k);
  if (out.size() == 1) out = {out[0] - 0.5, out[0] + 0.5};
  return out;
}

std::vector<double> read_log_odds(const Items& items, std::int64_t& clipped) {
  std::vector<double> out;
  out.reserve(items.size());
  ScoreBlock block;
  const std::int64_t step = block_rows(items);
  for (std::int64_t begin = 0; begin < std::ssize(items); begin += step) {
    read_scores(items.predictions, begin, std::min(items.size(), begin + step), block);
    out.insert(out.end(), block.u.begin(), block.u.end());
    clipped += block.clipped;
  }
  return out;
}

// The penalty of least held-out log-loss; among equals the stronger one.
double choose_penalty(MonotoneLogistic& problem, const Items& items, const FitOptions& o, int folds) {
  problem.fold = split_folds(items, folds, o.seed);
  std::vector<double> loss(std::size(kPenalties), 0.0);
  for (int f = 0; f < folds; ++f) {
    std::vector<double> c = problem.target;
    for (std::int64_t l = 0; l < std::ssize(loss); ++l) {
      FitReport ignored;
      problem.minimise(kPenalties[l], f, o.threads, c, ignored);
      loss[l] += problem.held_out(f, o.threads, c);
    }
  }
  problem.fold.clear();
  return kPenalties[std::min_element(loss.begin(), loss.end()) - loss.begin()];
}

void hold_to_identity(std::span<const double> log_odds, const FitOptions& options,
                      MonotoneLogistic& problem) {
  ExactSum mass;
  for (const double m : problem.trials) mass.add(m);
  const Prior prior{options.prior_votes.value_or(0), mass.value()};
  if (!prior.any()) return;
  for (std::size_t i = 0; i < log_odds.size(); ++i) {
    const double more = problem.trials[i] * prior.per_vote();
    problem.hits[i] += more * prior.share(logistic(log_odds[i]), 2);
    problem.trials[i] += more;
  }
}

Step fit_spline(const Items& items, const FitOptions& options) {
  Step step{"spline"};
  std::int64_t clipped = 0;
  const std::vector<double> l = read_log_odds(items, clipped);
  const Forecasts f = collect_class(items, 1, options.threads);
  MonotoneLogistic problem;
  for (std::int64_t i = 0; i < std::ssize(f); ++i) {
    const double weight = f.view().weight_of(i), trials = f.view().trials_of(i);
    problem.hits.push_back(f.hits[i] * weight);
    problem.trials.push_back(trials * weight);
    step.fit.items += trials * weight > 0 ? 1 : 0;
    step.fit.votes += trials * weight > 0 ? static_cast<std::int64_t>(trials) : 0;
  }
  hold_to_identity(l, options, problem);
  const std::vector<double> knots = knots_of(l, problem.trials);
  const std::int64_t reference = (knots.size() - 1) / 2;
  const auto basis = integrated_splines(knots, reference);
  const std::int64_t k = basis.size() + 1;
  problem.offset = knots[reference];
  problem.target.assign(k, 1.0);
  problem.target[0] = 0;
  problem.x.reserve(l.size() * k);
  for (const double x : l) {
    problem.x.push_back(1);
    for (const auto& b : basis) problem.x.push_back(b(x));
  }
  const int folds = narrow<int>(options.folds.value_or(kSplineFolds));
  const double lambda = options.lambda ? *options.lambda : choose_penalty(problem, items, options, folds);
  std::vector<double> c = problem.target;
  problem.minimise(lambda, -1, options.threads, c, step.fit);

  std::vector<double> pieces;
  for (std::int64_t p = 0; p <= std::ssize(knots); ++p)
    for (std::int64_t m = 0; m < 4; ++m) {
      double a = m == 0 ? problem.offset + c[0] : 0;
      for (std::int64_t j = 0; j < std::ssize(basis); ++j) a += c[j + 1] * basis[j].pieces[p][m];
      pieces.push_back(a);
    }
  step.add_parameter("knots", knots);
  step.add_parameter("pieces", {std::ssize(knots) + 1, 4}, std::move(pieces));
  step.add_parameter("shift", c[0]);
  step.add_parameter("slopes", std::vector<double>(c.begin() + 1, c.end()));
  step.fit.options.emplace_back("lambda", lambda);
  if (!options.lambda) step.fit.options.emplace_back("folds", std::int64_t{folds});
  if (!step.fit.converged)
    step.fit.warnings.push_back("The spline stopped with a gradient of " + show(step.fit.gradient_norm) +
                                ".");
  if (clipped > 0)
    step.fit.warnings.push_back(counted(clipped, "value") + " below 1e-12 or above 1 - 1e-12 clipped.");
  return step;
}

MapPtr map_spline(const Step& step, int classes) {
  if (classes != 2)
    throw InputError("the model file's spline step serves binary tasks, not " + std::to_string(classes) +
                     " classes");
  const auto knots = vector_parameter(step, "knots");
  if (knots.size() < 2 || !std::is_sorted(knots.begin(), knots.end()))
    throw InputError("the model file's spline step has knots that are not in order");
  const auto values = parameter(step, "pieces", {std::ssize(knots) + 1, 4});
  PiecewiseCubic f{{knots.begin(), knots.end()}, {}};
  for (std::int64_t i = 0; i < std::ssize(values); i += 4)
    f.pieces.push_back({values[i], values[i + 1], values[i + 2], values[i + 3]});
  return move_logits(std::move(f));
}

void onnx_spline(OnnxFlow& flow, const Step& step) {
  const auto knots = vector_parameter(step, "knots");
  const std::int64_t pieces = std::ssize(knots) + 1;
  const auto a = parameter(step, "pieces", {pieces, 4});
  std::vector<double> origin(1, knots[0]);
  origin.insert(origin.end(), knots.begin(), knots.end());
  const std::string u = flow.logits();
  const std::string index = flow.bin(u, flow.row(knots));
  const std::string d = flow.op("Sub", u, flow.op("Gather", flow.row(origin), index));
  std::string sum;
  for (int m = 3; m >= 0; --m) {
    std::vector<double> column;
    for (std::int64_t p = 0; p < pieces; ++p) column.push_back(a[4 * p + m]);
    const std::string coefficient = flow.op("Gather", flow.row(column), index);
    sum = sum.empty() ? coefficient : flow.op("Add", flow.op("Mul", sum, d), coefficient);
  }
  flow.finish(sum);
}

}  // namespace

constinit const CalibratorRow kSpline{
    "spline",
    Tasks::binary,
    Complexity::few,
    {"lambda", "folds", "prior_votes"},
    fit_spline,
    map_spline,
    onnx_spline,
    "binary: a monotone cubic spline of the log-odds, shrunk towards the identity",
    8};

}  // namespace plumb::detail
