// One row per metric: the names users type, what each needs and costs, and how its uncertainty is told.
// Contract tests, `plumb list`, docs and the evaluator all read this table.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

enum class Task { any, binary, multiclass, regression };
enum class Needs { votes, pairs, truth };  ///< any vote; two votes on some item; known true probabilities
enum class Better { lower, higher, zero, one, neither };  ///< which way is good; zero, one: the ideal value
enum class Cost { linear, sort, quadratic };
enum class Room { streaming, ordered, kernel };
enum class Interval { percentile, basic };
enum class Per { vote, item };  ///< what weighs one: a vote, or an item however many votes it has

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
  std::string_view line;
};

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// clang-format off
inline constexpr MetricRow kMetrics[] = {
    // key                    task             needs         better          low  high        cost          room             interval              null   class  item   per        line
    {"accuracy",              Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::item, "share of items whose most probable class is the majority vote"},
    {"agreement",             Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, "share of votes that equal the most probable class"},
    {"nll",                   Task::any,       Needs::votes, Better::lower,  0,   kUnbounded, Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, "log-loss: mean over votes of -log of the probability given to the vote"},
    {"brier",                 Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, "Brier score: mean squared distance of probabilities and votes"},
    {"brier_reliability",     Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::vote, "part of the Brier score that is miscalibration on the cells"},
    {"brier_resolution",      Task::any,       Needs::votes, Better::higher, 0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::vote, "part of the Brier score won by telling cells apart"},
    {"brier_uncertainty",     Task::any,       Needs::votes, Better::neither,0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::vote, "Brier score of always forecasting the base rate"},
    {"brier_within",          Task::any,       Needs::votes, Better::neither,-2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, "what the cells hide: Brier - reliability + resolution - uncertainty"},
    {"brier_calibration",     Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, "calibration part of the event's Brier score on distinct forecasts"},
    {"brier_refinement",      Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, "refinement part of the event's Brier score on distinct forecasts"},
    {"calibration_slope",     Task::binary,    Needs::votes, Better::one,    -kUnbounded, kUnbounded, Cost::sort, Room::ordered, Interval::percentile, false, false, false, Per::vote, "slope of a logistic fit of the outcome on logit p; below 1: over-confident"},
    {"calibration_intercept", Task::binary,    Needs::votes, Better::zero,   -kUnbounded, kUnbounded, Cost::sort, Room::ordered, Interval::percentile, false, false, false, Per::vote, "shift in log-odds that makes the mean right, slope fixed at 1"},
    {"oe_ratio",              Task::binary,    Needs::votes, Better::one,    0,   kUnbounded, Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, "events observed over events expected"},
    {"ece",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::basic,      true,  false, false, Per::vote, "expected calibration error: mean gap of forecast and frequency over cells"},
    {"ece_l2",                Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::basic,      true,  false, false, Per::vote, "root mean squared gap over cells"},
    {"mce",                   Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::basic,      true,  false, false, Per::vote, "largest gap of any cell"},
    {"ece_mass",              Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::basic,      true,  false, false, Per::vote, "ECE on cells that hold equal shares of the votes"},
    {"mce_mass",              Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::basic,      true,  false, false, Per::vote, "largest gap on equal-mass cells"},
    {"ece_debiased",          Task::any,       Needs::votes, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, true,  false, true,  Per::vote, "root of the squared calibration error less its sampling bias; negative when below zero"},
    {"ece_classwise",         Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::basic,      true,  true,  false, Per::vote, "mean over classes of each class's ECE"},
    {"ece_sweep",             Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::basic,      true,  false, false, Per::vote, "ECE with as many equal-mass cells as keep the frequencies monotone"},
    {"ece_kde",               Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::basic,      true,  false, true,  Per::vote, "mean gap of forecasts and their kernel-smoothed frequency, leave one out"},
    {"ece_kde_l2",            Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::basic,      true,  false, true,  Per::vote, "root mean squared kernel-smoothed gap"},
    {"ece_kde_classwise",     Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::basic,      true,  true,  true,  Per::vote, "mean over classes of the kernel calibration error"},
    {"ece_kde_canonical",     Task::multiclass,Needs::votes, Better::lower,  0,   2,          Cost::quadratic, Room::kernel, Interval::basic,      false, false, true,  Per::vote, "kernel calibration error of the whole probability vector"},
    {"smece",                 Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::linear, Room::kernel,    Interval::basic,      true,  false, false, Per::vote, "smooth calibration error at its own bandwidth"},
    {"mmce",                  Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::kernel,    Interval::basic,      true,  false, false, Per::vote, "maximum mean calibration error with a Laplacian kernel"},
    {"ks",                    Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::basic,      true,  false, false, Per::vote, "largest cumulative gap of outcomes and forecasts, free of cells"},
    {"auroc",                 Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, "chance that a hit is ranked above a miss"},
    {"auprc",                 Task::any,       Needs::votes, Better::higher, 0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, "average precision of ranking hits first"},
    {"aurc",                  Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, "mean error rate of answering only the most confident items, over all shares"},
    {"eaurc",                 Task::any,       Needs::votes, Better::lower,  0,   1,          Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, "AURC above that of a perfect ranking"},
    {"augrc",                 Task::any,       Needs::votes, Better::lower,  0,   0.5,        Cost::sort,   Room::ordered,   Interval::percentile, false, false, false, Per::vote, "mean share of undetected errors over all coverages"},
    {"lsq",                   Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "squared loss against the histogram of votes, items weighing one each"},
    {"el_plugin",             Task::any,       Needs::pairs, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "epistemic loss, biased upward by the raters' noise"},
    {"el",                    Task::any,       Needs::pairs, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "epistemic loss: squared distance from the vote shares a crowd would give"},
    {"il",                    Task::any,       Needs::pairs, Better::neither,0,   2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "irreducible loss: what the raters' disagreement alone costs"},
    {"cl_plugin",             Task::any,       Needs::votes, Better::lower,  0,   2,          Cost::linear, Room::streaming, Interval::basic,      true,  true,  false, Per::item, "calibration loss on class-wise cells, biased upward"},
    {"cl",                    Task::any,       Needs::votes, Better::zero,   -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, "calibration loss on class-wise cells, less its sampling bias"},
    {"dl_plugin",             Task::any,       Needs::pairs, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "dispersion loss, biased"},
    {"dl",                    Task::any,       Needs::pairs, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, "dispersion loss: epistemic loss that no recalibration removes"},
    {"rl",                    Task::any,       Needs::votes, Better::lower,  -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, "refinement loss: squared loss less calibration loss"},
    {"ce",                    Task::any,       Needs::votes, Better::zero,   -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, "calibration error: signed root of the calibration loss"},
    {"de",                    Task::any,       Needs::pairs, Better::zero,   -2,  2,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, "dispersion error: signed root of the dispersion loss"},
    {"log_calibration",       Task::any,       Needs::votes, Better::lower,  0,   kUnbounded, Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, "part of the event's log-loss that recalibration could win"},
    {"log_refinement",        Task::any,       Needs::votes, Better::lower,  -kUnbounded, kUnbounded, Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::vote, "the rest of the event's log-loss"},
    {"disagreement_loss",     Task::any,       Needs::pairs, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::item, "squared loss of forecasting whether two raters differ"},
    {"disagreement_cl_plugin",Task::any,       Needs::pairs, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::basic,      true,  false, false, Per::item, "calibration loss of the forecast disagreement, biased upward"},
    {"disagreement_cl",       Task::any,       Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, false, true,  Per::item, "calibration loss of the forecast disagreement, less its sampling bias"},
    {"disagreement_ce",       Task::any,       Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, false, true,  Per::item, "signed root of the disagreement's calibration loss"},
    {"disagreement_classwise_loss", Task::any, Needs::pairs, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "the same loss for each class against the rest, mean over classes"},
    {"disagreement_classwise_cl",   Task::any, Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, "class-wise calibration loss of disagreement, mean over classes"},
    {"disagreement_classwise_ce",   Task::any, Needs::pairs, Better::zero,   -1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  true,  Per::item, "class-wise calibration error of disagreement, mean over classes"},
    {"rater_agreement",       Task::any,       Needs::pairs, Better::neither,0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "chance that two raters of one item agree; the model has no part in it"},
    {"fleiss_kappa",          Task::any,       Needs::pairs, Better::neither,-1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "agreement of the raters above chance (Fleiss)"},
    {"krippendorff_alpha",    Task::any,       Needs::pairs, Better::neither,-1,  1,          Cost::linear, Room::streaming, Interval::percentile, false, true,  false, Per::item, "agreement of the raters above chance (Krippendorff, nominal)"},
    {"mse_p",                 Task::binary,    Needs::truth, Better::lower,  0,   1,          Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::item, "mean squared error against the true probability"},
    {"kl_p",                  Task::binary,    Needs::truth, Better::lower,  0,   kUnbounded, Cost::linear, Room::streaming, Interval::percentile, false, false, false, Per::item, "mean KL divergence from the true probability"},
};
// clang-format on

// clang-format off
inline constexpr MetricRow kRegressionMetrics[] = {
    {"mse",                   Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "mean squared error of the predicted mean"},
    {"mae",                   Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "mean absolute error of the predicted mean"},
    {"nll",                   Task::regression, Needs::votes, Better::lower,    -kUnbounded, kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "Gaussian negative log-likelihood, constants included"},
    {"nll_laplace",           Task::regression, Needs::votes, Better::lower,    -kUnbounded, kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "Laplace negative log-likelihood, scale sqrt(variance/2)"},
    {"crps",                  Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "continuous ranked probability score of the Gaussian"},
    {"zms",                   Task::regression, Needs::votes, Better::one,      0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "mean squared z-score; above 1 the variance is too small, by that factor"},
    {"uce",                   Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::basic,      false, false, false, Per::item, "uncertainty calibration error: mean gap of squared error and variance over cells"},
    {"uce_mc",                Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::basic,      false, false, false, Per::item, "the same with the second moment of the passes for the error (Laves eq. 14)"},
    {"uce_aleatoric",         Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::linear, Room::streaming,  Interval::basic,      false, false, false, Per::item, "the same for the aleatoric variance alone (Levi)"},
    {"ence",                  Task::regression, Needs::votes, Better::lower,    0,           kUnbounded, Cost::sort,   Room::ordered,    Interval::basic,      false, false, false, Per::item, "mean relative gap of root mean variance and RMSE on equal-mass cells"},
    {"coverage_50",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "share of targets in the central 50% interval"},
    {"coverage_90",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "share of targets in the central 90% interval"},
    {"coverage_95",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "share of targets in the central 95% interval"},
    {"coverage_99",           Task::regression, Needs::votes, Better::neither,  0,           1,          Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "share of targets in the central 99% interval"},
    {"width_95",              Task::regression, Needs::votes, Better::neither,  0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "mean width of the central 95% interval"},
    {"sharpness",             Task::regression, Needs::votes, Better::neither,  0,           kUnbounded, Cost::linear, Room::streaming,  Interval::percentile, false, false, false, Per::item, "root of the mean predicted variance; smaller is sharper"},
    {"pit_ks",                Task::regression, Needs::votes, Better::lower,    0,           1,          Cost::sort,   Room::ordered,    Interval::basic,      false, false, false, Per::item, "largest distance of the distribution of Phi(z) from the uniform one"},
    {"miscalibration_area",   Task::regression, Needs::votes, Better::lower,    0,           0.5,        Cost::sort,   Room::ordered,    Interval::basic,      false, false, false, Per::item, "area between the distribution of Phi(z) and the uniform one"},
};
// clang-format on

[[nodiscard]] std::span<const MetricRow> metrics();
/// Null when there is no such key.
[[nodiscard]] const MetricRow* find_metric(std::string_view key);
/// Those of `task` regression: a table of its own, since nll means something else there.
[[nodiscard]] std::span<const MetricRow> regression_metrics();
[[nodiscard]] const MetricRow* find_regression_metric(std::string_view key);
/// Throws InputError when a key is neither "all" nor in `rows`; `complaint` is how the sentence begins.
void check_keys(std::span<const std::string> keys, std::span<const MetricRow> rows,
                const std::string& complaint);

}  // namespace plumb
