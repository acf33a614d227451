// `plumb demo regression`.
#include <filesystem>

#include "demo_data.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/simulate/needles.hpp"

namespace plumb::cli {
namespace {

constexpr std::string_view kNeedlesReadme =
    R"(Simulated needle tips: x and y of a tip in millimetres, as a network with dropout saw them in ten passes.
Nothing here was measured. The predicted spread is half of the true one, and worse at one site (harbour).

validation/ and test/ hold the same files for different patients:
  targets.npy           N x 2        where the tip was
  mean.npy              N x 2        mean of the passes
  aleatoric.npy         N x 2        variance due to the image: mean over the passes
  epistemic.npy         N x 2        variance due to the model: 1/S variance of the means
  mean_samples.npy      10 x N x 2   the passes themselves (float32)
  variance_samples.npy  10 x N x 2
  items.csv             text         id, patient, site

Try, from the folder above this one:
  can the variances be trusted?
    plumb evaluate --mean @DIR@/test/mean.npy --aleatoric @DIR@/test/aleatoric.npy --epistemic @DIR@/test/epistemic.npy --targets @DIR@/test/targets.npy --by @DIR@/test/items.csv:site
  the same from the passes, with intervals, patients as the unit
    plumb evaluate --mean-samples @DIR@/test/mean_samples.npy --variance-samples @DIR@/test/variance_samples.npy --targets @DIR@/test/targets.npy --groups @DIR@/test/items.csv:patient --bootstrap 200
  calibrate them
    plumb calibrate fit --method sigma --mean @DIR@/validation/mean.npy --aleatoric @DIR@/validation/aleatoric.npy --epistemic @DIR@/validation/epistemic.npy --targets @DIR@/validation/targets.npy -o sigma.json
    plumb calibrate apply sigma.json --aleatoric @DIR@/test/aleatoric.npy --epistemic @DIR@/test/epistemic.npy -o variance.npy
    plumb evaluate --mean @DIR@/test/mean.npy --variance variance.npy --targets @DIR@/test/targets.npy
)";

void write_needles(const Needles& c, std::int64_t first, const std::filesystem::path& dir) {
  make_folder(dir);
  const auto file = [&](const char* name) { return (dir / name).string(); };
  const std::vector<std::int64_t> matrix{c.items, Needles::kOutputs},
      passes{c.passes, c.items, Needles::kOutputs};
  write_npy(file("targets.npy"), c.targets, matrix);
  write_npy(file("mean.npy"), c.mean, matrix);
  write_npy(file("aleatoric.npy"), c.aleatoric, matrix);
  write_npy(file("epistemic.npy"), c.epistemic, matrix);
  write_npy(file("mean_samples.npy"), c.mean_samples, passes);
  write_npy(file("variance_samples.npy"), c.variance_samples, passes);
  write_file(file("items.csv"), patients_csv("frame-", first, c.patient, c.site));
}

}  // namespace

int demo_regression_command(const Args& args) {
  Flags flags("demo regression",
              "Writes a simulated regression to try Plumb on: two outputs, ten passes, variances too small.");
  DemoOptions options{.out = "demo-regression", .items = NeedleOptions{}.items};
  add_demo_flags(flags, options, false, kItemsOfTwoParts);
  flags.examples("Example:\n  plumb demo regression --out needles");
  if (!flags.parse(args)) return kDone;
  check_demo(options, kFewestOfTwoParts);
  const Needles all = simulate_needles({.items = options.items, .seed = options.seed});
  const std::int64_t cut = options.items / 3 / 20 * 20;  // at the border of a patient
  const std::filesystem::path dir(options.out);
  write_needles(slice(all, 0, cut), 0, dir / "validation");
  write_needles(slice(all, cut, all.items), cut, dir / "test");
  finish_two_parts(options, cut, kNeedlesReadme,
                   "\n" + std::string(kNeedlesReadme.substr(kNeedlesReadme.find("Try,"))));
  return kDone;
}

}  // namespace plumb::cli
