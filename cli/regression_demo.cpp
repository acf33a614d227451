// `plumb demo regression`.
#include <filesystem>

#include "commands.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/simulate/needles.hpp"
#include "regression.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr std::int64_t kFewest = 60, kMost = 1'000'000;

constexpr const char* kReadme =
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
  mend them
    plumb calibrate fit --method sigma --mean @DIR@/validation/mean.npy --aleatoric @DIR@/validation/aleatoric.npy --epistemic @DIR@/validation/epistemic.npy --targets @DIR@/validation/targets.npy -o sigma.json
    plumb calibrate apply sigma.json --aleatoric @DIR@/test/aleatoric.npy --epistemic @DIR@/test/epistemic.npy -o variance.npy
    plumb evaluate --mean @DIR@/test/mean.npy --variance variance.npy --targets @DIR@/test/targets.npy
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

void write_part(const Needles& c, std::int64_t first, const std::filesystem::path& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error)
    throw InputError("cannot make the directory " + dir.string() + ": " + error.message() +
                     "; give another with --out");
  const std::vector<std::int64_t> matrix{c.items, Needles::kOutputs},
      passes{c.passes, c.items, Needles::kOutputs};
  write_npy((dir / "targets.npy").string(), std::span<const double>(c.targets), matrix);
  write_npy((dir / "mean.npy").string(), std::span<const double>(c.mean), matrix);
  write_npy((dir / "aleatoric.npy").string(), std::span<const double>(c.aleatoric), matrix);
  write_npy((dir / "epistemic.npy").string(), std::span<const double>(c.epistemic), matrix);
  write_npy((dir / "mean_samples.npy").string(), std::span<const float>(c.mean_samples), passes);
  write_npy((dir / "variance_samples.npy").string(), std::span<const float>(c.variance_samples), passes);
  std::string items = "id,patient,site\n";
  for (std::int64_t i = 0; i < std::ssize(c.patient); ++i)
    items += "frame-" + std::to_string(first + i) + "," + c.patient[i] + "," + c.site[i] + "\n";
  write_file((dir / "items.csv").string(), items);
}

}  // namespace

int demo_regression_command(const Args& args) {
  Flags flags(
      "demo regression",
      "Writes a simulated regression to try things on: two outputs, ten passes, variances too small.");
  std::string out = "demo-regression";
  NeedleOptions options;
  bool quiet = false;
  flags.text("--out", "DIR", out, "where to [" + out + "]");
  flags.whole("--items", options.items, "a third for validation, the rest for test");
  flags.seed("--seed", options.seed, "of the random numbers");
  flags.yes("--quiet", quiet, "say nothing");
  flags.examples("Example:\n  plumb demo regression --out needles");
  if (!flags.parse(args)) return kDone;
  if (options.items < kFewest || options.items > kMost)
    throw InputError("--items must lie between " + std::to_string(kFewest) + " and " + std::to_string(kMost) +
                     ", not " + std::to_string(options.items));
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  if (out.empty()) throw InputError("--out needs the name of a directory");
  const Needles all = simulate_needles(options);
  const std::int64_t cut = options.items / 3 / 20 * 20;  // at the border of a patient
  const std::filesystem::path dir(out);
  write_part(slice(all, 0, cut), 0, dir / "validation");
  write_part(slice(all, cut, all.items), cut, dir / "test");
  const std::string readme = replaced(kReadme, "@DIR@", out);
  write_file((dir / "README.txt").string(), readme);
  if (quiet) return kDone;
  write_stdout("Wrote " + out + "/validation (" + counted(cut, "item") + ") and " + out + "/test (" +
               counted(all.items - cut, "item") + "); " + out + "/README.txt tells what is in them.\n\n" +
               readme.substr(readme.find("Try,")));
  return kDone;
}

}  // namespace plumb::cli
