#include "evaluate/runs.hpp"

#include <iterator>

#include "plumb/metrics/ordered/atb.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/hosmer_lemeshow.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/ordered/score_tests.hpp"

namespace plumb::detail {
namespace {

using P = Products;
using Key = std::string_view;
using enum Product;
using enum Work;

// Families whose metrics are finished together.
Estimate proper(const P& p, Key key) { return p.proper_score(key); }
Estimate log_part(const P& p, Key key) { return p.log_part(key); }
Estimate histogram_loss(const P& p, Key key) { return p.histogram(key); }
Estimate disagreement_loss(const P& p, Key key) { return p.disagreement(key); }
Estimate rater_agreement(const P& p, Key key) { return p.agreement(key); }

template <double BrierParts::*part>
Estimate brier_part(const P& p, Key) {
  return p.brier_parts() ? Estimate((*p.brier_parts()).*part) : Estimate::undefined(std::string(kNoVotes));
}

Estimate brier_within(const P& p, Key) {
  const Estimate& brier = p.proper_score("brier");
  if (!brier || !p.brier_parts()) return Estimate::undefined(std::string(kNoVotes));
  const BrierParts& b = *p.brier_parts();
  return *brier.value - b.reliability + b.resolution - b.uncertainty;
}

Estimate ipa(const P& p, Key) {
  const Estimate& brier = p.proper_score("brier");
  if (!brier || !p.brier_parts()) return Estimate::undefined(std::string(kNoVotes));
  const double base = p.brier_parts()->uncertainty;
  if (!(base > 0)) return Estimate::undefined("every vote is for one class: the base rate has no error");
  return 1 - *brier.value / base;
}

// Of two classes each is the other's mirror image, and so is the kernel.
Estimate classwise_kde(const P& p, Key) { return p.options().binary ? p.kde().ece_kde : p.class_kde().mean; }

// clang-format off
constexpr MetricRun kRuns[] = {
    // key                          products (binary; several classes)                          finish
    {"accuracy",                    proper_scores,                                              proper},
    {"agreement",                   proper_scores,                                              proper},
    {"nll",                         proper_scores,                                              proper},
    {"brier",                       proper_scores,                                              proper},
    {"ipa",                         {proper_scores, event_table}, {proper_scores, class_tables}, ipa},
    {"brier_reliability",           event_table, class_tables,                                  brier_part<&BrierParts::reliability>},
    {"brier_resolution",            event_table, class_tables,                                  brier_part<&BrierParts::resolution>},
    {"brier_uncertainty",           event_table, class_tables,                                  brier_part<&BrierParts::uncertainty>},
    {"brier_within",                {proper_scores, event_table}, {proper_scores, class_tables}, brier_within},
    {"brier_calibration",           event_column,                                               [](const P& p, Key) { return p.brier_refinement().calibration; }, walk},
    {"brier_refinement",            event_column,                                               [](const P& p, Key) { return p.brier_refinement().refinement; }, with_above},
    {"mcb",                         event_column,                                               [](const P& p, Key) { return p.corp().mcb; }, walk},
    {"dsc",                         event_column,                                               [](const P& p, Key) { return p.corp().dsc; }, with_above},
    {"unc",                         event_column,                                               [](const P& p, Key) { return p.corp().unc; }, with_above},
    {"log_mcb",                     event_column,                                               [](const P& p, Key) { return p.corp_log().mcb; }, walk},
    {"log_dsc",                     event_column,                                               [](const P& p, Key) { return p.corp_log().dsc; }, with_above},
    {"log_unc",                     event_column,                                               [](const P& p, Key) { return p.corp_log().unc; }, with_above},
    {"calibration_slope",           event_column,                                               [](const P& p, Key) { return p.calibration_line().slope; }},
    {"calibration_intercept",       event_column,                                               [](const P& p, Key) { return p.calibration_line().intercept; }},
    {"oe_ratio",                    event_table,                                                [](const P& p, Key) { return oe_ratio(p.event_table()); }},
    {"ici",                         event_column,                                               [](const P& p, Key) { return p.curve_errors().ici; }},
    {"e50",                         event_column,                                               [](const P& p, Key) { return p.curve_errors().e50; }},
    {"e90",                         event_column,                                               [](const P& p, Key) { return p.curve_errors().e90; }},
    {"emax",                        event_column,                                               [](const P& p, Key) { return p.curve_errors().emax; }},
    {"mean_gap",                    event_table,                                                [](const P& p, Key) { return mean_gap(p.event_table()); }},
    {"ece",                         event_table,                                                [](const P& p, Key) { return ece(p.event_table()); }},
    {"ece_corrected",               event_table,                                                [](const P& p, Key) { (void)p.event_table(); return Estimate::undefined("it is computed by resampling: give ⟦bootstrap⟧ 200"); }},
    {"ece_l2",                      event_table,                                                [](const P& p, Key) { return ece_l2(p.event_table()); }},
    {"mce",                         event_table,                                                [](const P& p, Key) { return mce(p.event_table()); }},
    {"ece_mass",                    event_column,                                               [](const P& p, Key) { return ece(p.mass_table()); }, walk},
    {"mce_mass",                    event_column,                                               [](const P& p, Key) { return mce(p.mass_table()); }, with_above},
    {"ece_l2_debiased",             event_table,                                                [](const P& p, Key) { return ece_l2_debiased(p.event_table()); }},
    {"ece_classwise",               class_tables,                                               [](const P& p, Key) { return ece_classwise(p.class_tables()); }},
    {"ece_sweep",                   event_column,                                               [](const P& p, Key) { return ece_sweep(p.event_column()); }, walk},
    {"ece_kde",                     kde,                                                        [](const P& p, Key) { return p.kde().ece_kde; }},
    {"ece_kde_l2",                  kde,                                                        [](const P& p, Key) { return p.kde().ece_kde_l2; }},
    {"ece_kde_classwise",           kde, class_kde,                                             classwise_kde},
    {"ece_kde_canonical",           canonical,                                                  [](const P& p, Key) { return p.canonical(); }},
    {"smece",                       smooth,                                                     [](const P& p, Key) { return p.smooth().error.smece; }},
    {"mmce",                        event_column,                                               [](const P& p, Key) { return p.mmce(); }, walk},
    {"skce",                        event_column,                                               [](const P& p, Key) { return p.skce(); }, with_above},
    {"mmce_top",                    confidence_column,                                          [](const P& p, Key) { return p.mmce_top(); }, walk},
    {"ks",                          event_column,                                               [](const P& p, Key) { return p.cumulative_gaps().ks; }, walk},
    {"kuiper",                      event_column,                                               [](const P& p, Key) { return p.cumulative_gaps().kuiper; }, with_above},
    {"atb",                         event_column,                                               [](const P& p, Key) { return atb(p.event_column()); }, walk},
    {"cox_score",                   event_column,                                               [](const P& p, Key) { return p.cox_score(); }, walk},
    {"spiegelhalter_z",             event_column,                                               [](const P& p, Key) { return p.spiegelhalter_z(); }, walk},
    {"hosmer_lemeshow",             event_column,                                               [](const P& p, Key) { return hosmer_lemeshow(p.decile_table()); }, walk},
    {"auroc",                       event_column,                                               [](const P& p, Key) { return auroc(p.event_column()); }, walk},
    {"auprc",                       event_column,                                               [](const P& p, Key) { return auprc(p.event_column()); }, walk},
    {"aurc",                        confidence_column,                                          [](const P& p, Key) { return p.risk_coverage().aurc; }, walk},
    {"eaurc",                       confidence_column,                                          [](const P& p, Key) { return p.risk_coverage().eaurc; }, with_above},
    {"augrc",                       confidence_column,                                          [](const P& p, Key) { return p.risk_coverage().augrc; }, with_above},
    {"lsq",                         histogram,                                                  histogram_loss},
    {"el_plugin",                   histogram,                                                  histogram_loss},
    {"el",                          histogram,                                                  histogram_loss},
    {"il",                          histogram,                                                  histogram_loss},
    {"cl_plugin",                   histogram,                                                  histogram_loss},
    {"cl",                          histogram,                                                  histogram_loss},
    {"dl_plugin",                   histogram,                                                  histogram_loss},
    {"dl",                          histogram,                                                  histogram_loss},
    {"rl",                          histogram,                                                  histogram_loss},
    {"ce",                          histogram,                                                  histogram_loss},
    {"de",                          histogram,                                                  histogram_loss},
    {"log_calibration",             {event_table, event_log},                                   log_part},
    {"log_refinement",              {event_table, event_log},                                   log_part},
    {"disagreement_loss",           disagreement,                                               disagreement_loss},
    {"disagreement_cl_plugin",      disagreement,                                               disagreement_loss},
    {"disagreement_cl",             disagreement,                                               disagreement_loss},
    {"disagreement_ce",             disagreement,                                               disagreement_loss},
    {"disagreement_classwise_loss", disagreement,                                               disagreement_loss},
    {"disagreement_classwise_cl",   disagreement,                                               disagreement_loss},
    {"disagreement_classwise_ce",   disagreement,                                               disagreement_loss},
    {"rater_agreement",             agreement,                                                  rater_agreement},
    {"fleiss_kappa",                agreement,                                                  rater_agreement},
    {"krippendorff_alpha",          agreement,                                                  rater_agreement},
    {"mse_p",                       proper_scores,                                              proper},
    {"kl_p",                        proper_scores,                                              proper},
};
// clang-format on

constexpr bool same_order_as_registry() {
  if (std::size(kRuns) != std::size(kMetrics)) return false;
  for (std::size_t i = 0; i < std::size(kRuns); ++i)
    if (kRuns[i].key != kMetrics[i].key) return false;
  return true;
}
static_assert(same_order_as_registry(), "each row of the registry has its run here, in the same order");

}  // namespace

const MetricRun& run_of(const MetricRow& row) { return kRuns[&row - kMetrics]; }

}  // namespace plumb::detail
