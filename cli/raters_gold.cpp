#include "raters_gold.hpp"

#include "plumb/data/check.hpp"

namespace plumb::cli {
void add_gold_flags(Flags& flags, GoldFlags& f) {
  flags.heading("Gold votes, to evaluate the consensus");
  flags.files("--gold", "FILE", f.gold, "N or N x R classes from experts; negative or empty: none");
  flags.files("--gold-counts", "FILE", f.counts, "the same as N x K votes per class");
  flags.text("--gold-method", "METHOD", f.method,
             "calibrator of the consensus, fitted on the gold votes [" + f.method + "]");
  flags.exclusive({"--gold", "--gold-counts"});
}

Votes load_gold(const GoldFlags& f, int threads, Inputs& inputs) {
  Loader load(threads, inputs);
  const int classes = inputs.items.votes.classes();
  Votes out = f.counts.empty()
                  ? Votes::from_ratings(load.ratings("--gold", f.gold, inputs.items.votes.items()), classes,
                                        inputs.items.class_names)
                  : Votes::from_counts(load.rows("--gold-counts", f.counts), classes);
  check_same_rows(inputs.items.votes.rows().name(), inputs.items.votes.items(), out.rows().name(),
                  out.items());
  return out;
}

}  // namespace plumb::cli
