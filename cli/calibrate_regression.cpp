#include "calibrate_regression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "calibrate.hpp"
#include "commands.hpp"
#include "pages.hpp"
#include "plumb/calibrate/model.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/calibrate/regression/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/regression/evaluate.hpp"
#include "regression_inputs.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kFitExamples = R"(Examples:
  one factor on the standard deviation
    plumb calibrate fit --method sigma --mean m.npy --variance v.npy --targets y.npy -o model.json
  a factor for each part of the variance
    plumb calibrate fit --method sigma-parts --mean m.npy --aleatoric a.npy --epistemic e.npy --targets y.npy -o model.json
  intervals that hold their level whatever the distribution
    plumb calibrate fit --method conformal --errors t.csv:E --std t.csv:uE --levels 0.9 -o model.json)";

constexpr const char* kApplyExamples = R"(Examples:
  plumb calibrate apply model.json --variance v.npy -o calibrated.npy
  plumb calibrate apply model.json --mean m.npy --variance v.npy --intervals bounds.npy --levels 0.9,0.95)";

int checked_threads(std::int64_t threads) {
  check_threads(threads);
  return static_cast<int>(threads);
}

std::vector<double> parse_levels(const Args& texts) {
  std::vector<double> out;
  for (const std::string& text : texts) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc{} || end != text.data() + text.size() || !(x > 0 && x < 1))
      throw InputError("--levels takes numbers between 0 and 1, not \"" + text + "\"");
    out.push_back(x);
  }
  return out;
}

void check_no_input(const char* flag, const std::string& path, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!path.empty() && std::filesystem::equivalent(path, input, ignored))
      throw InputError(std::string(flag) + " would write over the input " + input + "; give it another name");
  }
}

std::string one_model(const Args& given, const char* command) {
  if (given.size() != 1)
    throw InputError(std::string(command) + " takes one model file, not " + std::to_string(given.size()));
  return given.front();
}

std::optional<double> shown_value(const Result& r, const char* key) {
  for (const auto& [k, m] : r.metrics)
    if (k == key) return m.value;
  return std::nullopt;
}

/// The items with calibrated variances in place of their own.
RegressionItems with_variance(const RegressionItems& items, const VarianceMap& map) {
  const std::int64_t n = items.size(), d = items.outputs();
  std::vector<double> variance(static_cast<std::size_t>(n * d)), out;
  RegressionBlock block;
  for (std::int64_t begin = 0; begin < n; begin += block_rows(items)) {
    read_regression(items, begin, std::min(n, begin + block_rows(items)), block);
    out.resize(block.variance.size());
    map.variance(block, out);
    const auto rows = static_cast<std::size_t>(block.size);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(d); ++j)
        variance[(static_cast<std::size_t>(begin) + i) * static_cast<std::size_t>(d) + j] = out[j * rows + i];
  }
  RegressionItems calibrated = items;
  if (items.passes() > 1) throw InputError("passes are calibrated through their total");
  calibrated.aleatoric.clear();
  calibrated.epistemic = Rows();
  calibrated.total = Rows(array_of(std::move(variance), {n, d}, "calibrated variance"));
  calibrated.total_is_std = false;
  return calibrated;
}

std::string number(const std::optional<double>& x) {
  if (!x) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *x);
  return text;
}

std::string step_words(const Step& step) {
  std::string out = step.method + ":";
  for (const Parameter& p : step.parameters) {
    if (p.values.size() > 8) {
      out += " " + p.name + " (" + counted(static_cast<std::int64_t>(p.values.size()), "number") + ")";
      continue;
    }
    out += " " + p.name + " =";
    for (const double x : p.values) out += " " + number(x);
  }
  if (step.method.starts_with("sigma") && step.parameters.size() == 1)
    out += "; standard deviations are multiplied by it, variances by its square";
  return out + "\n";
}

/// Scores before and after on the fitting data, for methods that give variances.
std::string scores_text(const RegressionItems& items, const Step& step, const RegressionFitOptions& o) {
  const auto map = make_variance_map(step, items.outputs());
  if (!map->has_variance() || items.passes() > 1) return "";
  RegressionOptions options;
  options.threads = o.threads;
  options.clip = o.clip;
  options.metrics = {"nll", "zms", "uce", "coverage_90"};
  const Result before = evaluate_regression(items, options),
               after = evaluate_regression(with_variance(items, *map), options);
  std::string out = "On the data it was fitted on, which flatters it:\n";
  for (const std::string& key : options.metrics)
    out += "  " + key + std::string(12 - key.size(), ' ') + number(shown_value(before, key.c_str())) +
           " -> " + number(shown_value(after, key.c_str())) + "\n";
  return out;
}

/// The predictions before and after, on the data of the fit, and said so. Conformal models have no variance
/// to show.
void write_pages(Pages& pages, const RegressionInputs& inputs, const Step& step,
                 const RegressionFitOptions& o, const Args& args) {
  if (!pages.wanted()) return;
  const auto map = make_variance_map(step, inputs.items.outputs());
  if (!map->has_variance() || inputs.items.passes() > 1)
    throw InputError("--report and --plots show variances before and after, which " +
                     std::string(map->has_variance() ? "stochastic passes have not as such"
                                                     : "conformal intervals have not") +
                     "; apply the model and evaluate what comes out");
  RegressionOptions options;
  options.threads = o.threads;
  options.clip = o.clip;
  Result before = evaluate_regression(inputs.items, options),
         after = evaluate_regression(with_variance(inputs.items, *map), options);
  pages.finish_fit(std::move(before), std::move(after), step.method, args, inputs.infos, inputs.paths);
}

}  // namespace

bool is_regression_fit(const Args& args) {
  if (speaks_of_regression(args)) return true;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--method" && i + 1 < args.size() && find_regression_calibrator(args[i + 1]) != nullptr)
      return true;
    if (args[i].starts_with("--method=") && find_regression_calibrator(args[i].substr(9)) != nullptr)
      return true;
  }
  return false;
}

bool is_regression_apply(const Args& args) {
  return speaks_of_regression(args) || std::any_of(args.begin(), args.end(), [](const std::string& arg) {
           const std::string flag = arg.substr(0, arg.find('='));
           return flag == "--variance" || flag == "--std" || flag == "--aleatoric" || flag == "--epistemic" ||
                  flag == "--variance-samples";
         });
}

int fit_regression(const Args& args) {
  Flags flags("calibrate fit", "Mends the predicted variances of a regression; the mean is not touched.");
  RegressionFlags given;
  RegressionFitOptions options;
  std::string method, out, score = "normalized";
  Args levels;
  std::int64_t hidden = options.hidden, threads = options.threads;
  bool quiet = false;
  PageFlags page_flags;
  flags.heading("What to fit");
  flags.text("--method", "NAME", method, "a regression calibrator of \"plumb list\"");
  flags.text("-o,--out", "FILE", out, "the model file");
  flags.yes("--per-output", options.per_output,
            "sigma, sigma-laplace, sigma-aleatoric: a factor for each output");
  flags.whole("--hidden", hidden, "aux: units of the hidden layer");
  flags.number("--hold-out", options.hold_out, "aux: share kept for early stopping; 0: none");
  flags.choice("--score", {"normalized", "absolute", "one-sided"}, score, "conformal: what is ranked");
  flags.list("--levels", "0.9,0.95", levels, "conformal: levels besides 0.01 to 0.99");
  flags.number("--clip", options.clip, "raise variances below X to X");
  add_regression_flags(flags, given, true);
  flags.heading("Other");
  flags.seed("--seed", options.seed, "of the hold-out and of the network's start");
  flags.whole("--threads", threads, "0: all cores; never changes a number");
  add_page_flags(flags, page_flags);
  flags.yes("--quiet", quiet, "say nothing");
  flags.examples(kFitExamples);
  const bool help =
      std::any_of(args.begin(), args.end(), [](const auto& a) { return a == "--help" || a == "-h"; });
  if (!flags.parse(help ? Args{"--help"} : args)) return kDone;
  if (method.empty()) throw InputError("which method? Name it with --method, for example --method sigma");
  if (out.empty()) throw InputError("where to? Name the model file with -o model.json");
  const auto only = [&](const char* flag, const std::string& methods, bool fits) {
    if (flags.given(flag) && !fits)
      throw InputError(std::string(flag) + " is for " + methods + ", not for " + method);
  };
  only("--per-output", "sigma, sigma-laplace and sigma-aleatoric",
       method.starts_with("sigma") && method != "sigma-parts");
  only("--hidden", "aux", method.starts_with("aux"));
  only("--hold-out", "aux", method.starts_with("aux"));
  only("--score", "conformal", method == "conformal");
  only("--levels", "conformal", method == "conformal");
  if (hidden < 1 || hidden > 1024)
    throw InputError("--hidden must lie between 1 and 1024, not " + std::to_string(hidden));
  options.hidden = static_cast<int>(hidden);
  options.threads = checked_threads(threads);
  options.levels = parse_levels(levels);
  options.score = score == "absolute"    ? ConformalScore::absolute
                  : score == "one-sided" ? ConformalScore::one_sided
                                         : ConformalScore::normalized;
  const RegressionInputs inputs = load_regression(given, true, options.threads);
  check_no_input("-o", out, inputs.paths);
  check_distinct({{"-o", out}, {"--report", page_flags.report}});
  Pages pages(page_flags);
  pages.check_not_over(inputs.paths);
  AtomicFile file(out);
  pages.open();
  CalibrationModel model;
  model.task = "regression";
  model.input = inputs.items.has_parts() ? "parts" : "variance";
  model.version = version();
  model.steps.push_back(fit_regression_calibrator(method, inputs.items, options));
  Step& step = model.steps.back();
  step.fit.options.emplace_back("clip", options.clip);
  model.classes = options.per_output ? inputs.items.outputs() : 0;
  for (std::size_t i = 0; i < inputs.paths.size(); ++i)
    if (inputs.infos[i].flag == "--variance" || inputs.infos[i].flag == "--std" ||
        inputs.infos[i].flag == "--aleatoric" || inputs.infos[i].flag == "--variance-samples")
      model.fitted_on.push_back(sha256_file(inputs.paths[i]));
  file.write(model_text(model));
  write_pages(pages, inputs, step, options, args);
  file.commit();
  for (const std::string& warning : step.fit.warnings) say(warning);
  if (!quiet) write_stdout(step_words(step) + scores_text(inputs.items, step, options));
  return kDone;
}

int apply_regression(const Args& args) {
  Flags flags("calibrate apply",
              "Calibrated variances, and the bounds of intervals. The mean is not touched.");
  RegressionFlags given;
  Args model_given, levels_given;
  std::string out, intervals;
  std::int64_t threads = 0;
  bool quiet = false;
  flags.positional("model", model_given, "what plumb calibrate fit wrote");
  add_regression_flags(flags, given, false);
  flags.heading("What comes out");
  flags.text("-o,--out", "FILE", out, "calibrated variances, float64 .npy, N or N x d");
  flags.text("--intervals", "FILE", intervals,
             ".npy of N x L x 2 or N x d x L x 2 bounds, or .csv; needs --mean");
  flags.list("--levels", "0.9,0.95", levels_given, "of the intervals [0.95]");
  flags.whole("--threads", threads, "0: all cores; never changes a number");
  flags.yes("--quiet", quiet, "say nothing");
  flags.examples(kApplyExamples);
  const bool help =
      std::any_of(args.begin(), args.end(), [](const auto& a) { return a == "--help" || a == "-h"; });
  if (!flags.parse(help ? Args{"--help"} : args)) return kDone;
  const std::string path = one_model(model_given, "plumb calibrate apply");
  if (out.empty() && intervals.empty())
    throw InputError(
        "what should come out? Name a file for the variances with -o, or for bounds with --intervals");
  if (intervals.empty() && !levels_given.empty())
    throw InputError("--levels is for --intervals; name a file for the bounds");
  const CalibrationModel model = load_model(path);
  if (model.task != "regression" || model.steps.size() != 1)
    throw InputError(path + " is a model for " + model.task + ", but the inputs are those of a regression");
  const std::vector<double> levels =
      levels_given.empty() ? std::vector<double>{0.95} : parse_levels(levels_given);
  const RegressionInputs inputs = load_regression(given, false, checked_threads(threads));
  const RegressionItems& items = inputs.items;
  const auto map = make_variance_map(model.steps.front(), items.outputs());
  if (map->needs_parts() && !items.has_parts())
    throw InputError(path + " was fitted on the parts of the variance; give --aleatoric and --epistemic");
  if (!out.empty() && !map->has_variance())
    throw InputError(
        path + " holds conformal intervals, which have no variance; leave out -o and ask for --intervals");
  if (!intervals.empty() && items.mean.empty())
    throw InputError("the bounds of intervals lie around the mean; give it with --mean");
  auto all_inputs = inputs.paths;
  all_inputs.push_back(path);
  check_npy("-o", out);
  check_distinct({{"-o", out}, {"--intervals", intervals}});
  check_no_input("-o", out, all_inputs);
  check_no_input("--intervals", intervals, all_inputs);
  double clip = 0;
  for (const auto& [key, value] : model.steps.front().fit.options)
    if (const double* x = std::get_if<double>(&value); key == "clip" && x != nullptr) clip = *x;

  const std::int64_t n = items.size(), d = items.outputs(), count = static_cast<std::int64_t>(levels.size());
  const bool flat = d == 1 && (items.mean.empty() || items.mean.front().rank() == 1);
  const bool csv = intervals.ends_with(".csv");
  std::optional<AtomicFile> variance_file, bounds_file;
  if (!out.empty()) {
    variance_file.emplace(out);
    variance_file->write(
        npy_header(DType::f64, flat ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, d}));
  }
  if (!intervals.empty()) {
    bounds_file.emplace(intervals);
    if (csv) {
      std::string header;
      for (std::int64_t j = 0; j < d; ++j)
        for (const double level : levels) {
          const std::string end = show(level) + (d > 1 ? "_output" + std::to_string(j) : "");
          header += (header.empty() ? "low_" : ",low_") + end + ",high_" + end;
        }
      bounds_file->write(header + "\n");
    } else {
      bounds_file->write(npy_header(DType::f64, flat ? std::vector<std::int64_t>{n, count, 2}
                                                     : std::vector<std::int64_t>{n, d, count, 2}));
    }
  }
  RegressionBlock block;
  std::vector<double> variance, low, high, row_major, bounds;
  for (std::int64_t begin = 0; begin < n; begin += block_rows(items)) {
    read_regression(items, begin, std::min(n, begin + block_rows(items)), block);
    for (std::vector<double>* column : {&block.variance, &block.aleatoric})
      for (double& v : *column) v = std::max(v, clip);
    const std::size_t rows = static_cast<std::size_t>(block.size), width = static_cast<std::size_t>(d);
    const auto entries = rows * width;
    if (variance_file) {
      variance.resize(entries);
      row_major.resize(entries);
      map->variance(block, variance);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < width; ++j) row_major[i * width + j] = variance[j * rows + i];
      variance_file->write(std::as_bytes(std::span<const double>(row_major)));
    }
    if (!bounds_file) continue;
    low.resize(entries);
    high.resize(entries);
    const std::size_t each = 2 * levels.size();
    bounds.resize(entries * each);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      map->offsets(block, levels[l], low, high);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < width; ++j) {
          const double mean = block.mean[j * rows + i];
          bounds[(i * width + j) * each + 2 * l] = mean + low[j * rows + i];
          bounds[(i * width + j) * each + 2 * l + 1] = mean + high[j * rows + i];
        }
    }
    if (!csv) {
      bounds_file->write(std::as_bytes(std::span<const double>(bounds)));
      continue;
    }
    std::string text;
    for (std::size_t k = 0; k < bounds.size(); ++k)
      text += show(bounds[k]) + ((k + 1) % (width * each) == 0 ? "\n" : ",");
    bounds_file->write(text);
  }
  if (variance_file) variance_file->commit();
  if (bounds_file) bounds_file->commit();
  return kDone;
}

}  // namespace plumb::cli
