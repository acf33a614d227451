// Handmade results, so that only the presentation is tested.
#pragma once

#include "plumb/result.hpp"

namespace plumb::sample {

/// Ten bins; all mass in the upper two. Mean forecast 0.976, mean outcome 0.936.
inline Table reliability(bool band) {
  Table t;
  t.columns = {"low", "high", "items", "votes", "weight", "mean_p", "mean_y", "gap"};
  if (band) t.columns.insert(t.columns.end(), {"band_low", "band_high"});
  for (int b = 0; b < 10; ++b) {
    std::vector<Value> row{b / 10.0, (b + 1) / 10.0, std::int64_t{0}, std::int64_t{0},
                           0.0,      Value{},        Value{},         Value{}};
    if (b == 8) row = {0.8, 0.9, std::int64_t{1000}, std::int64_t{1000}, 1000.0, 0.85, 0.75, 0.1};
    if (b == 9)
      row = {0.9,    1.0,  std::int64_t{9000}, std::int64_t{9000},
             9000.0, 0.99, 0.9566666666666667, 0.0333333333333333};
    if (band) row.insert(row.end(), {b < 8 ? Value{} : Value{0.9}, b < 8 ? Value{} : Value{0.95}});
    t.rows.push_back(row);
  }
  return t;
}

/// One label per item, no resampling.
inline Result labels() {
  Result r;
  r.version = "1.2.3";
  r.command = "evaluate";
  r.argv = {"plumb", "evaluate", "--probs", "p.npy", "--labels", "y.npy"};
  r.task = "multiclass";
  r.items = r.votes = 10000;
  r.classes = 3;
  r.class_names = {"cat", "dog", "frog"};
  r.settings = {
      {"scale", std::string("probabilities")}, {"bins", std::int64_t{10}}, {"level", 0.95}, {"clip", 0.0}};
  r.inputs = {{"--probs", "p.npy", {10000, 3}, "float32", ""}, {"--labels", "y.npy", {10000}, "uint8", ""}};
  const auto add_metric = [&](const char* key, double x) {
    r.metrics.emplace_back(key, MetricResult{.value = x});
  };
  add_metric("accuracy", 0.936);
  add_metric("agreement", 0.936);
  r.metrics.emplace_back("nll",
                         MetricResult{.why = "3 votes fell on probability 0; use ⟦clip⟧ to bound them"});
  add_metric("brier", 0.105446);
  add_metric("brier_uncertainty", 0.9);
  add_metric("ece", 0.04);
  add_metric("mce", 0.1);
  add_metric("auroc", 0.912);
  r.per_class = {{"ece_classwise", {0.01, 0.03, std::nullopt}}};
  r.tables = {{"reliability", reliability(false)}};
  return r;
}

/// Several raters, intervals, slices, notes.
inline Result raters() {
  Result r = labels();
  r.votes = 51000;
  r.settings.emplace_back("bootstrap", std::int64_t{200});
  r.metrics.clear();
  const auto add_metric = [&](MetricResults& to, const char* key, MetricResult m) {
    to.emplace_back(key, std::move(m));
  };
  add_metric(r.metrics, "accuracy", {.value = 0.95, .low = 0.945, .high = 0.955, .interval = "percentile"});
  add_metric(r.metrics, "agreement", {.value = 0.936, .low = 0.93, .high = 0.942, .interval = "percentile"});
  add_metric(r.metrics, "nll", {.value = 0.25, .low = 0.24, .high = 0.26, .interval = "percentile"});
  add_metric(r.metrics, "mean_gap", {.value = 0.04, .null_mean = 0.004, .p_value = 1.0 / 201});
  add_metric(r.metrics, "ece",
             {.value = 0.04,
              .low = 0.035,
              .high = 0.045,
              .interval = "basic",
              .null_mean = 0.005,
              .p_value = 1.0 / 201});
  add_metric(r.metrics, "ece_l2_debiased",
             {.value = -0.00001,
              .low = -0.01,
              .high = 0.01,
              .interval = "percentile",
              .null_mean = 0.0,
              .p_value = 0.5});
  add_metric(r.metrics, "auroc", {.why = "every vote agrees with the model", .items = 10000});
  add_metric(r.consensus, "accuracy", {.value = 0.95});
  add_metric(r.consensus, "ece", {.value = 0.0123});
  r.per_group = {
      {"north", 6000, 30600, {{"accuracy", 0.96}, {"agreement", 0.94}, {"nll", 0.2}, {"ece", 0.03}}},
      {"s\x1b[31müd",
       4000,
       20400,
       {{"accuracy", 0.93}, {"agreement", 0.92}, {"nll", std::nullopt}, {"ece", 0.06}}}};
  r.tables = {{"reliability", reliability(true)}};
  r.verdict = {.verdict = "off",
               .certain = false,
               .tolerance = 0.03,
               .estimate = 0.039,
               .low = 0.028,
               .high = 0.045,
               .p_value = 1.0 / 201,
               .needed = {},
               .unit = "items",
               .why = {}};
  r.notes = {"12 items without votes or of weight 0 were left out"};
  return r;
}

/// A column of P(class 1).
inline Result binary() {
  Result r = labels();
  r.task = "binary";
  r.classes = 2;
  r.class_names = {};
  r.per_class.clear();
  r.metrics.clear();
  r.settings.emplace_back("bootstrap", std::int64_t{200});
  r.metrics.emplace_back("ece", MetricResult{.value = 0.04, .null_mean = 0.035, .p_value = 0.31});
  r.metrics.emplace_back("calibration_slope", MetricResult{.value = 0.62, .low = 0.5, .high = 0.76});
  r.metrics.emplace_back("auroc", MetricResult{.value = 0.912});
  r.metrics.emplace_back("mean_gap", MetricResult{.value = 0.04, .null_mean = 0.03, .p_value = 0.2});
  r.verdict = {.verdict = "cannot tell",
               .certain = false,
               .tolerance = 0.05,
               .estimate = 0.02,
               .low = 0.0,
               .high = 0.071,
               .p_value = 0.31,
               .needed = 12400,
               .unit = "items",
               .why = {}};
  return r;
}

}  // namespace plumb::sample
