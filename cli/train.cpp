// plumb train and plumb predict: each explains and checks its flags itself, then hands over to plumb-train
// beside it.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commands.hpp"
#include "plumb/data/check.hpp"
#include "train/options/flags.hpp"

namespace plumb::cli {
namespace {

// Becomes plumb-train with these arguments; returns only by throwing InputError.
int hand_over(const char* command, const Args& args) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string tool = (error ? fs::path("plumb-train") : self.parent_path() / "plumb-train").string();
  if (::access(tool.c_str(), X_OK) != 0)
    throw InputError(
        std::string("\"plumb ") + command +
        "\" needs plumb-train, which is not beside this plumb; \"make train\" installs libtorch-dev and builds both, and with another LibTorch cmake does with -DPLUMB_TRAIN=ON and -DCMAKE_PREFIX_PATH=FOLDER");
  std::vector<std::string> words{tool, command};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Threads that wait for each other sleep instead of spinning: with a busy neighbour on two cores an
  // epoch of resnet18 took twelve times as long. OpenMP reads this when it is loaded; a value set by the
  // user is kept.
  ::setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  ::execv(tool.c_str(), argv.data());
  throw InputError("cannot start " + tool + ": " + std::strerror(errno));
}

}  // namespace

int train_command(const Args& args) {
  TrainFlags t;  // bad usage is reported without LibTorch
  return parse_train_flags(args, t) ? hand_over("train", args) : kDone;
}

int predict_command(const Args& args) {
  train::PredictOptions o;
  return parse_predict_flags(args, o) ? hand_over("predict", args) : kDone;
}

}  // namespace plumb::cli
