// plumb completion bash|zsh|fish: a script for the shell, made from the flags of the commands.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_flags.hpp"
#include "commands.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

/// What may follow a flag: the names of metrics and methods are known from their tables.
Args values_after(const FlagEntry& flag) {
  const std::string& name = flag.names.back();
  Args out = flag.choices();
  if (name == "--metrics") {
    out = {"all"};
    for (const MetricRow& row : metrics()) out.emplace_back(row.key);
  } else if (name == "--method") {
    out = {"auto", "none"};
    for (const auto& row : calibrators()) out.emplace_back(row.method);
    for (const auto& row : regression_calibrators()) out.emplace_back(row.method);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out;
}

/// The words before the flags: "evaluate", or "calibrate" and "fit".
std::pair<std::string, std::string> words_of(const FlagTable& table) {
  const std::size_t space = table.command.find(' ');
  if (space == std::string::npos) return {table.command, ""};
  return {table.command.substr(0, space), table.command.substr(space + 1)};
}

Args first_words(const std::vector<FlagTable>& tables) {
  Args out;
  for (const FlagTable& table : tables)
    if (const auto word = words_of(table).first; out.empty() || out.back() != word) out.push_back(word);
  return out;
}

std::string bash(const std::vector<FlagTable>& tables) {
  std::string out = fmt::format(
      "# bash completion for plumb; load it with: source <(plumb completion bash)\n"
      "_plumb() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}\n"
      "  local flags=\"\" values=\"\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\")); return\n"
      "  fi\n"
      "  if [ \"$command\" = calibrate ]; then\n"
      "    if [ \"$COMP_CWORD\" = 2 ]; then COMPREPLY=($(compgen -W \"fit apply show export\" -- \"$word\")); return; fi\n"
      "    command=\"calibrate ${{COMP_WORDS[2]}}\"\n"
      "  fi\n"
      "  case \"$command $before\" in\n",
      fmt::join(first_words(tables), " "));
  for (const FlagTable& table : tables)
    for (const FlagEntry& flag : table.flags)
      if (const Args values = values_after(flag); !values.empty() && !flag.is_argument())
        out += fmt::format("    \"{} {}\") values=\"{}\" ;;\n", table.command, flag.names.back(),
                           fmt::join(values, " "));
  out +=
      "  esac\n"
      "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\")); return; fi\n"
      "  if [[ \"$word\" != -* ]]; then COMPREPLY=($(compgen -f -- \"$word\")); return; fi\n"
      "  case \"$command\" in\n";
  for (const FlagTable& table : tables) {
    Args names;
    for (const FlagEntry& flag : table.flags)
      if (!flag.is_argument()) names.insert(names.end(), flag.names.begin(), flag.names.end());
    out += fmt::format("    \"{}\") flags=\"{}\" ;;\n", table.command, fmt::join(names, " "));
  }
  return out +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "}\n"
         "complete -o filenames -F _plumb plumb\n";
}

/// Text between single quotes, as shells read it; brackets and colons have a meaning in zsh.
std::string quoted(const std::string& text, std::string_view special) {
  std::string out = "'";
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + "'";
}

std::string zsh_flag(const FlagEntry& flag) {
  if (flag.is_argument()) return "";
  std::string after;
  if (!flag.value.empty()) {
    const Args values = values_after(flag);
    after = values.empty() ? (flag.takes_file() ? ":value:_files" : ":value: ")
                           : fmt::format(":value:({})", fmt::join(values, " "));
  }
  std::string out;
  for (const std::string& name : flag.names)
    out += "    " + quoted("*" + name, "") + "'['" + quoted(flag.what, "[]:") + "']" + after + "'\n";
  return out;
}

std::string zsh(const std::vector<FlagTable>& tables) {
  std::string out =
      "#compdef plumb\n"
      "# zsh completion for plumb; put it into a folder of $fpath as _plumb\n"
      "_plumb() {\n"
      "  local command=$words[2]\n";
  out += fmt::format("  if (( CURRENT == 2 )); then compadd {}; return; fi\n",
                     fmt::join(first_words(tables), " "));
  out +=
      "  if [[ $command == calibrate ]]; then\n"
      "    if (( CURRENT == 3 )); then compadd fit apply show export; return; fi\n"
      "    command=\"calibrate $words[3]\"\n"
      "  fi\n"
      "  local -a flags\n"
      "  case $command in\n";
  for (const FlagTable& table : tables) {
    out += "  " + quoted(table.command, "") + ") flags=(\n";
    for (const FlagEntry& flag : table.flags) out += zsh_flag(flag);
    out += "  ) ;;\n";
  }
  return out +
         "  esac\n"
         "  _arguments $flags '*:file:_files'\n"
         "}\n"
         "if [[ $funcstack[1] == _plumb ]]; then _plumb \"$@\"; else compdef _plumb plumb; fi\n";
}

std::string fish(const std::vector<FlagTable>& tables) {
  std::string out = "# fish completion for plumb; load it with: plumb completion fish | source\n";
  for (const Command& c : commands())
    if (c.run != nullptr)
      out += fmt::format("complete -c plumb -n __fish_use_subcommand -f -a {} -d {}\n", c.name,
                         quoted(c.line, ""));
  out +=
      "complete -c plumb -n '__fish_seen_subcommand_from calibrate; and not __fish_seen_subcommand_from fit apply show export' -f -a 'fit apply show export'\n";
  for (const FlagTable& table : tables) {
    const auto [command, sub] = words_of(table);
    const std::string when = "'__fish_seen_subcommand_from " + command +
                             (sub.empty() ? "" : "; and __fish_seen_subcommand_from " + sub) + "'";
    for (const FlagEntry& flag : table.flags) {
      if (flag.is_argument()) continue;
      std::string line = "complete -c plumb -n " + when;
      for (const std::string& name : flag.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!flag.value.empty()) {
        const Args values = values_after(flag);
        line += flag.takes_file() && values.empty() ? " -r -F" : " -x";
        if (!values.empty()) line += fmt::format(" -a '{}'", fmt::join(values, " "));
      }
      out += line + " -d " + quoted(flag.what, "") + "\n";
    }
  }
  return out;
}

}  // namespace

int completion_command(const Args& args) {
  Flags flags("completion", "Prints completion of commands and flags for a shell.");
  Args shell;
  flags.positional("SHELL", shell, "bash, zsh or fish");
  flags.examples(
      "Examples:\n  source <(plumb completion bash)\n  plumb completion zsh > ~/.zfunc/_plumb\n"
      "  plumb completion fish > ~/.config/fish/completions/plumb.fish");
  if (!flags.parse(args)) return kDone;
  const Args known{"bash", "zsh", "fish"};
  if (shell.size() != 1 || std::find(known.begin(), known.end(), shell[0]) == known.end())
    throw InputError("plumb completion takes the name of a shell: bash, zsh or fish" +
                     (shell.size() == 1 ? ", not \"" + shell[0] + "\"" : std::string()));
  const auto tables = command_flags();
  write_stdout(shell[0] == "bash"  ? bash(tables)
               : shell[0] == "zsh" ? zsh(tables)
                                   : fish(tables),
               Text::data);
  return kDone;
}

}  // namespace plumb::cli
