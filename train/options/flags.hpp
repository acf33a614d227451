// The flags of "plumb train" and "plumb predict": the same in plumb, which documents and checks them, and in
// plumb-train, which uses them.
#pragma once

#include "shell/flags.hpp"
#include "train/options/options.hpp"

namespace plumb::cli {

struct TrainFlags {
  train::TrainOptions options;
  std::string dropout = "auto", strength = "auto", data_seed = "auto";
  Args hidden, milestones, tune;
  bool raw = false;
  std::string resume, grid;
  std::int64_t jobs = 1;
};
/// Checked options; with --resume those of the run. False when help was asked for: it has been printed.
[[nodiscard]] bool parse_train_flags(const Args& args, TrainFlags& t);
[[nodiscard]] bool parse_predict_flags(const Args& args, train::PredictOptions& o);

}  // namespace plumb::cli
