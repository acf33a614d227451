// `plumb calibrate apply`: streams predictions through a model by blocks.
#include <algorithm>

#include "calibrate.hpp"
#include "commands.hpp"
#include "plumb/calibrate/alpha.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/numeric/parallel.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr std::int64_t kHeld = std::int64_t{1} << 21;  // numbers in memory at a time

// A .npy of float64 that grows by blocks and appears when it is whole.
class Column {
 public:
  Column(const std::string& path, const std::vector<std::int64_t>& shape) : file_(path) {
    file_.write(npy_header(DType::f64, shape));
  }
  void write(std::span<const double> values) { file_.write(std::as_bytes(values)); }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

struct ApplyFlags {
  Args model, features;
  std::string out, out_probs, disagreement;
  std::int64_t threads = 0;
  bool quiet = false;
};

class Stream {
 public:
  Stream(const CalibrationModel& model, const Predictions& predictions, Rows features, int threads)
      : pipeline_(model), predictions_(predictions), features_(std::move(features)), threads_(threads) {
    if (model.steps.back().method == "alpha") alpha_ = &model.steps.back();
    pairs_ = predictions.binary() && predictions.sources().front().width() == 2;
  }

  [[nodiscard]] std::vector<std::int64_t> shape() const {
    const std::int64_t n = predictions_.items();
    if (pairs_) return {n, 2};
    return predictions_.binary() ? std::vector<std::int64_t>{n}
                                 : std::vector<std::int64_t>{n, predictions_.classes()};
  }

  void run(Column* probs, Column* alpha, Column* disagreement, const std::function<void(double)>& progress) {
    const std::int64_t n = predictions_.items();
    const std::int64_t width = predictions_.width(), shown = pairs_ ? 2 : width;
    const std::int64_t chunk = std::max<std::int64_t>(1, kHeld / shown);
    const std::int64_t block = std::max<std::int64_t>(1, 16384 / width);
    std::vector<double> z, a, d;
    for (std::int64_t first = 0; first < n; first += chunk) {
      const std::int64_t rows = std::min(chunk, n - first);
      z.resize(static_cast<std::size_t>(rows * shown));
      a.resize(alpha_ != nullptr ? static_cast<std::size_t>(rows) : 0);
      d.resize(disagreement != nullptr ? static_cast<std::size_t>(rows) : 0);
      parallel_blocks(rows, block, threads_, [&](int, std::int64_t begin, std::int64_t end) {
        PredictionBlock p;
        pipeline_.apply(predictions_, first + begin, first + end, p);
        const auto part = [&](std::vector<double>& v) {
          return std::span(v).subspan(v.empty() ? 0 : static_cast<std::size_t>(begin),
                                      v.empty() ? 0 : static_cast<std::size_t>(end - begin));
        };
        if (alpha_ != nullptr) alpha_concentration(*alpha_, features_, first + begin, first + end, part(a));
        if (disagreement != nullptr) {
          DisagreementForecast f;
          forecast_disagreement(p, predictions_.classes(), part(a), f);
          for (std::int64_t i = begin; i < end; ++i)
            d[static_cast<std::size_t>(i)] = f.p[static_cast<std::size_t>(i - begin) * f.columns];
        }
        write_rows(p, begin, z);
      });
      if (probs != nullptr) probs->write(z);
      if (alpha != nullptr) alpha->write(a);
      if (disagreement != nullptr) disagreement->write(d);
      if (progress) progress(static_cast<double>(first + rows) / static_cast<double>(n));
    }
  }

 private:
  void write_rows(const PredictionBlock& p, std::int64_t begin, std::vector<double>& z) const {
    if (!pairs_) {
      std::copy(p.z.begin(), p.z.end(), z.begin() + begin * p.width);
      return;
    }
    for (std::size_t i = 0; i < p.z.size(); ++i) {
      z[2 * (static_cast<std::size_t>(begin) + i)] = 1 - p.z[i];
      z[2 * (static_cast<std::size_t>(begin) + i) + 1] = p.z[i];
    }
  }

  Pipeline pipeline_;
  const Predictions& predictions_;
  Rows features_;
  int threads_;
  const Step* alpha_ = nullptr;
  bool pairs_ = false;  // N x 2 came in, N x 2 goes out
};

}  // namespace

int calibrate_apply(const Args& args) {
  Flags flags("calibrate apply",
              "Applies a model to predictions: calibrated probabilities as float64 .npy (alpha_0 when the "
              "last step is "
              "alpha).");
  InputFlags input_flags;
  ApplyFlags f;
  flags.positional("model", f.model, "what plumb calibrate fit wrote");
  add_prediction_flags(flags, input_flags);
  flags.files("--features", "FILE", f.features, "N x F, when the alpha step was fitted with features");
  flags.heading("What comes out");
  flags.text("-o,--out", "FILE", f.out,
             "probabilities, or alpha_0 (for evaluate --concentration) when the last step is alpha");
  flags.text("--out-probs", "FILE", f.out_probs, "the probabilities, when the last step is alpha");
  flags.text("--disagreement", "FILE", f.disagreement, "the chance that two raters differ, for each item");
  flags.whole("--threads", f.threads, "0: all cores; never changes a number");
  flags.yes("--quiet", f.quiet, "say nothing");
  flags.examples("Example:\n  plumb calibrate apply model.json --logits test.npy -o calibrated.npy");
  if (!flags.parse(args)) return kDone;
  if (f.model.size() != 1)
    throw InputError("plumb calibrate apply takes one model file, not " + std::to_string(f.model.size()));
  if (f.out.empty()) throw InputError("where to? Name the output with -o calibrated.npy");
  check_threads(f.threads);
  const auto threads = static_cast<int>(f.threads);
  const CalibrationModel model = load_model(f.model.front());
  const bool alpha = model.steps.back().method == "alpha";
  if (!f.out_probs.empty() && !alpha)
    throw InputError("--out-probs is for models that end with alpha; -o has the probabilities of this one");

  Inputs inputs = load_predictions(input_flags, threads);
  const Predictions& predictions = inputs.items.predictions;
  check_fits(model, f.model.front(), predictions);
  Rows features;
  if (!f.features.empty()) {
    if (!alpha || alpha_features(model.steps.back()) == 0)
      throw InputError("--features: " + f.model.front() + " was fitted without features");
    features = load_rows("--features", f.features, threads, inputs);
    check_same_rows("the predictions", predictions.items(), features.name(), features.rows());
  }
  std::vector<std::string> used = inputs.paths;
  used.push_back(f.model.front());
  check_npy("-o", f.out);
  check_npy("--out-probs", f.out_probs);
  check_npy("--disagreement", f.disagreement);
  check_not_over("-o", f.out, used);
  check_not_over("--out-probs", f.out_probs, used);
  check_not_over("--disagreement", f.disagreement, used);
  if (f.out == f.out_probs || f.out == f.disagreement ||
      (!f.out_probs.empty() && f.out_probs == f.disagreement))
    throw InputError("two outputs have the same name; give each its own");

  Stream stream(model, predictions, features, threads);
  const std::vector<std::int64_t> column{predictions.items()};
  std::optional<Column> out(std::in_place, f.out, alpha ? column : stream.shape());
  std::optional<Column> probs, pairs;
  if (!f.out_probs.empty()) probs.emplace(f.out_probs, stream.shape());
  if (!f.disagreement.empty()) pairs.emplace(f.disagreement, column);
  {
    ProgressBar bar(!f.quiet);
    stream.run(alpha ? (probs ? &*probs : nullptr) : &*out, alpha ? &*out : nullptr,
               pairs ? &*pairs : nullptr, bar.callback());
  }
  out->commit();
  if (probs) probs->commit();
  if (pairs) pairs->commit();
  if (const std::string notice = fitted_on_notice(model, f.model.front(), inputs);
      !f.quiet && !notice.empty())
    say(notice);
  return kDone;
}

}  // namespace plumb::cli
