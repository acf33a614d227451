// The flags of `plumb evaluate` that control the computation. Defaults come from EvaluateOptions.
#pragma once

#include <string>
#include <vector>

#include "plumb/evaluate/evaluate.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct EvaluateFlags {
  EvaluateOptions options;
  std::int64_t bins = options.bins, bootstrap = options.bootstrap, threads = options.threads;
  std::string binning = options.binning == Binning::width ? "width" : "mass";
  std::string null = options.null == NullKind::model ? "model" : "signs";
  std::string ties = ties_name(options.ties);
  std::string leave_out = options.leave_out == LeaveOut::vote ? "vote" : "item";
  std::string curve = options.curve == CurveKind::loess ? "loess"
                      : options.curve == CurveKind::rcs ? "rcs"
                                                        : "kernel";
  Args thresholds;
  std::string bandwidth_rule = options.bandwidth_rule == BandwidthRule::votes ? "auto" : "likelihood";
};

void add_bandwidth_flag(Flags& flags, EvaluateFlags& out);
void add_evaluate_flags(Flags& flags, EvaluateFlags& out);
/// The class that --one-vs-rest names, by name or number; empty: all classes.
void add_one_class_flag(Flags& flags, std::string& out);
/// One class against the rest, where `cls` names one.
void take_one_class(const std::string& cls, Items& items);
void add_thresholds_flag(Flags& flags, Args& out);
[[nodiscard]] std::vector<double> thresholds_of(const Args& texts);
void add_null_flag(Flags& flags, EvaluateFlags& out);
void add_ties_flag(Flags& flags, EvaluateFlags& out);
/// Flags that this version does not have yet, with one sentence each.
void add_later_flags(Flags& flags);
/// As an int; InputError for what is out of its range.
[[nodiscard]] int to_int(const std::string& flag, std::int64_t value);
/// The options after parsing; InputError for what is out of range.
[[nodiscard]] EvaluateOptions checked_options(const EvaluateFlags& flags);

}  // namespace plumb::cli
