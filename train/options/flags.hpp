// The flags of "plumb train" and "plumb predict": the same in plumb, which explains them, and in plumb-train,
// which obeys them.
#pragma once

#include "shell/flags.hpp"
#include "train/options/options.hpp"

namespace plumb::cli {

inline constexpr const char* kTrainLine = "Trains a network whose probabilities need less repair.";
inline constexpr const char* kPredictLine =
    "Predictions of a trained run: MC dropout, test-time augmentation, ensembles.";

struct TrainFlags {
  train::TrainOptions options;
  std::string dropout = "auto", strength = "auto", data_seed = "auto";
  Args hidden, milestones, tune;
  bool raw = false;
  std::string resume, grid;
  std::int64_t jobs = 1;
};
void add_train_flags(Flags& flags, TrainFlags& t);
/// After parsing: checked options; with --resume those of the run.
[[nodiscard]] train::TrainOptions train_options(const Flags& flags, TrainFlags t);

struct PredictFlags {
  train::PredictOptions options;
  Args run;
};
void add_predict_flags(Flags& flags, PredictFlags& p);
[[nodiscard]] train::PredictOptions predict_options(PredictFlags p);

}  // namespace plumb::cli
