#include "plumb/calibrate/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "calibrate/passes.hpp"
#include "calibrate/rows.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

void detail::need_two(const Step& step, int classes) {
  if (classes == 2) return;
  throw InputError(fmt::format("the model's {} step is for two classes, not {}", step.method, classes));
}

std::unique_ptr<CalibrationMap> make_map(const Step& step, int classes) {
  if (classes < 2)
    throw InputError(fmt::format("a calibration model needs two classes or more, not {}", classes));
  const CalibratorRow* row = find_calibrator(step.method);
  if (row != nullptr && row->map != nullptr) return row->map(step, classes);
  throw InputError(fmt::format("the model has a step \"{}\", which this version does not know", step.method));
}

CalibrationModel model_of(Step step, std::int64_t classes) {
  CalibrationModel model;
  model.classes = classes;
  model.steps.push_back(std::move(step));
  return model;
}

Pipeline::Pipeline(const CalibrationModel& model)
    : classes_(narrow<int>(model.classes)), name_(model.name.empty() ? "the model" : model.name) {
  maps_.reserve(model.steps.size());
  try {
    for (const Step& step : model.steps) maps_.push_back(make_map(step, classes_));
  } catch (const InputError& e) {
    throw InputError(model.name.empty() ? e.sentence() : model.name + ": " + e.sentence());
  }
}

void Pipeline::apply(const Predictions& predictions, std::int64_t begin, std::int64_t end,
                     PredictionBlock& out) const {
  const int passes = predictions.samples();
  if (passes <= 1) return apply_once(predictions, begin, end, out);
  // The mean is taken in the order of Predictions::read, so that it has the bits of calibrated passes.
  PredictionBlock pass;
  for (int s = 0; s < passes; ++s) {
    apply_once(detail::one_pass(predictions, s), begin, end, s == 0 ? out : pass);
    for (std::size_t i = 0; s > 0 && i < out.z.size(); ++i) out.z[i] += pass.z[i];
  }
  for (double& z : out.z) z /= passes;
}

void Pipeline::apply_once(const Predictions& predictions, std::int64_t begin, std::int64_t end,
                          PredictionBlock& out) const {
  if (predictions.classes() != classes_)
    throw InputError(
        fmt::format("the model is for {} classes but {} has {}", classes_,
                    predictions.sources().empty() ? "the prediction" : predictions.sources().front().name(),
                    predictions.classes()));
  const bool logits = !maps_.empty() && maps_.front()->input() == Scale::logit;
  if (!logits) {
    predictions.read(begin, end, out);
  } else {
    thread_local ScoreBlock scores;
    read_scores(predictions, begin, end, scores);
    out.size = scores.size;
    out.width = scores.width;
    out.z.resize(scores.u.size());
    maps_.front()->apply(scores.u, scores.width, out.z);
  }
  for (std::size_t i = logits ? 1 : 0; i < maps_.size(); ++i) {
    if (maps_[i]->input() == Scale::logit) scores_of(out.z, out.width, out.z);
    maps_[i]->apply(out.z, out.width, out.z);
  }
  // Parameters are finite, but values such as 1e308 can give inf - inf. Sums of rounded weights may exceed 1
  // a little.
  constexpr double kRounding = 1e-9;
  const auto bad = std::find_if(out.z.begin(), out.z.end(),
                                [](double z) { return !(z >= -kRounding && z <= 1 + kRounding); });
  if (bad == out.z.end()) return;
  throw InputError(fmt::format(
      "{} is not a usable calibrator: it turns {} into {}, which is not a probability; fit it again with plumb calibrate fit",
      name_, predictions.sources().front().where(begin + (bad - out.z.begin()) / out.width), show(*bad)));
}

void check_fits(const CalibrationModel& model, const Predictions& p) {
  if (p.sources().empty()) throw InputError("there are no predictions to apply " + model.name + " to");
  if (model.steps.empty()) throw InputError(model.name + " has no steps; fit a model first");
  const std::string name = p.sources().front().name();
  if (model.task == "regression")
    throw InputError(
        model.name +
        " is a calibrator of variances; give it ⟦variance⟧ or ⟦std⟧ instead of class predictions");
  if (p.classes() != model.classes)
    throw InputError(
        fmt::format("{} is for {} classes but {} has {}", model.name, model.classes, name, p.classes()));
  // A shift of a row of logits changes nothing for the others, so log-probabilities serve as well.
  const std::string& first = model.steps.front().method;
  const bool logits = p.scale() == Scale::logit;
  if ((first == "vector" || first == "matrix") && (model.input == "logits") != logits)
    throw InputError(fmt::format("{} begins with a {} step that was fitted on {}; give {} instead of {}",
                                 model.name, first, model.input, opt(logits ? "probs" : "logits"), name));
}

namespace {

/// One pass behind the model, held in memory.
Rows calibrated_pass(const Pipeline& pipeline, const Items& items, const Predictions& predictions,
                     const std::string& name, int threads) {
  const std::int64_t n = items.size();
  const std::int64_t width = predictions.width();
  // Pages are first touched by the workers:
  // zeros written by one of them would cost as much as the map itself.
  const std::size_t numbers = n * width;
  const std::shared_ptr<double[]> owned(new double[numbers]);
  prefer_huge_pages(owned.get(), numbers * sizeof(double));
  const std::span z(owned.get(), numbers);
  std::vector<PredictionBlock> blocks(resolve_threads(threads));
  parallel_blocks(n, block_rows(items), threads, [&](int worker, std::int64_t begin, std::int64_t end) {
    PredictionBlock& block = blocks[worker];
    pipeline.apply(predictions, begin, end, block);
    std::copy(block.z.begin(), block.z.end(), z.begin() + begin * width);
  });
  const std::vector<std::int64_t> shape =
      width == 1 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, width};
  Array array = view_of(std::span<const double>(z), shape, name);
  array.owner = owned;
  return Rows(std::move(array));
}

}  // namespace

Items calibrated(const Items& items, const CalibrationModel& model, int threads) {
  const Pipeline pipeline(model);
  const Predictions& p = items.predictions;
  std::vector<Rows> passes;
  for (int s = 0; s < p.samples(); ++s)
    passes.push_back(calibrated_pass(pipeline, items, detail::one_pass(p, s),
                                     p.sources()[s].name() + " (calibrated)", threads));
  Items out = items;
  out.predictions = Predictions(std::move(passes), Scale::probability);
  return out;
}

}  // namespace plumb
