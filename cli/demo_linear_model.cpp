#include "demo_data.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/simulate/linear_model.hpp"

namespace plumb::cli {
namespace {

constexpr DemoProportions kLinearModelParts{500, 500, 2000};
constexpr std::int64_t kMostDimensions = 100'000;

constexpr const char* kLinearModelReadme =
    R"(The linear model of Liu et al. 2022, appendix B: standard normal features, of which the first decides the probability,
p = 1 / (1 + exp(-x_0)), and labels drawn with it. With as many features as items a logistic regression first learns the
probabilities and then memorises the labels.

train/, validation/ and test/ hold
  features.npy  N x d float32
  labels.npy    N uint8
  truth.npy     N float64      the probabilities

Try, from the folder above this one:
  how well the true probabilities do: no model can beat them by more than chance
    plumb evaluate --probs @DIR@/test/truth.npy --labels @DIR@/test/labels.npy
  a logistic regression, trained for too long
    plumb train --data @DIR@ --model linear --raw --weight-decay 0 --patience 0 --epochs 500 --out runs/linear
)";

}  // namespace

int demo_linear_model_command(const Args& args) {
  Flags flags(
      "demo linear-model",
      "Writes high-dimensional linear data on which training first learns the probabilities and then memorises the labels.");
  DemoOptions options{.out = "linear-model", .items = total(kLinearModelParts)};
  std::int64_t dimension = 500;
  flags.integer("--dimension", dimension, "number of features, one of which is informative");
  add_demo_flags(flags, options, false);
  flags.examples("Example:\n  plumb demo linear-model --out linear-model");
  if (!flags.parse(args)) return kDone;
  between("--dimension", dimension, 1, kMostDimensions);
  const std::vector<DemoPart> parts = make_parts(options, kLinearModelParts);
  for (const DemoPart& part : parts) {
    const LinearModelData data = simulate_linear_model({part.items, dimension, part.seed});
    write_npy(part.file("features.npy"), data.features, std::array{part.items, dimension});
    write_npy(part.file("labels.npy"), data.labels, std::array{part.items});
    write_npy(part.file("truth.npy"), data.truth, std::array{part.items});
  }
  finish_demo(options, parts, kLinearModelReadme);
  return kDone;
}

}  // namespace plumb::cli
