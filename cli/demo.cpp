#include <charconv>
#include <filesystem>

#include "demo_data.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/io/plugin.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/simulate/cohort.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kCohortReadme =
    R"(A simulated cohort: cells on blood smears, seen by 3 to 7 raters each, and a model that
names the kind of cell. Nothing here was measured. The model is over-confident, the
raters sometimes disagree, and the slides of one site (harbour) are poor.

validation/ and test/ hold the same files for different patients:
  probs.npy    N x 8 float32   the model's probabilities; rows sum to 1
  logits.npy   N x 8 float32   the logits they came from
  counts.npy   N x 8 int64     votes per class
  labels.npy   N uint8         the majority vote
  votes.csv    text            one column per rater, the class by name; empty: not rated
  items.csv    text            id, patient, site
  predictions.csv  text        id and the probabilities by class (p_*): a table of predictions
  predictions.parquet          the same as Parquet (written where the plugin for Parquet is built)
  annotations.csv  text        one row per vote (image, annotator, choice), as annotation tools export them
classes.txt holds the names of the classes 0 to 7: @CLASSES@

Try, from the folder above this one:
  the model against all votes, patients as the unit of resampling, results by site
    plumb evaluate --probs @DIR@/test/probs.npy --counts @DIR@/test/counts.npy --classes @DIR@/classes.txt --groups @DIR@/test/items.csv:patient --by @DIR@/test/items.csv:site --bootstrap 200
  the same votes as the raters gave them
    plumb evaluate --logits @DIR@/test/logits.npy --ratings "@DIR@/test/votes.csv:rater_*" --classes @DIR@/classes.txt
  the export of an annotation tool, joined with the predictions by id
    plumb evaluate --probs "@DIR@/test/predictions.csv:p_*" --ids @DIR@/test/predictions.csv:id --annotations @DIR@/test/annotations.csv:image,annotator,choice
  the majority label alone, as a gate: exit code 3 when it fails
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

std::string cell_name(std::int64_t number) { return "cell-" + std::to_string(number); }

/// Rater by rater, as they worked; so the rows are in another order than the predictions.
std::string annotations_csv(const Cohort& c, std::int64_t first) {
  std::string out = "image,annotator,choice\n";
  for (int r = 0; r < c.raters; ++r)
    for (std::int64_t i = 0; i < c.items; ++i)
      if (const auto choice = c.ratings[i * c.raters + r]; choice >= 0)
        out += cell_name(first + i) + ",rater_" + std::to_string(r + 1) + "," + c.class_names[choice] + "\n";
  return out;
}

std::vector<std::string> columns_of_probs(const Cohort& c) {
  std::vector<std::string> out;
  for (const std::string& name : c.class_names) out.push_back("p_" + name);
  return out;
}

std::string predictions_csv(const Cohort& c, std::int64_t first) {
  std::string out = "id";
  for (const std::string& name : columns_of_probs(c)) out += "," + name;
  out += "\n";
  char digits[32];
  for (std::int64_t i = 0; i < c.items; ++i) {
    out += cell_name(first + i);
    for (int k = 0; k < c.classes(); ++k) {
      const auto end = std::to_chars(digits, digits + sizeof digits, c.probs[i * c.classes() + k]).ptr;
      out.append(",").append(digits, end);
    }
    out += "\n";
  }
  return out;
}

void write_predictions_parquet(const std::string& path, const Cohort& c, std::int64_t first) {
  TableFile file(path, {c.items, c.classes()}, columns_of_probs(c),
                 [first](std::int64_t row) { return cell_name(first + row); });
  file.write(std::vector<double>(c.probs.begin(), c.probs.end()));
  file.commit();
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
  write_file(file("predictions.csv"), predictions_csv(c, first));
  if (has_plugin("arrow")) write_predictions_parquet(file("predictions.parquet"), c, first);
  write_file(file("annotations.csv"), annotations_csv(c, first));
}

}  // namespace

int demo_command(const Args& args) {
  if (!args.empty() && args[0] == "regression")
    return demo_regression_command({args.begin() + 1, args.end()});
  if (!args.empty() && !args[0].starts_with('-')) return demo_data_command(args);
  Flags flags(
      "demo",
      "Writes a simulated cohort to try Plumb on: 8 classes, 3 to 7 raters, an over-confident model.\n"
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
