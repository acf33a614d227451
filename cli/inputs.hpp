// The flags that name input files, and the items that come out of them.
#pragma once

#include <string>
#include <vector>

#include "flags.hpp"
#include "plumb/data/items.hpp"
#include "plumb/result.hpp"

namespace plumb::cli {

struct InputFlags {
  Args probs, logits, samples, sample_logits;
  Args labels, counts, ratings;
  Args weights, groups, by, ids, truth, concentration;
  Args classes;
  PredictionOptions predictions;
};

void add_input_flags(Flags& flags, InputFlags& out);

struct Inputs {
  Items items;
  std::vector<InputInfo> infos;    ///< one for each file, in the order of the flags
  std::vector<std::string> paths;  ///< the same files without what was selected from them
};

[[nodiscard]] Inputs load_inputs(const InputFlags& flags, int threads);

}  // namespace plumb::cli
