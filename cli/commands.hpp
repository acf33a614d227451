// The subcommands: each takes the arguments after its name and returns the exit code.
#pragma once

#include <span>

#include "shell/flags.hpp"
#include "shell/program.hpp"

namespace plumb::cli {

struct Command {
  const char* name;
  const char* line;
  int (*run)(const Args&);
};
/// All commands, in the order of the help.
[[nodiscard]] std::span<const Command> commands();

int evaluate_command(const Args& args);
int audit_command(const Args& args);
int stability_command(const Args& args);
int calibrate_command(const Args& args);
int uncertainty_command(const Args& args);
int compare_command(const Args& args);
int raters_command(const Args& args);
int report_command(const Args& args);
int train_command(const Args& args);
int predict_command(const Args& args);
int merge_command(const Args& args);
int list_command(const Args& args);
int describe_command(const Args& args);
int demo_command(const Args& args);
int reproduce_command(const Args& args);
int completion_command(const Args& args);
int manual_command(const Args& args);

// The same for regressions. `evaluate`, `calibrate fit` and `calibrate apply` pass on all their arguments if
//   evaluate: has_regression_flags() says so
//   fit:      --method names a calibrator of variances, or the inputs are those of a regression
//   apply:    the inputs are variances (--variance, --std, --aleatoric, --epistemic, --mean-samples)
int evaluate_regression_command(const Args& args);
/// `evaluate` of cases, when --manifest is among the arguments.
int evaluate_manifest_command(const Args& args);
/// `evaluate` of sets of classes, when --sets is among the arguments.
int evaluate_sets_command(const Args& args);
[[nodiscard]] bool has_sets_flag(const Args& args);
/// The same for stability.
int stability_manifest_command(const Args& args);
/// The same for compare.
int compare_manifest_command(const Args& args);
int demo_regression_command(const Args& args);
int fit_regression(const Args& args);
int apply_regression(const Args& args);
[[nodiscard]] bool is_regression_fit(const Args& args);
[[nodiscard]] bool is_regression_apply(const Args& args);

}  // namespace plumb::cli
