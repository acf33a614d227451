#include "rater_inputs.hpp"

#include "annotations.hpp"
#include "class_file.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::cli {
namespace {

/// Names the classes of text; returns how many classes there are.
int settle_classes(Rows& labels, Args& names, InputRecord& record) {
  labels = with_classes(std::move(labels), 0, names, record);
  if (!names.empty()) return narrow<int>(std::ssize(names));
  return count_classes(labels);
}

Names all_items(const Annotations& annotations) {
  std::vector<std::string> names = annotations.item.distinct();
  const std::int64_t n = std::ssize(names);
  return Names(Rows(array_of(std::move(names), {n}, annotations.item.source())));
}

}  // namespace

void add_rater_flags(Flags& flags, InputFlags& f) {
  flags.heading("Votes (give one)");
  flags.files("--ratings", "FILE", f.ratings,
              "N x R, the class from each rater, or one file per rater; negative or empty: not rated");
  flags.files("--annotations", "FILE", f.annotations, "one judgement per row, FILE:item,rater,label");
  flags.choice("--duplicates", {"last", "keep", "refuse"}, f.duplicates,
               "with --annotations: repeated judgements of one rater on one item");
  flags.list("--classes", "a,b,c", f.classes,
             "names of the classes 0, 1, 2, ..., or a text file with one per line [those of the votes]");
  flags.heading("Items");
  flags.files("--ids", "FILE", f.ids, "N item names; with --annotations: the items, in this order");
  flags.files("--groups", "FILE", f.groups, "N patients, images or sites: the unit of resampling");
  flags.heading("A model, to compare with the raters (optional)");
  flags.files("--probs", "FILE", f.probs, "probabilities, N x K, or N for P(class 1)");
  flags.files("--logits", "FILE", f.logits, "softmax logits, N x K, or N log-odds of class 1");
  flags.exclusive({"--probs", "--logits"});
  flags.exclusive({"--ratings", "--annotations"});
  for (const char* flag : {"--labels", "--counts"})
    flags.unavailable(
        flag, std::string(flag) + " does not say who voted; plumb raters takes --ratings or --annotations");
  flags.unavailable("--weights", "plumb raters counts every item once; leave out --weights");
}

Inputs load_rater_inputs(const InputFlags& given, int threads) {
  if (given.ratings.empty() && given.annotations.empty())
    throw InputError("no votes given; use --ratings or --annotations (see plumb raters --help)");
  if (!given.probs.empty() || !given.logits.empty()) return load_inputs(given, threads);
  InputFlags f = given;
  if (f.classes.size() == 1) f.classes = names_in_file(f.classes.front());
  Inputs out;
  Loader load(threads, out);
  Args names = f.classes;
  if (!f.ratings.empty()) {
    Rows rows = load.ratings("--ratings", f.ratings);
    const int classes = settle_classes(rows, names, out);
    out.items.votes = Votes::from_ratings(std::move(rows), classes, names);
    out.ids = load.ids(f.ids, out.items.votes.rows().name(), out.items.votes.items());
  } else {
    Annotations all = load_annotations(f.annotations, threads, out);
    const int classes = settle_classes(all.label, names, out);
    out.ids = f.ids.empty() ? all_items(all) : Names(load.rows("--ids", f.ids, kNames));
    if (f.ids.empty() && !f.groups.empty())
      throw InputError(
          "--groups has a row for each item, but the order of the items is not given; name them with --ids");
    out.items.votes = joined_votes(all, out.ids, classes, names, f.duplicates, threads, out);
  }
  out.items.class_names = names;
  if (!f.groups.empty()) {
    out.items.groups = Names(load.rows("--groups", f.groups, kNames));
    check_same_rows(out.items.votes.rows().name(), out.items.votes.items(), out.items.groups.source(),
                    out.items.groups.size());
  }
  return out;
}

}  // namespace plumb::cli
