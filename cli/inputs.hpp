// The flags that name input files, and the items that come out of them.
#pragma once

#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct InputFlags {
  Args probs, logits, samples, sample_logits;
  Args labels, counts, ratings;
  Args weights, groups, by, ids, truth, concentration;
  Args classes;
  PredictionOptions predictions;
};

void add_input_flags(Flags& flags, InputFlags& out);
/// Those of them that move an estimate: no slices, names and true probabilities.
void add_estimate_flags(Flags& flags, InputFlags& out);
/// Only those of the predictions.
void add_prediction_flags(Flags& flags, InputFlags& out);

struct Inputs {
  Items items;
  std::vector<InputInfo> infos;    ///< one for each file, in the order of the flags
  std::vector<std::string> paths;  ///< the same files without what was selected from them
};

[[nodiscard]] Inputs load_inputs(const InputFlags& flags, int threads);
/// What the model said alone: items without votes.
[[nodiscard]] Inputs load_predictions(const InputFlags& flags, int threads);
/// One more file of numbers, one row an item, kept in the books under its flag.
[[nodiscard]] Rows load_rows(const std::string& flag, const Args& specs, int threads, Inputs& books);

}  // namespace plumb::cli
