#include "plumb/calibrate/fit.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

// clang-format off
constexpr CalibratorRow kCalibrators[] = {
    // method             binary multi  complexity             auto   fit                    line
    {"temperature",       true,  true,  Complexity::one,       true,  fit_temperature,       "logits divided by one temperature: makes a model more or less sure of everything alike"},
    {"vector",            false, true,  Complexity::per_class, true,  fit_vector,            "a factor and a shift for each logit"},
    {"matrix",            false, true,  Complexity::per_pair,  true,  fit_matrix,            "a linear map of the logits, off-diagonal and intercept shrunk (ODIR)"},
    {"dirichlet",         true,  true,  Complexity::per_pair,  true,  fit_dirichlet,         "a linear map of the log-probabilities, off-diagonal and intercept shrunk (ODIR)"},
    {"beta",              true,  false, Complexity::few,       true,  fit_beta,              "binary: a log p - b log(1 - p) + c, with a, b >= 0"},
    {"platt",             true,  false, Complexity::few,       true,  fit_platt,             "binary: slope and shift of the log-odds"},
    {"isotonic",          true,  true,  Complexity::free,      true,  fit_isotonic,          "any rising step function; one against the rest for several classes"},
    {"histogram",         true,  true,  Complexity::free,      true,  fit_histogram,         "the frequency of each of 15 equal-mass cells"},
    {"ets",               true,  true,  Complexity::few,       true,  fit_ets,               "a mix of the tempered, the plain and the uniform prediction"},
    {"mix-n-match",       true,  true,  Complexity::free,      true,  fit_mix_n_match,       "ets, then isotonic"},
    {"alpha",             true,  true,  Complexity::one,       false, fit_alpha,             "concentration alpha_0 of the prediction, for forecasts of disagreement; probabilities stay"},
    {"structured-vector", true,  true,  Complexity::per_class, true,  fit_structured_vector, "temperature, then a factor and a shift for each class, shrunk to none"},
    {"structured-matrix", true,  true,  Complexity::per_pair,  true,  fit_structured_matrix, "temperature, then a linear map, shrunk to none"},
    {"quadratic",         true,  false, Complexity::few,       true,  fit_quadratic,         "binary: a parabola of the log-odds"},
    {"spline",            true,  false, Complexity::free,      true,  fit_spline,            "binary: a monotone cubic of the log-odds, shrunk to the identity"},
    {"none",              true,  true,  Complexity::none,      true,  fit_none,              "leaves the predictions alone"},
    {"auto",              true,  true,  Complexity::free,      false, nullptr,               "the simplest within one standard error of the best, by cross-validated log-loss"},
};
// clang-format on

void check_task(const CalibratorRow& row, const Items& items) {
  const std::string method(row.method);
  if (items.binary() && !row.binary) {
    throw InputError("the method " + method + " is for three classes or more; for a binary task use " +
                     (row.complexity == Complexity::per_pair ? "beta" : "platt or beta"));
  }
  if (!items.binary() && !row.multiclass) {
    throw InputError("the method " + method + " is for binary tasks; for " + std::to_string(items.classes()) +
                     " classes use temperature, vector or dirichlet");
  }
}

void check_votes(const Items& items) {
  if (items.votes.rows().empty())
    throw InputError("a calibrator is fitted on votes; give them with --labels, --counts or --ratings");
  ItemBlock block;
  const std::int64_t step = block_rows(items);
  bool any_vote = false;
  for (std::int64_t begin = 0; begin < items.size(); begin += step) {
    read_items(items, begin, std::min(items.size(), begin + step), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      if (block.votes.votes(i) == 0) continue;
      any_vote = true;
      if (block.weight.empty() || block.weight[static_cast<std::size_t>(i)] > 0) return;
    }
  }
  throw InputError(any_vote
                       ? items.weights.name() + ": all weights are zero, so there is nothing to fit on"
                       : items.votes.rows().name() + ": no item has a vote, so there is nothing to fit on");
}

}  // namespace

std::span<const CalibratorRow> calibrators() { return kCalibrators; }

const CalibratorRow* find_calibrator(std::string_view method) {
  for (const CalibratorRow& row : kCalibrators)
    if (row.method == method) return &row;
  return nullptr;
}

std::vector<Step> fit_calibrator(std::string_view method, const Items& items, const FitOptions& options) {
  const CalibratorRow* row = find_calibrator(method);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const CalibratorRow& r : kCalibrators) known.emplace_back(r.method);
    throw InputError("there is no calibrator \"" + std::string(method) + "\"" + did_you_mean(method, known) +
                     "; \"plumb list\" names them");
  }
  check_items(items);
  check_threads(options.threads);
  check_task(*row, items);
  check_votes(items);
  if (row->fit == nullptr) return fit_auto(items, options).steps;
  return {row->fit(items, options)};
}

}  // namespace plumb
