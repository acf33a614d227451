// plumb predict: explains and checks its flags itself, then hands over to plumb-train beside it.
#include "commands.hpp"
#include "hand_over.hpp"
#include "train/options/flags.hpp"

namespace plumb::cli {

int predict_command(const Args& args) {
  Flags flags("predict", kPredictLine);
  PredictFlags p;
  add_predict_flags(flags, p);
  if (!flags.parse(args)) return kDone;
  (void)predict_options(p);
  return hand_over("predict", args);
}

}  // namespace plumb::cli
