#include "evaluate_flags.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate.hpp"
#include "plumb/data/available_memory.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/one_vs_rest.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::cli {

int to_int(const std::string& flag, std::int64_t value) {
  constexpr std::int64_t kLimit = std::numeric_limits<int>::max();
  if (value > kLimit || value < -kLimit)
    throw InputError(flag + " is " + std::to_string(value) +
                     ", which is out of range; give a smaller number");
  return narrow<int>(value);
}

void add_bandwidth_flag(Flags& flags, EvaluateFlags& f) {
  flags.number_or_name("--bandwidth", {"auto", "likelihood"}, f.options.bandwidth, f.bandwidth_rule,
                       "bandwidth of the kernel metrics");
}

void add_ties_flag(Flags& flags, EvaluateFlags& f) {
  flags.choice("--ties", {"half", "absent", "lowest", "random"}, f.ties,
               "majority label when raters tie: shared, none, the lowest class, or drawn at random");
}

void add_null_flag(Flags& flags, EvaluateFlags& f) {
  flags.choice("--null", {"model", "signs"}, f.null,
               "p-values from votes drawn from a model, or from random signs of whole groups");
}

void add_evaluate_flags(Flags& flags, EvaluateFlags& f) {
  flags.heading("Computation");
  flags.list("--metrics", "k,k|all", f.options.metrics,
             "keys from \"plumb list\" [most of those of cost linear or sort]");
  flags.integer("--bins", f.bins, "bins of the reliability table");
  flags.choice("--binning", {"width", "mass"}, f.binning, "bins of equal width or equal mass");
  add_ties_flag(flags, f);
  flags.integer("--bootstrap", f.bootstrap, "replicates for intervals and p-values; 0: none");
  flags.number("--level", f.options.level, "confidence level of the intervals");
  flags.number("--tolerance", f.options.tolerance, "calibration error (ECE) that the verdict accepts");
  flags.number("--clip", f.options.clip, "clip probabilities to [X, 1-X] in log-loss");
  add_bandwidth_flag(flags, f);
  flags.choice("--leave-out", {"vote", "item"}, f.leave_out, "what leave-one-out kernel estimates leave out");
  flags.choice("--curve", {"loess", "rcs", "kernel"}, f.curve, "smooth curve of ici, e50, e90 and emax");
  add_thresholds_flag(flags, f.thresholds);
  flags.seed("--seed", f.options.seed, "seed of the random numbers");
  flags.integer("--threads", f.threads, "number of threads; 0: all cores; does not change the results");
}

void add_one_class_flag(Flags& flags, std::string& out) {
  flags.text("--one-vs-rest", "CLASS", out,
             "three classes or more: evaluate one, by name or number, against the rest");
}

void take_one_class(const std::string& cls, Items& items) {
  if (cls.empty()) return;
  const auto& names = items.class_names;
  const auto at = std::find(names.begin(), names.end(), cls);
  const std::optional<double> number = number_of(cls);
  if (at == names.end() && !(number && *number == std::floor(*number) && std::abs(*number) < 1e6))
    throw InputError(
        "--one-vs-rest: no class is called \"" + cls + "\"" +
        (names.empty() ? "; give its number, or names with --classes" : did_you_mean(cls, names)));
  items = one_vs_rest(items, at != names.end() ? narrow<int>(at - names.begin()) : static_cast<int>(*number));
}

void add_thresholds_flag(Flags& flags, Args& out) {
  flags.list(
      "--thresholds", "0.1,0.2", out,
      "binary: sensitivity, specificity, predictive values and net benefit at these thresholds of the risk");
}

std::vector<double> thresholds_of(const Args& texts) {
  std::vector<double> out;
  for (const std::string& text : texts) {
    const std::optional<double> t = number_of(text);
    if (!t) throw InputError("--thresholds takes numbers between 0 and 1, not \"" + text + "\"");
    out.push_back(*t);
  }
  return out;
}

void add_later_flags(Flags& flags) {
  const std::string later = " planned but not available in this version; ";
  for (const char* flag :
       {"--variance", "--std", "--targets", "--aleatoric", "--epistemic", "--variance-samples"}) {
    flags.unavailable(flag,
                      std::string(flag) + " is for regression; also give --mean and --targets, or --errors");
  }
  flags.unavailable("--reference", "--reference: comparison with a reference set is" + later +
                                       "evaluate the two sets one by one");
}

EvaluateOptions checked_options(const EvaluateFlags& f) {
  EvaluateOptions o = f.options;
  check_bins(f.bins);
  check_threads(f.threads);
  check_level(o.level);
  o.bins = to_int("--bins", f.bins);
  o.threads = to_int("--threads", f.threads);
  o.bootstrap = to_int("--bootstrap", f.bootstrap);
  for (const Ties t : {Ties::half, Ties::absent, Ties::lowest, Ties::random})
    if (f.ties == ties_name(t)) o.ties = t;
  o.binning = f.binning == "width" ? Binning::width : Binning::mass;
  o.leave_out = f.leave_out == "vote" ? LeaveOut::vote : LeaveOut::item;
  o.curve = f.curve == "loess" ? CurveKind::loess : f.curve == "rcs" ? CurveKind::rcs : CurveKind::kernel;
  o.thresholds = thresholds_of(f.thresholds);
  o.null = f.null == "model" ? NullKind::model : NullKind::signs;
  o.memory = available_memory();
  o.bandwidth_rule = f.bandwidth_rule == "auto" ? BandwidthRule::votes : BandwidthRule::likelihood;
  return o;
}

}  // namespace plumb::cli
