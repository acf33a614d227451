#include "command_flags.hpp"

#include <algorithm>

#include "commands.hpp"

namespace plumb::cli {
namespace {

/// Arguments that make a command choose another set of flags.
const std::vector<Args>& variants_of(const std::string& command) {
  static const std::vector<Args> kPlain{{}}, kManifest{{}, {"--manifest", "x"}},
      kEvaluate{{}, {"--mean", "x"}, {"--manifest", "x"}, {"--sets", "x"}, {"--quantiles", "x"}},
      kFit{{},
           {"--method", "sigma"},
           {"--manifest", "x"},
           {"--method", "sets"},
           {"--method", "cqr"},
           {"--method", "multigroup"}},
      kApply{{}, {"--variance", "x"}, {"--manifest", "x"}, {"--quantiles", "x"}};
  if (command == "evaluate") return kEvaluate;
  if (command == "calibrate fit") return kFit;
  if (command == "calibrate apply") return kApply;
  if (command == "compare" || command == "stability" || command == "uncertainty") return kManifest;
  return kPlain;
}

/// New flags stand below the others of their heading.
void add_new_flags(const FlagTable& from, FlagTable& to) {
  for (const FlagEntry& flag : from.flags) {
    const auto same_name = [&](const FlagEntry& f) { return f.names.back() == flag.names.back(); };
    if (std::any_of(to.flags.begin(), to.flags.end(), same_name)) continue;
    const auto last = std::find_if(to.flags.rbegin(), to.flags.rend(),
                                   [&](const FlagEntry& f) { return f.heading == flag.heading; });
    to.flags.insert(last == to.flags.rend() ? to.flags.end() : last.base(), flag);
  }
}

FlagTable table_of(const std::string& name, const std::string& line, int (*run)(const Args&),
                   const Args& prefix) {
  FlagTable out;
  for (const Args& variant : variants_of(name)) {
    Args args = prefix;
    args.insert(args.end(), variant.begin(), variant.end());
    const FlagTable table = flag_table([&] { static_cast<void>(run(args)); });
    if (out.command.empty()) {
      out = table;
    } else {
      add_new_flags(table, out);
    }
  }
  out.command = name;
  if (out.line.empty()) out.line = line;
  return out;
}

}  // namespace

std::vector<FlagTable> command_flags() {
  std::vector<FlagTable> out;
  for (const Command& c : commands()) {
    if (c.run == nullptr) continue;
    if (c.run == calibrate_command) {
      for (const char* sub : {"fit", "apply", "show", "export"})
        out.push_back(table_of("calibrate " + std::string(sub), c.line, c.run, {sub}));
    } else {
      out.push_back(table_of(c.name, c.line, c.run, {}));
    }
  }
  return out;
}

}  // namespace plumb::cli
