// plumb-train, the program that "plumb train" and "plumb predict" start. Only this one links LibTorch.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <string>

#include "plumb/data/check.hpp"
#include "shell/console.hpp"
#include "shell/program.hpp"
#include "shell/progress.hpp"
#include "train/options/flags.hpp"
#include "train/run.hpp"

namespace plumb::cli {
namespace {

constexpr std::chrono::seconds kLogEvery(30);

train::Hooks hooks_for(StatusLine& line, bool quiet) {
  train::Hooks h;
  h.interrupted = [] { return signal_received() != 0; };
  if (line.active()) h.status = [&line](const std::string& text) { line.show(text); };
  const auto tell = [&line](const std::string& text) {
    line.clear();
    say(text);
  };
  h.complain = tell;
  if (!quiet && !line.active()) {
    // In a log file: a line from time to time.
    h.status = [next = std::chrono::steady_clock::now() + kLogEvery](const std::string& text) mutable {
      if (std::chrono::steady_clock::now() < next) return;
      next = std::chrono::steady_clock::now() + kLogEvery;
      say(text);
    };
  }
  if (!quiet) h.say = tell;
  return h;
}

std::string summary(const train::RunResult& r, const std::string& out) {
  std::string text = r.method + ": " + counted(r.epochs, "epoch");
  if (r.best_epoch > 0) text += ", the best is epoch " + std::to_string(r.best_epoch);
  if (r.strength) text += ", of strength " + show(*r.strength);
  text += "\n";
  for (const auto& [part, metrics] : r.metrics) {
    text += "  " + part + std::string(12 - part.size(), ' ');
    for (const auto& [key, value] : metrics) {
      char number[40];
      std::snprintf(number, sizeof number, "%.4g", value.value_or(0));
      text += key + " " + (value ? number : "undefined") + "  ";
    }
    text += "\n";
  }
  return text + "The run is in " + out + "\n";
}

// Workers share one device: each takes cells that no other process is working on.
int grid_workers(const std::string& grid, const train::TrainOptions& o, std::int64_t jobs,
                 const train::Hooks& hooks) {
  std::vector<pid_t> children;
  for (std::int64_t i = 1; i < jobs; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        (void)train::run_grid(grid, o, hooks);
      } catch (const train::Interrupted&) {
      } catch (const InputError& e) {
        say(e.sentence());
      } catch (const std::exception& e) {
        say(e.what());
      }
      ::_exit(0);  // the table records what was done
    }
    if (child > 0) children.push_back(child);
  }
  const auto wait = [&] {
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  };
  train::GridOutcome done;
  try {
    done = train::run_grid(grid, o, hooks);
  } catch (...) {
    wait();
    throw;
  }
  wait();
  if (jobs > 1) {  // what workers left undone, and the table; errors were reported before
    train::Hooks again = hooks;
    again.complain = {};
    done = train::run_grid(grid, o, again);
  }
  const std::string see = "; see " + o.out + "/grid.csv";
  if (done.diverged > 0)
    throw InputError(counted(done.diverged, "run") +
                     " of the grid diverged (no finite validation log-loss); lower \"lr\"" + see);
  if (done.missing > done.busy)
    throw InputError(counted(done.missing - done.busy, "run") + " of the grid failed" + see);
  write_stdout(done.busy > 0 ? "Another process is working on " + counted(done.busy, "run") + see + "\n"
                             : "All runs are done; the table is " + o.out + "/grid.csv\n");
  return kDone;
}

int train_main(const Args& args) {
  TrainFlags t;
  if (!parse_train_flags(args, t)) return kDone;
  const train::TrainOptions& o = t.options;
  StatusLine line(!o.quiet);
  const train::Hooks hooks = hooks_for(line, o.quiet);
  if (!t.grid.empty()) return grid_workers(t.grid, o, t.jobs, hooks);
  if (!t.resume.empty() && train::is_finished(o.out) && !o.quiet) say("this run is already finished");
  const train::RunResult r = train::train_run(o, hooks);
  line.clear();
  if (!r.metric("validation", "nll"))
    throw InputError("the validation log-loss was never finite: the network of " + o.out +
                     " diverged; lower --lr and train into another folder");
  if (!o.quiet) write_stdout(summary(r, o.out));
  return kDone;
}

int predict_main(const Args& args) {
  train::PredictOptions o;
  if (!parse_predict_flags(args, o)) return kDone;
  StatusLine line(!o.quiet);
  const std::string made = train::predict_run(o, hooks_for(line, o.quiet));
  line.clear();
  if (!o.quiet) write_stdout(made + "\n");
  return kDone;
}

// Exceptions of LibTorch and of the file system get messages of our own.
int dispatch(const Args& args) {
  const bool train = !args.empty() && args[0] == "train";
  try {
    if (train) return train_main({args.begin() + 1, args.end()});
    if (!args.empty() && args[0] == "predict") return predict_main({args.begin() + 1, args.end()});
    throw InputError("plumb-train is run by \"plumb train\" and \"plumb predict\"; use those commands");
  } catch (const train::Interrupted&) {
    const bool grid = std::find(args.begin(), args.end(), "--grid") != args.end();
    say(!train ? "interrupted; nothing was written"
        : grid ? "interrupted; run the same command to continue the grid"
               : "interrupted; \"plumb train --resume RUN\" continues from the last complete epoch");
    return 128 + signal_received();
  } catch (const std::filesystem::filesystem_error& e) {
    throw InputError("cannot write to " + e.path1().string() + ": " + e.code().message());
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& e) {
    if (std::string_view(e.what()).find("out of memory") == std::string_view::npos) throw;
    say("out of memory on the device; use a smaller --batch or --width");
    return kInternalFailure;
  }
}

}  // namespace
}  // namespace plumb::cli

int main(int argc, char** argv) {
  namespace cli = plumb::cli;
  cli::ask_on_signal();
  return cli::run_program(
      [&] {
        return cli::dispatch({argv + std::min(argc, 1), argv + argc});
      },
      "out of memory; use a smaller --batch or --width");
}
