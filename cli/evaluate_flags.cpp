#include "evaluate_flags.hpp"

#include <limits>

#include "available_memory.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::cli {

int to_int(const std::string& flag, std::int64_t value) {
  constexpr std::int64_t kLimit = std::numeric_limits<int>::max();
  if (value > kLimit || value < -kLimit)
    throw InputError(flag + " " + std::to_string(value) + " is far out of range");
  return narrow<int>(value);
}

void add_bandwidth_flag(Flags& flags, EvaluateFlags& f) {
  flags.number_or_name("--bandwidth", {"auto", "likelihood"}, f.options.bandwidth, f.bandwidth_rule,
                       "of the kernel metrics");
}

void add_ties_flag(Flags& flags, EvaluateFlags& f) {
  flags.choice("--ties", {"half", "absent", "lowest", "random"}, f.ties,
               "majority label where raters tie: shared, none, the lowest class, or drawn");
}

void add_evaluate_flags(Flags& flags, EvaluateFlags& f) {
  flags.heading("How it is computed");
  flags.list("--metrics", "k,k|all", f.options.metrics,
             "keys of \"plumb list\" [those of cost linear or sort]");
  flags.whole("--bins", f.bins, "bins of the reliability table");
  flags.choice("--binning", {"width", "mass"}, f.binning, "bins of equal width or equal mass");
  add_ties_flag(flags, f);
  flags.whole("--bootstrap", f.bootstrap, "replicates for intervals and p-values; 0: none");
  flags.number("--level", f.options.level, "of the intervals");
  flags.choice("--null", {"model", "signs"}, f.null,
               "votes of a calibrated model: drawn, or random signs of whole groups' residuals");
  flags.number("--tolerance", f.options.tolerance, "calibration error that the verdict accepts");
  flags.number("--clip", f.options.clip, "clip probabilities to [X, 1-X] in log-loss");
  add_bandwidth_flag(flags, f);
  flags.choice("--leave-out", {"vote", "item"}, f.leave_out, "what a kernel estimate leaves out");
  flags.seed("--seed", f.options.seed, "of the random numbers");
  flags.whole("--threads", f.threads, "0: all cores; never changes a number");
}

void add_later_flags(Flags& flags) {
  const std::string later = " planned and not yet in this version; ";
  for (const char* flag :
       {"--variance", "--std", "--targets", "--aleatoric", "--epistemic", "--variance-samples"}) {
    flags.later(flag, std::string(flag) +
                          " belongs to a regression; give --mean and --targets, or --errors, as well");
  }
  flags.later("--reference",
              "--reference: comparison with a reference set is" + later + "evaluate the two sets one by one");
  flags.later("--manifest", "--manifest: manifests are" + later + "give several files to a flag");
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
  o.leave_out = f.leave_out == "vote" ? LeaveOut::kVote : LeaveOut::kItem;
  o.null = f.null == "model" ? NullKind::model : NullKind::signs;
  o.memory = available_memory();
  o.bandwidth_rule = f.bandwidth_rule == "auto" ? BandwidthRule::votes : BandwidthRule::likelihood;
  return o;
}

Value bandwidth_setting(const EvaluateOptions& o, const std::string& for_what) {
  if (o.bandwidth > 0) return o.bandwidth;
  return std::string(o.bandwidth_rule == BandwidthRule::votes ? "auto" : "likelihood") + for_what;
}

}  // namespace plumb::cli
