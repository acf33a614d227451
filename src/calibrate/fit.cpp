#include "plumb/calibrate/fit.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/passes.hpp"
#include "calibrate/rows.hpp"

namespace plumb {
namespace {

// The options of which a method uses some, and when a caller has given them.
struct OptionRow {
  std::string_view name;
  bool (*given)(const FitOptions&);
};
constexpr OptionRow kOptions[] = {
    {"lambda_b", [](const FitOptions& o) { return o.lambda_b.has_value(); }},
    {"lambda_w", [](const FitOptions& o) { return o.lambda_w.has_value(); }},
    {"lambda", [](const FitOptions& o) { return o.lambda.has_value(); }},
    {"tune", [](const FitOptions& o) { return o.tune; }},
    {"bins", [](const FitOptions& o) { return o.bins.has_value(); }},
    {"prior_votes", [](const FitOptions& o) { return o.prior_votes.has_value(); }},
    {"features", [](const FitOptions& o) { return !o.features.empty(); }},
    {"weight_votes", [](const FitOptions& o) { return o.weight_votes; }},
};

// An option that a method does not use would be silently ignored.
void check_used(const CalibratorRow& row, const FitOptions& options) {
  const std::string nothing = " has no effect on the method " + std::string(row.method);
  for (const OptionRow& option : kOptions) {
    if (!option.given(options) || row.uses(option.name)) continue;
    std::string names;
    for (const CalibratorRow& r : calibrators())
      if (r.uses(option.name)) names += (names.empty() ? "" : ", ") + std::string(r.method);
    throw InputError(opt(option.name) + nothing + "; it is for " + names);
  }
  if (options.folds && !options.tune && !row.uses("folds"))
    throw InputError("⟦folds⟧" + nothing + " without ⟦tune⟧");
}

void check_task(const CalibratorRow& row, const Items& items) {
  const std::string method(row.method);
  if (items.binary() && !row.serves(2)) {
    throw InputError("the method " + method + " is for three classes or more; for a binary task use " +
                     (row.complexity == Complexity::per_pair ? "beta" : "platt or beta"));
  }
  if (!items.binary() && !row.serves(items.classes())) {
    throw InputError("the method " + method + " is for binary tasks; for " + std::to_string(items.classes()) +
                     " classes use temperature, vector or dirichlet");
  }
}

void check_votes(const Items& items) {
  if (items.votes.rows().empty())
    throw InputError("a calibrator is fitted on votes; give them with ⟦labels⟧, ⟦counts⟧ or ⟦ratings⟧");
  ItemBlock block;
  const std::int64_t step = block_rows(items);
  bool any_vote = false;
  for (std::int64_t begin = 0; begin < items.size(); begin += step) {
    read_items(items, begin, std::min(items.size(), begin + step), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      if (block.votes.votes(i) == 0) continue;
      any_vote = true;
      if (block.weight.empty() || block.weight[i] > 0) return;
    }
  }
  throw InputError(any_vote
                       ? items.weights.name() + ": all weights are zero, so there is nothing to fit on"
                       : items.votes.rows().name() + ": no item has a vote, so there is nothing to fit on");
}

const CalibratorRow& known_calibrator(std::string_view method) {
  if (const CalibratorRow* row = find_calibrator(method)) return *row;
  std::vector<std::string> known;
  for (const CalibratorRow& row : calibrators()) known.emplace_back(row.method);
  std::string near = did_you_mean(method, known);
  for (const std::string& name : known)  // the beginning of a name is nearer than any misspelling
    if (method.size() > 1 && name.starts_with(method)) {
      near = " (did you mean \"" + name + "\"?)";
      break;
    }
  throw InputError("there is no calibrator \"" + std::string(method) + "\"" + near +
                   "; \"plumb list\" shows them all");
}

}  // namespace

bool CalibratorRow::uses(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

std::int64_t CalibratorRow::parameters(std::int64_t classes) const {
  switch (complexity) {
    case Complexity::none:
      return 0;
    case Complexity::one:
      return 1;
    case Complexity::few:
      return numbers;
    case Complexity::per_class:
      return 2 * classes + numbers;
    case Complexity::per_pair:
      return classes * (classes + 1) + numbers;
    default:
      return kHistogramBins * (classes == 2 ? 1 : classes) + numbers;  // of tables, about
  }
}

std::span<const CalibratorRow> calibrators() {
  using namespace detail;
  static const CalibratorRow rows[] = {
      kTemperature,      kVector,    kMatrix, kDirichlet, kBeta,  kPlatt,
      kIsotonic,         kHistogram, kEts,    kMixNMatch, kAlpha, kStructuredVector,
      kStructuredMatrix, kQuadratic, kSpline, kNone,      kAuto};
  return rows;
}

const CalibratorRow* find_calibrator(std::string_view method) {
  for (const CalibratorRow& row : calibrators())
    if (row.method == method) return &row;
  return nullptr;
}

void check_fit_options(std::string_view method, const FitOptions& options) {
  check_used(known_calibrator(method), options);
  if (options.folds && (*options.folds < 2 || *options.folds > 1000))
    throw InputError("⟦folds⟧ must be between 2 and 1000, not " + std::to_string(*options.folds));
  if (options.prior_votes && !(std::isfinite(*options.prior_votes) && *options.prior_votes >= 0))
    throw InputError("⟦prior_votes⟧ takes a number of 0 or more, not " + show(*options.prior_votes));
  check_threads(options.threads);
  if (options.bins) check_bins(*options.bins);
}

void check_fit(std::string_view method, const Items& items, const FitOptions& options) {
  check_fit_options(method, options);
  check_items(items);
  check_task(known_calibrator(method), items);
  check_votes(items);
}

std::vector<Step> fit_calibrator(std::string_view method, const Items& items, const FitOptions& options) {
  check_fit(method, items, options);
  return {detail::fit_with_prior(known_calibrator(method), items, options)};
}

Step detail::fit_with_prior(const CalibratorRow& row, const Items& items, const FitOptions& options) {
  if (const int passes = items.predictions.samples(); passes > 1 && row.method != "auto") {
    FitOptions o = options;
    o.features = every_pass(options.features, items.size(), passes);
    Step step = fit_with_prior(row, every_pass(items), o);
    step.fit.items /= passes;
    step.fit.votes /= passes;
    return step;
  }
  if (!row.uses("prior_votes") || row.method == "auto") return row.fit(items, options);
  return fit_with_prior([&](const FitOptions& o) { return row.fit(items, o); }, options);
}

Step detail::fit_with_prior(const std::function<Step(const FitOptions&)>& fit, const FitOptions& options) {
  FitOptions o = options;
  o.prior_votes = options.prior_votes.value_or(0);
  Step step = fit(o);
  if (const std::string why = step.fit.no_optimum; *o.prior_votes == 0 && !why.empty()) {
    o.prior_votes = kPriorVotes;
    step = fit(o);
    step.fit.warnings.push_back(why + ", so the objective has no finite optimum; fitted with a prior of " +
                                show(kPriorVotes) + " pseudo-votes instead.");
  }
  step.fit.options.emplace_back("prior_votes", *o.prior_votes);
  return step;
}

}  // namespace plumb
