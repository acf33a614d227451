// plumb reproduce: finds the folder of experiments and hands over to the script that runs them.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commands.hpp"
#include "plumb/data/check.hpp"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

/// reproduce.py in PLUMB_EXPERIMENTS, of an installed plumb, or of the sources that this plumb was built in.
fs::path find_script(const fs::path& self) {
  Args folders;
  if (const char* given = std::getenv("PLUMB_EXPERIMENTS"); given != nullptr) folders.emplace_back(given);
  const fs::path bin = self.parent_path();
  for (const char* below : {"../share/plumb/experiments", "../../experiments"})
    folders.push_back((bin / below).lexically_normal().string());
  for (const std::string& folder : folders)
    if (fs::exists(fs::path(folder) / "reproduce.py")) return fs::path(folder) / "reproduce.py";
  throw InputError(
      "the experiments are not beside this plumb (" + folders.back() +
      " has no reproduce.py); name their folder in PLUMB_EXPERIMENTS, it is experiments/ in the sources");
}

}  // namespace

int reproduce_command(const Args& args) {
  Flags flags(
      "reproduce",
      "Repeats the experiments of five papers: the paper's value, ours, and whether each claim holds.");
  Args names;
  bool list = false, quick = false;
  std::string data, out;
  flags.positional("NAME", names, "experiments to run, or all");
  flags.toggle("--list", list, "list the experiments, the time each takes in full, and what it shows");
  flags.toggle("--quick", quick, "short form of each, two minutes or less on two cores");
  flags.text("--data", "DIR", data, "folder of measured data, as docs/reproduce.md lists them [PLUMB_DATA]");
  flags.text("-o,--out", "DIR", out, "output folder: DIR/NAME/report.md, and DIR/claims.md with all claims");
  flags.examples(
      "Examples:\n"
      "  what can be repeated\n"
      "    plumb reproduce --list\n"
      "  everything in its short form; claims whose data are not there are reported as not testable\n"
      "    plumb reproduce all --quick -o reproduced\n"
      "  one experiment in full, on measured data\n"
      "    plumb reproduce riera-tables --data data -o reproduced\n"
      "A claim holds if the 95% interval of our value is inside the region declared before the run, does not hold if it\n"
      "is outside, and is not settled otherwise. The experiments need python3 and numpy.");
  if (!flags.parse(args)) return kDone;
  if (list && !names.empty()) throw InputError("--list takes no names; it lists all experiments");
  if (!list && names.empty())
    throw InputError("name the experiments to run, or all; \"plumb reproduce --list\" lists them");
  if (!list && out.empty()) throw InputError("--out is needed: the folder for results and reports");

  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw InputError("cannot find out where this plumb is installed: " + error.message());
  Args words{"python3", find_script(self).string()};
  words.insert(words.end(), names.begin(), names.end());
  if (list) words.emplace_back("--list");
  if (quick) words.emplace_back("--quick");
  if (!data.empty()) words.insert(words.end(), {"--data", data});
  if (!out.empty()) words.insert(words.end(), {"--out", out});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::setenv("PLUMB_BIN", self.c_str(), /*overwrite=*/1);  // the experiments use the plumb that was called
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);           // an installed folder is not written to
  ::execvp(argv[0], argv.data());
  throw InputError(std::string("\"plumb reproduce\" needs python3, which cannot be started (") +
                   std::strerror(errno) + "); on Debian install python3 and python3-numpy");
}

}  // namespace plumb::cli
