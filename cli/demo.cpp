#include <filesystem>

#include "demo_data.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/simulate/cohort.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kCohortReadme =
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
classes.txt holds the names of the classes 0 to 7: @CLASSES@

Try, from the folder above this one:
  the model against all votes, patients as the unit of resampling, results by site
    plumb evaluate --probs @DIR@/test/probs.npy --counts @DIR@/test/counts.npy --classes @DIR@/classes.txt --groups @DIR@/test/items.csv:patient --by @DIR@/test/items.csv:site --bootstrap 200
  the same votes as the raters gave them
    plumb evaluate --logits @DIR@/test/logits.npy --ratings "@DIR@/test/votes.csv:rater_*" --classes @DIR@/classes.txt
  the majority label alone, as a gate: exit code 3 when it holds
    plumb evaluate --probs @DIR@/test/probs.npy --labels @DIR@/test/labels.npy --fail-if "ece>0.05"
  what is in a file
    plumb describe @DIR@/test/votes.csv
)";

constexpr const char* kNext = R"(Next:
  plumb evaluate --probs @DIR@/test/probs.npy --counts @DIR@/test/counts.npy
  plumb evaluate --probs @DIR@/test/probs.npy --counts @DIR@/test/counts.npy --classes @DIR@/classes.txt --groups @DIR@/test/items.csv:patient --by @DIR@/test/items.csv:site --bootstrap 200
)";

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

void write_cohort(const Cohort& c, std::int64_t first, const std::filesystem::path& dir) {
  make_folder(dir);
  const auto file = [&](const char* name) { return (dir / name).string(); };
  const std::vector<std::int64_t> matrix{c.items, c.classes()}, column{c.items};
  write_npy(file("probs.npy"), c.probs, matrix);
  write_npy(file("logits.npy"), c.logits, matrix);
  write_npy(file("counts.npy"), c.counts, matrix);
  write_npy(file("labels.npy"), c.labels, column);
  write_file(file("votes.csv"), votes_csv(c));
  write_file(file("items.csv"), patients_csv("cell-", first, c.patient, c.site));
}

}  // namespace

int demo_command(const Args& args) {
  if (!args.empty() && args[0] == "regression")
    return demo_regression_command({args.begin() + 1, args.end()});
  if (!args.empty() && !args[0].starts_with('-')) return demo_data_command(args);
  Flags flags(
      "demo",
      "Writes a simulated cohort to try things on: 8 classes, 3 to 7 raters, an over-confident model.\n"
      "\"plumb demo regression\" writes a simulated regression instead; \"plumb demo faces\", digits, linear-model,\n"
      "regression-images and segmentation write data to train on.");
  DemoOptions options{.out = "demo", .items = CohortOptions{}.items};
  add_demo_flags(flags, options, false, kItemsOfTwoParts);
  flags.examples(
      "Example:\n  plumb demo --out demo\n  plumb evaluate --probs demo/test/probs.npy --counts demo/test/counts.npy");
  if (!flags.parse(args)) return kDone;
  check_demo(options, kFewestOfTwoParts);
  const Cohort cohort = simulate_cohort({.items = options.items, .seed = options.seed});
  const std::int64_t cut = validation_size(cohort);
  const std::filesystem::path dir(options.out);
  write_cohort(slice(cohort, 0, cut), 0, dir / "validation");
  write_cohort(slice(cohort, cut, cohort.items), cut, dir / "test");
  write_file((dir / "classes.txt").string(), separated(cohort.class_names, "\n") + "\n");
  finish_two_parts(options, cut, filled_in(kCohortReadme, "@CLASSES@", separated(cohort.class_names, ",")),
                   kNext);
  return kDone;
}

}  // namespace plumb::cli
