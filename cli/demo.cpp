#include <filesystem>

#include "commands.hpp"
#include "demo_data.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/simulate/cohort.hpp"
#include "regression.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr std::int64_t kFewest = 60, kMost = 1'000'000;

constexpr const char* kReadme =
    R"(A simulated cohort: cells on blood smears, seen by 3 to 7 raters each, and a model that
names the kind of cell. Nothing here was measured. The model is too sure of itself, the
raters disagree now and then, and the slides of one site (harbour) are poor.

validation/ and test/ hold the same files for different patients:
  probs.npy    N x 8 float32   the model's probabilities; rows sum to 1
  logits.npy   N x 8 float32   the logits they came from
  counts.npy   N x 8 int64     votes per class
  labels.npy   N uint8         the majority vote
  votes.csv    text            one column per rater, the class by name; empty: not rated
  items.csv    text            id, patient, site

Classes 0 to 7: @CLASSES@

Try, from the folder above this one:
  the model against all votes, patients as the unit of resampling, results by site
    plumb evaluate --probs @DIR@/test/probs.npy --counts @DIR@/test/counts.npy --groups @DIR@/test/items.csv:patient --by @DIR@/test/items.csv:site --bootstrap 200
  the same votes as the raters gave them
    plumb evaluate --logits @DIR@/test/logits.npy --ratings "@DIR@/test/votes.csv:rater_*" --classes @CLASSES@
  the majority label alone, as a gate: exit code 3 when it holds
    plumb evaluate --probs @DIR@/test/probs.npy --labels @DIR@/test/labels.npy --fail-if "ece>0.05"
  what is in a file
    plumb describe @DIR@/test/votes.csv
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

std::string votes_csv(const Cohort& c) {
  std::string out;
  for (int r = 0; r < c.raters; ++r) out += (r == 0 ? "rater_" : ",rater_") + std::to_string(r + 1);
  out += "\n";
  for (std::int64_t i = 0; i < std::ssize(c.ratings); ++i) {
    const bool last = (i + 1) % c.raters == 0;
    if (c.ratings[i] >= 0) out += c.class_names[c.ratings[i]];
    out += last ? "\n" : ",";
  }
  return out;
}

std::string items_csv(const Cohort& c, std::int64_t first) {
  std::string out = "id,patient,site\n";
  for (std::int64_t i = 0; i < std::ssize(c.patient); ++i)
    out += "cell-" + std::to_string(first + i) + "," + c.patient[i] + "," + c.site[i] + "\n";
  return out;
}

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw InputError("cannot make the directory " + path.string() + ": " + error.message() +
                     "; give another with --out");
}

void write_part(const Cohort& c, std::int64_t first, const std::filesystem::path& dir) {
  make_directory(dir);
  const std::int64_t n = c.items, k = c.classes();
  const std::vector<std::int64_t> matrix{n, k}, column{n};
  write_npy((dir / "probs.npy").string(), std::span<const float>(c.probs), matrix);
  write_npy((dir / "logits.npy").string(), std::span<const float>(c.logits), matrix);
  write_npy((dir / "counts.npy").string(), std::span<const std::int64_t>(c.counts), matrix);
  write_npy((dir / "labels.npy").string(), std::span<const std::uint8_t>(c.labels), column);
  write_file((dir / "votes.csv").string(), votes_csv(c));
  write_file((dir / "items.csv").string(), items_csv(c, first));
}

}  // namespace

int demo_command(const Args& args) {
  if (!args.empty() && args[0] == "regression")
    return demo_regression_command({args.begin() + 1, args.end()});
  if (!args.empty() && !args[0].starts_with('-')) return demo_data_command(args);
  Flags flags(
      "demo",
      "Writes a simulated cohort to try things on: 8 classes, 3 to 7 raters, an over-confident model.\n"
      "\"plumb demo regression\" writes a simulated regression instead; \"plumb demo faces\", digits, "
      "linear-model,\n"
      "regression-images and segmentation write data to train on.");
  std::string out = "demo";
  CohortOptions options;
  bool quiet = false;
  flags.text("--out", "DIR", out, "where to [" + out + "]");
  flags.whole("--items", options.items, "a third for validation, the rest for test");
  flags.seed("--seed", options.seed, "of the random numbers");
  flags.yes("--quiet", quiet, "say nothing");
  flags.examples(
      "Example:\n  plumb demo --out demo\n  plumb evaluate --probs demo/test/probs.npy --counts "
      "demo/test/counts.npy");
  if (!flags.parse(args)) return kDone;
  if (options.items < kFewest || options.items > kMost) {
    throw InputError("--items must lie between " + std::to_string(kFewest) + " and " + std::to_string(kMost) +
                     ", not " + std::to_string(options.items));
  }
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  if (out.empty()) throw InputError("--out needs the name of a directory");

  const Cohort cohort = simulate_cohort(options);
  const std::int64_t cut = validation_size(cohort);
  const std::filesystem::path dir(out);
  write_part(slice(cohort, 0, cut), 0, dir / "validation");
  write_part(slice(cohort, cut, cohort.items), cut, dir / "test");
  const std::string readme =
      replaced(replaced(kReadme, "@CLASSES@", joined(cohort.class_names)), "@DIR@", out);
  write_file((dir / "README.txt").string(), readme);
  if (quiet) return kDone;
  write_stdout("Wrote " + out + "/validation (" + counted(cut, "item") + ") and " + out + "/test (" +
               counted(cohort.items - cut, "item") + "); " + out + "/README.txt tells what is in them.\n" +
               "Next:\n  plumb evaluate --probs " + out + "/test/probs.npy --counts " + out +
               "/test/counts.npy\n" + "  plumb evaluate --probs " + out + "/test/probs.npy --counts " + out +
               "/test/counts.npy --groups " + out + "/test/items.csv:patient --by " + out +
               "/test/items.csv:site --bootstrap 200\n");
  return kDone;
}

}  // namespace plumb::cli
