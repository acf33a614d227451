// Calibrators for labels that are ambiguous (arXiv 2603.22879): known fits on other targets. Their steps are
// those of the fits themselves, so that they are saved, applied and exported as these are.
//   dirichlet-soft, temperature-soft  each item counts once, with its share of votes for each class
//   temperature-drawn                 one vote of each item, drawn by (seed, row)
//   temperature-smooth                the majority label alone, smoothed by the model's own doubt
#include <algorithm>
#include <cmath>

#include "calibrate/ballots.hpp"
#include "calibrate/rows.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kTargetBlock = 4096;

std::vector<double> weights_of_items(const Items& items) {
  std::vector<double> out(items.size(), 1.0);
  if (!items.weights.empty()) items.weights.read(0, items.size(), out);
  return out;
}

Rows rows_of_weights(std::vector<double> weight, const Items& items) {
  const auto n = static_cast<std::int64_t>(weight.size());
  return Rows(array_of(std::move(weight), {n}, items.votes.rows().name() + " (weights)"));
}

/// An item's votes weigh what the item does: 1/n each.
Items with_shares(const Items& items) {
  std::vector<double> weight = weights_of_items(items);
  VoteBlock votes;
  for (std::int64_t begin = 0; begin < items.size(); begin += kTargetBlock) {
    const std::int64_t end = std::min(items.size(), begin + kTargetBlock);
    items.votes.read(begin, end, votes);
    for (std::int64_t i = 0; i < end - begin; ++i)
      if (const std::uint32_t n = votes.votes(i); n > 1) weight[begin + i] /= n;
  }
  Items out = items;
  out.weights = rows_of_weights(std::move(weight), items);
  return out;
}

Items with_drawn_votes(const Items& items, std::uint64_t seed) {
  const std::int64_t n = items.size(), classes = items.classes();
  std::vector<std::int64_t> counts(n * classes);
  VoteBlock votes;
  for (std::int64_t begin = 0; begin < n; begin += kTargetBlock) {
    const std::int64_t end = std::min(n, begin + kTargetBlock);
    items.votes.read(begin, end, votes);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const std::uint32_t total = votes.votes(i);
      if (total == 0) continue;
      std::uint32_t cls = votes.single ? votes.cls[i] : 0;
      if (!votes.single) {
        auto left = static_cast<std::uint32_t>(random_uniform(seed, Purpose::sample, 1, begin + i) * total);
        std::uint32_t e = votes.offset[i];
        while (left >= votes.count[e]) left -= votes.count[e++];
        cls = votes.cls[e];
      }
      counts[(begin + i) * classes + cls] = 1;
    }
  }
  Items out = items;
  out.votes = Votes::from_counts(Rows(array_of(std::move(counts), {n, classes}, items.votes.rows().name())),
                                 items.classes());
  return out;
}

/// (1 - e) of the majority label (ties: shared) and e/K of every class, with e = 1 - max z, to one in kWhole.
Items with_smoothed_majority(const Items& items) {
  constexpr std::int64_t kWhole = 1'000'000;
  const std::int64_t n = items.size(), classes = items.classes();
  std::vector<std::int64_t> counts(n * classes);
  std::vector<double> weight = weights_of_items(items);
  ItemBlock block;
  std::vector<std::uint32_t> top;
  for (std::int64_t begin = 0; begin < n; begin += kTargetBlock) {
    read_items(items, begin, std::min(n, begin + kTargetBlock), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      block.votes.majority_classes(i, top);
      if (top.empty()) continue;
      const double* z = block.z.z.data() + i * block.z.width;
      const double sure = block.z.width == 1 ? std::max(z[0], 1 - z[0]) : *std::max_element(z, z + classes);
      const auto even =
          static_cast<std::int64_t>(std::floor(kWhole * (1 - sure) / static_cast<double>(classes)));
      std::int64_t* const row = counts.data() + (begin + i) * classes;
      std::fill(row, row + classes, even);
      std::int64_t left = kWhole - even * classes;
      for (std::size_t t = 0; t < top.size(); ++t) {
        const std::int64_t part = left / static_cast<std::int64_t>(top.size() - t);
        row[top[t]] += part;
        left -= part;
      }
      weight[begin + i] /= kWhole;
    }
  }
  Items out = items;
  out.votes = Votes::from_counts(Rows(array_of(std::move(counts), {n, classes}, items.votes.rows().name())),
                                 items.classes());
  out.weights = rows_of_weights(std::move(weight), items);
  return out;
}

/// The fit on other targets reports the votes that were given, and what the targets are.
Step fit_targets(const CalibratorRow& row, const Items& targets, const Items& given,
                 const FitOptions& options, const char* what) {
  Step step = row.fit(targets, options);
  step.fit.votes = tally(given, options.threads).votes;
  step.fit.options.emplace_back("targets", std::string(what));
  return step;
}

Step fit_dirichlet_soft(const Items& items, const FitOptions& o) {
  return fit_targets(kDirichlet, with_shares(items), items, o, "vote shares");
}
Step fit_temperature_soft(const Items& items, const FitOptions& o) {
  return fit_targets(kTemperature, with_shares(items), items, o, "vote shares");
}
Step fit_temperature_drawn(const Items& items, const FitOptions& o) {
  return fit_targets(kTemperature, with_drawn_votes(items, o.seed), items, o, "one drawn vote");
}
Step fit_temperature_smooth(const Items& items, const FitOptions& o) {
  return fit_targets(kTemperature, with_smoothed_majority(items), items, o, "smoothed majority");
}

MapPtr map_as_temperature(const Step& step, int classes) { return kTemperature.map(step, classes); }
MapPtr map_as_dirichlet(const Step& step, int classes) {
  return (step.method == "beta" ? kBeta : kDirichlet).map(step, classes);
}
void onnx_as_temperature(OnnxFlow& flow, const Step& step) { kTemperature.onnx(flow, step); }
void onnx_as_dirichlet(OnnxFlow& flow, const Step& step) {
  (step.method == "beta" ? kBeta : kDirichlet).onnx(flow, step);
}

}  // namespace

constinit const CalibratorRow kDirichletSoft{
    "dirichlet-soft",     Tasks::any,
    Complexity::per_pair, {"lambda_b", "lambda_w", "prior_votes"},
    fit_dirichlet_soft,   map_as_dirichlet,
    onnx_as_dirichlet,    "dirichlet on shares of votes: each item counts once, however many raters it had"};

constinit const CalibratorRow kTemperatureSoft{
    "temperature-soft",
    Tasks::any,
    Complexity::one,
    {"prior_votes"},
    fit_temperature_soft,
    map_as_temperature,
    onnx_as_temperature,
    "temperature on shares of votes: each item counts once, however many raters it had"};

constinit const CalibratorRow kTemperatureDrawn{
    "temperature-drawn",   Tasks::any,
    Complexity::one,       {"prior_votes"},
    fit_temperature_drawn, map_as_temperature,
    onnx_as_temperature,   "temperature on one vote of each item, drawn at random"};

constinit const CalibratorRow kTemperatureSmooth{
    "temperature-smooth",
    Tasks::any,
    Complexity::one,
    {"prior_votes"},
    fit_temperature_smooth,
    map_as_temperature,
    onnx_as_temperature,
    "temperature on majority labels that are smoothed by the model's own doubt, for labels without votes"};

}  // namespace plumb::detail
