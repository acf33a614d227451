// One row per metric: the names users type, what each needs and costs, and how its uncertainty is reported.
// Contract tests, `plumb list`, docs and the evaluator all read this table.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "plumb/numeric/enum_set.hpp"

namespace plumb {

enum class Task { any, binary, multiclass, regression };
enum class Needs { votes, pairs, truth };  ///< any vote; two votes on some item; known true probabilities
enum class Better { lower, higher, zero, one, neither };  ///< what is better; zero, one: the ideal value
enum class Cost { linear, sort, quadratic };
enum class Room { streaming, ordered, kernel };
enum class Interval { percentile, basic, inversion, wilson, logit, normal, debiased, exact, none };
enum class Per { vote, item };  ///< what has weight one: a vote, or an item with any number of votes
/// Where a metric is shown by default.
enum class Place { table, slices, comparison, page };
using Places = EnumSet<Place>;
inline constexpr Places kListed{};  ///< in the full list alone
inline constexpr Places kEverywhere{Place::table, Place::slices, Place::comparison, Place::page};

struct MetricRow {
  std::string_view key;
  Task task;
  Needs needs;
  Better better;
  double low, high;  ///< range
  Cost cost;
  Room room;
  Interval interval;
  bool null;       ///< consistency resampling gives null_mean and p_value
  bool per_class;  ///< also reported for each class
  bool by_item;    ///< debiased by item: weight 2 is not the row twice
  Per per;
  Places headline;  ///< where it is a headline
  std::string_view line;
  bool on_request = false;  ///< computed only when it, or all, is asked for
};

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// clang-format off
inline constexpr MetricRow kMetrics[] = {
    // key                    task             needs         better          low  high        cost          room             interval              null   class  item   per        headline, line
    {"accuracy",              Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::linear, Room::streaming, Interval::wilson,     false, false, false, Per::item, kEverywhere, "share of items whose most probable class is the majority vote"},
    {"agreement",             Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::linear, Room::streaming, Interval::wilson,     false, false, false, Per::vote, kEverywhere, "share of votes for the most probable class"},
    {"nll",                   Task::any,       Needs::votes, Better::lower,  0,   kUnbounded, Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, kEverywhere, "log-loss: mean over votes of -log of the probability given to the vote"},
    {"brier",                 Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, kEverywhere, "Brier score: mean squared distance between probabilities and votes"},
    {"ipa",                   Task::any,       Needs::votes, Better::higher, -kUnbounded,1,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, kListed, "index of prediction accuracy: 1 - Brier / Brier of the base rate"},
    {"brier_reliability",     Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::inversion,  false, true,  false, Per::vote, kListed, "part of the Brier score that is miscalibration on the bins"},
    {"brier_resolution",      Task::any,       Needs::votes, Better::higher, 0,   2,          Cost::linear, Room::streaming, Interval::normal,     false, true,  false, Per::vote, kListed, "part of the Brier score gained by separating bins"},
    {"brier_uncertainty",     Task::any,       Needs::votes, Better::neither,0,   1,          Cost::linear, Room::streaming, Interval::none,       false, true,  false, Per::vote, kListed, "Brier score of always forecasting the base rate"},
    {"brier_within",          Task::any,       Needs::votes, Better::neither,-2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, kListed, "remainder within the bins: Brier - reliability + resolution - uncertainty"},
    {"brier_calibration",     Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       false, false, false, Per::vote, kListed, "calibration part of the event's Brier score on distinct forecasts"},
    {"brier_refinement",      Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       false, false, false, Per::vote, kListed, "refinement part of the event's Brier score on distinct forecasts"},
    {"mcb",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       true,  false, false, Per::vote, kListed, "part of the event's Brier score that isotonic recalibration removes", true},
    {"dsc",                   Task::any,       Needs::votes, Better::higher, 0,   0.25,       Cost::sort,   Room::ordered,   Interval::none,       false, false, false, Per::vote, kListed, "what the recalibrated event forecast gains over the base rate, in Brier score", true},
    {"unc",                   Task::any,       Needs::votes, Better::neither,0,   0.25,       Cost::sort,   Room::ordered,   Interval::none,       false, false, false, Per::vote, kListed, "Brier score of the event's base rate: Brier = mcb - dsc + unc", true},
    {"log_mcb",               Task::any,       Needs::votes, Better::lower,  0,   kUnbounded, Cost::sort,   Room::ordered,   Interval::none,       true,  false, false, Per::vote, kListed, "part of the event's log-loss that isotonic recalibration removes", true},
    {"log_dsc",               Task::any,       Needs::votes, Better::higher, 0,   0.6931471805599454, Cost::sort,   Room::ordered,   Interval::none,       false, false, false, Per::vote, kListed, "what the recalibrated event forecast gains over the base rate, in log-loss", true},
    {"log_unc",               Task::any,       Needs::votes, Better::neither,0,   0.6931471805599454, Cost::sort,   Room::ordered,   Interval::none,       false, false, false, Per::vote, kListed, "log-loss of the event's base rate: log-loss = log_mcb - log_dsc + log_unc", true},
    {"calibration_slope",     Task::binary,    Needs::votes, Better::one,    -kUnbounded, kUnbounded, Cost::sort, Room::ordered, Interval::percentile, true,  false, false, Per::vote, {Place::table, Place::comparison, Place::page}, "slope of a logistic fit of the outcome on logit p; < 1: over-confident"},
    {"calibration_intercept", Task::binary,    Needs::votes, Better::zero,   -kUnbounded, kUnbounded, Cost::sort, Room::ordered, Interval::percentile, true,  false, false, Per::vote, {Place::table}, "shift in log-odds that makes the mean right, slope fixed at 1"},
    {"oe_ratio",              Task::binary,    Needs::votes, Better::one,    0,   kUnbounded, Cost::linear, Room::streaming, Interval::exact,      false, false, false, Per::vote, {Place::table, Place::page}, "events observed over events expected"},
    {"ici",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       false, false, true,  Per::vote, kListed, "mean distance of a smooth calibration curve from the diagonal", true},
    {"e50",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       false, false, true,  Per::vote, kListed, "median distance of that curve from the diagonal", true},
    {"e90",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       false, false, true,  Per::vote, kListed, "distance that 90% of the votes do not exceed", true},
    {"emax",                  Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       false, false, true,  Per::vote, kListed, "largest distance of that curve from the diagonal", true},
    {"mean_gap",              Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::none,       true,  false, false, Per::vote, kListed, "gap between the mean forecast and the frequency of the event"},
    {"ece",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::inversion,  true,  false, false, Per::vote, kEverywhere, "expected calibration error: mean |forecast - frequency| over bins"},
    {"ece_corrected",         Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::inversion,  false, false, true,  Per::vote, {Place::table, Place::comparison, Place::page}, "ECE corrected for its sampling bias; needs bootstrap replicates"},
    {"ece_l2",                Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::inversion,  true,  false, false, Per::vote, kListed, "root mean squared gap over bins"},
    {"mce",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::none,       true,  false, false, Per::vote, kListed, "largest gap of any bin"},
    {"ece_mass",              Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::inversion,  true,  false, false, Per::vote, kListed, "ECE on bins that hold equal shares of the votes"},
    {"mce_mass",              Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       true,  false, false, Per::vote, kListed, "largest gap on equal-mass bins"},
    {"ece_l2_debiased",       Task::any,       Needs::votes, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::debiased,   true,  false, true,  Per::vote, kEverywhere, "root mean squared gap over bins, debiased; can be negative"},
    {"ece_classwise",         Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::inversion,  true,  true,  false, Per::vote, {Place::table, Place::comparison, Place::page}, "mean over classes of each class's ECE"},
    {"ece_sweep",             Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       true,  false, false, Per::vote, kListed, "ECE with as many equal-mass bins as keep the frequencies monotone"},
    {"ece_kde",               Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::inversion,  true,  false, true,  Per::vote, kListed, "mean gap between forecast and kernel-smoothed frequency, leave-one-out"},
    {"ece_kde_l2",            Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::none,       true,  false, true,  Per::vote, kListed, "root mean squared kernel-smoothed gap"},
    {"ece_kde_classwise",     Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::inversion,  true,  true,  true,  Per::vote, kListed, "mean over classes of the kernel calibration error"},
    {"ece_kde_canonical",     Task::multiclass,Needs::votes, Better::lower,  0,   2,          Cost::quadratic, Room::kernel, Interval::none,       false, false, true,  Per::vote, kListed, "kernel calibration error of the whole probability vector"},
    {"smece",                 Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::none,       true,  false, false, Per::vote, kListed, "smooth calibration error at its own bandwidth"},
    {"mmce",                  Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::kernel,    Interval::none,       true,  false, false, Per::vote, kListed, "maximum mean calibration error with a Laplacian kernel"},
    {"skce",                  Task::any,       Needs::votes, Better::zero,   -1,  1,          Cost::sort,   Room::kernel,    Interval::none,       true,  false, true,  Per::vote, kListed, "squared kernel calibration error over pairs of items, unbiased", true},
    {"mmce_top",              Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::kernel,    Interval::none,       true,  false, false, Per::vote, kListed, "the same for the event that the most probable class is right"},
    {"ks",                    Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       true,  false, false, Per::vote, {Place::table, Place::comparison}, "largest cumulative gap between outcomes and forecasts, without bins"},
    {"kuiper",                Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       true,  false, false, Per::vote, kListed, "largest gap, weighted by votes, over all intervals of the forecast"},
    {"atb",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::none,       true,  false, false, Per::vote, kListed, "squared gaps below and above a threshold, averaged over thresholds", true},
    {"cox_score",             Task::any,       Needs::votes, Better::lower,  0,   kUnbounded, Cost::linear, Room::ordered,   Interval::none,       true,  false, true,  Per::vote, kListed, "score form of Cox's joint test of intercept 0 and slope 1"},
    {"spiegelhalter_z",       Task::any,       Needs::votes, Better::zero,   -kUnbounded, kUnbounded, Cost::linear, Room::ordered, Interval::none, true,  false, true,  Per::vote, kListed, "Spiegelhalter's test: above 0 over-confident, below 0 under-confident"},
    {"hosmer_lemeshow",       Task::any,       Needs::votes, Better::lower,  0,   kUnbounded, Cost::sort,   Room::ordered,   Interval::none,       true,  false, true,  Per::vote, kListed, "Hosmer-Lemeshow chi-square on deciles of the forecast; a weak test", true},
    {"auroc",                 Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::sort,   Room::ordered,   Interval::logit,      false, false, false, Per::vote, kEverywhere, "probability that a hit is ranked above a miss"},
    {"auprc",                 Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, kListed, "average precision of ranking hits first"},
    {"aurc",                  Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, {Place::table, Place::comparison}, "error rate of the most confident items, averaged over all coverages"},
    {"eaurc",                 Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, kListed, "AURC above that of a perfect ranking"},
    {"augrc",                 Task::any,       Needs::votes, Better::lower,  0,   0.5,        Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, kListed, "mean share of undetected errors over all coverages"},
    {"lsq",                   Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "squared loss against the histogram of votes, each item with weight one"},
    {"el_plugin",             Task::any,       Needs::pairs, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "epistemic loss, biased upward by the raters' noise"},
    {"el",                    Task::any,       Needs::pairs, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "epistemic loss: squared distance from the vote shares of a large crowd"},
    {"il",                    Task::any,       Needs::pairs, Better::neither,0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "irreducible loss: what the raters' disagreement alone costs"},
    {"cl_plugin",             Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::none,       true,  true,  false, Per::item, kListed, "calibration loss on class-wise bins, biased upward"},
    {"cl",                    Task::any,       Needs::votes, Better::zero,   -2,  2,          Cost::linear, Room::streaming, Interval::debiased,   false, true,  true,  Per::item, {Place::comparison, Place::page}, "calibration loss on class-wise bins, less its sampling bias"},
    {"dl_plugin",             Task::any,       Needs::pairs, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "dispersion loss, biased"},
    {"dl",                    Task::any,       Needs::pairs, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, {Place::page}, "dispersion loss: epistemic loss that no recalibration removes"},
    {"rl",                    Task::any,       Needs::votes, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, kListed, "refinement loss: squared loss less calibration loss"},
    {"ce",                    Task::any,       Needs::votes, Better::zero,   -2,  2,          Cost::linear, Room::streaming, Interval::debiased,   false, true,  true,  Per::item, kListed, "calibration error: signed root of the calibration loss"},
    {"de",                    Task::any,       Needs::pairs, Better::zero,   -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, kListed, "dispersion error: signed root of the dispersion loss"},
    {"log_calibration",       Task::any,       Needs::votes, Better::lower,  0,   kUnbounded, Cost::linear, Room::streaming, Interval::inversion,  false, false, false, Per::vote, kListed, "part of the event's log-loss that recalibration could remove"},
    {"log_refinement",        Task::any,       Needs::votes, Better::lower,  -kUnbounded, kUnbounded, Cost::linear, Room::streaming, Interval::normal,     false, false, false, Per::vote, kListed, "the rest of the event's log-loss"},
    {"disagreement_loss",     Task::any,       Needs::pairs, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::item, kListed, "squared loss of forecasting whether two raters differ"},
    {"disagreement_cl_plugin",Task::any,       Needs::pairs, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::none,       true,  false, false, Per::item, kListed, "calibration loss of the forecast disagreement, biased upward"},
    {"disagreement_cl",       Task::any,       Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, false, true,  Per::item, {Place::comparison}, "calibration loss of the forecast disagreement, less its sampling bias"},
    {"disagreement_ce",       Task::any,       Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, false, true,  Per::item, kListed, "signed root of the disagreement's calibration loss"},
    {"disagreement_classwise_loss", Task::any, Needs::pairs, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "the same loss for each class against the rest, mean over classes"},
    {"disagreement_classwise_cl",   Task::any, Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, kListed, "class-wise calibration loss of disagreement, mean over classes"},
    {"disagreement_classwise_ce",   Task::any, Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, kListed, "class-wise calibration error of disagreement, mean over classes"},
    {"rater_agreement",       Task::any,       Needs::pairs, Better::neither,0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "probability that two raters of one item agree, whatever the model"},
    {"fleiss_kappa",          Task::any,       Needs::pairs, Better::neither,-1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "agreement of the raters above chance (Fleiss)"},
    {"krippendorff_alpha",    Task::any,       Needs::pairs, Better::neither,-1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, kListed, "agreement of the raters above chance (Krippendorff, nominal)"},
    {"mse_p",                 Task::binary,    Needs::truth, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::item, {Place::table, Place::comparison, Place::page}, "mean squared error against the true probability"},
    {"kl_p",                  Task::binary,    Needs::truth, Better::lower,  0,   kUnbounded, Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::item, {Place::table, Place::comparison}, "mean KL divergence from the true probability"},
};
// clang-format on

// clang-format off
inline constexpr MetricRow kRegressionMetrics[] = {
    {"mse",                   Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, {Place::page}, "mean squared error of the predicted mean"},
    {"mae",                   Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, kListed, "mean absolute error of the predicted mean"},
    {"nll",                   Task::regression, Needs::votes, Better::lower,    -kUnbounded, kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, {Place::page}, "Gaussian negative log-likelihood, constants included"},
    {"nll_laplace",           Task::regression, Needs::votes, Better::lower,    -kUnbounded, kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, kListed, "Laplace negative log-likelihood, scale sqrt(variance/2)"},
    {"crps",                  Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, {Place::page}, "continuous ranked probability score of the Gaussian"},
    {"zms",                   Task::regression, Needs::votes, Better::one,      0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, {Place::page}, "mean squared z-score; above 1 the variance is too small, by that factor"},
    {"uce",                   Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::none,       true,  false, false, Per::item, {Place::page}, "uncertainty calibration error: mean |squared error - variance| over bins"},
    {"uce_mc",                Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::none,       false, false, false, Per::item, kListed, "the same with the second moment of the passes for the error (Laves eq. 14)"},
    {"uce_aleatoric",         Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::none,       false, false, false, Per::item, kListed, "the same for the aleatoric variance alone (Levi)"},
    {"ence",                  Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::sort,   Room::ordered,    Interval::none,       true,  false, false, Per::item, kListed, "mean relative gap between root mean variance and RMSE on equal-mass bins"},
    {"coverage_50",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, kListed, "share of targets in the central 50% interval"},
    {"coverage_90",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, kListed, "share of targets in the central 90% interval"},
    {"coverage_95",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, {Place::page}, "share of targets in the central 95% interval"},
    {"coverage_99",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, kListed, "share of targets in the central 99% interval"},
    {"width_95",              Task::regression, Needs::votes, Better::neither,  0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, kListed, "mean width of the central 95% interval"},
    {"sharpness",             Task::regression, Needs::votes, Better::neither,  0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, {Place::page}, "root of the mean predicted variance; smaller is sharper"},
    {"pit_ks",                Task::regression, Needs::votes, Better::lower,    0,           1,          Cost::sort,   Room::ordered,    Interval::none,       true,  false, false, Per::item, kListed, "largest distance between the distribution of Phi(z) and the uniform one"},
    {"miscalibration_area",   Task::regression, Needs::votes, Better::lower,    0,           0.5,        Cost::sort,   Room::ordered,    Interval::none,       true,  false, false, Per::item, kListed, "area between the distribution of Phi(z) and the uniform one"},
};
// clang-format on

/// Another name of a key: it can be requested and looked up, and JSON has the value under both names.
struct KeyAlias {
  std::string_view alias, key;
};
inline constexpr KeyAlias kAliases[] = {{"ece_debiased", "ece_l2_debiased"}};
/// The key that `key` is another name of, or `key` itself; and the reverse: empty when it has no other name.
[[nodiscard]] std::string_view canonical_key(std::string_view key);
[[nodiscard]] std::string_view alias_of(std::string_view key);

[[nodiscard]] std::span<const MetricRow> metrics();
/// Null when there is no such key or alias.
[[nodiscard]] const MetricRow* find_metric(std::string_view key);
/// Those of `task` regression: a table of its own, since nll means something else there.
[[nodiscard]] std::span<const MetricRow> regression_metrics();
[[nodiscard]] const MetricRow* find_regression_metric(std::string_view key);
/// Why a metric has no interval, whatever the data (docs/inference.md); empty if it has one.
[[nodiscard]] std::string_view why_no_interval(const MetricRow& row);
/// Throws InputError when a key is neither "all" nor in `rows`; `complaint` is the beginning of the sentence.
void check_keys(std::span<const std::string> keys, std::span<const MetricRow> rows,
                const std::string& complaint);

}  // namespace plumb
