#include "shell/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <functional>

#include "plumb/data/check.hpp"
#include "shell/console.hpp"
#include "shell/flag_table.hpp"

namespace plumb::cli {
namespace {

template <class T>
bool parse_number(std::string_view text, T& out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// Also accepts "1e4" as a whole number.
bool parse_integer(const std::string& text, std::int64_t& out) {
  constexpr double kExact = 0x1p53;
  if (parse_number(text, out)) return true;
  double x = 0;
  if (!parse_number(text, x) || !(x >= -kExact && x <= kExact) || x != std::trunc(x)) return false;
  out = static_cast<std::int64_t>(x);
  return true;
}

// a,b,c; a name with a comma stands in double quotes.
Args split_names(const std::string& value) {
  Args out(1);
  bool quoted = false;
  for (const char c : value) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// "a, b or c".
std::string one_of(const Args& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return out;
}

constexpr char kNoFlag = '\x1f';

thread_local FlagTable* wanted_table = nullptr;  // set while flag_table() runs a command

/// A sentence that goes on in the next line, which is plain text, too.
bool goes_on(const std::string& line, const std::string& next) {
  return !line.empty() && !next.empty() && line.front() != ' ' && next.front() != ' ' &&
         !next.starts_with("Usage:") && std::string_view(".:?").find(line.back()) == std::string_view::npos;
}

/// Lines that fit. Commands among the examples stay whole, so that they can be copied.
std::string fitted(const std::string& help) {
  constexpr std::size_t kColumn = 32;  // where a flag's description begins
  const std::size_t width = std::clamp(stdout_width(), 60, 100);
  std::vector<std::string> lines;
  for (std::string& line : CLI::detail::split(help, '\n')) {
    if (!lines.empty() && goes_on(lines.back(), line)) {
      lines.back() += " " + line;
    } else {
      lines.push_back(std::move(line));
    }
  }
  for (std::string& line : lines) {
    if (line.starts_with("    plumb ")) continue;
    const std::size_t words = std::min(line.find_first_not_of(' '), line.size());
    line = broken(std::move(line), width, words == kColumn || line.starts_with("  -") ? kColumn : words);
  }
  return CLI::detail::join(lines, "\n") + (help.ends_with('\n') ? "\n" : "");
}

Args without_marks(Args values) {
  for (std::string& value : values)
    if (value.starts_with(kNoFlag)) value.erase(0, 1);
  return values;
}

}  // namespace

struct Flags::Parser {
  CLI::App app;
  std::string command, group = "Options";
  std::vector<std::string> names;   // of all flags, for suggestions
  std::vector<std::string> single;  // those that take one value
  std::vector<std::string> plain;   // those that take none
  std::deque<Args> values;          // what CLI11 fills; addresses stay
  std::vector<std::pair<CLI::Option*, std::function<void(const Args&)>>> readers;
  std::vector<std::vector<std::string>> exclusive;
  bool has_positional = false;

  CLI::Option* add(const std::string& flag, const std::string& name, const std::string& what, int expected,
                   std::function<void(const Args&)> read) {
    values.emplace_back();
    CLI::Option* option = app.add_option(flag, values.back(), what)->type_name(name)->group(group);
    option->expected(expected)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    option->allow_extra_args(expected < 0);  // exactly one value
    readers.emplace_back(option, std::move(read));
    if (flag.starts_with('-')) names.push_back(flag);
    return option;
  }
  // One value, given once.
  void add_single(const std::string& flag, const std::string& name, const std::string& what,
                  std::function<void(const std::string&)> read) {
    single.push_back(flag);
    add(flag, name, what, 1, [flag, read = std::move(read)](const Args& given) {
      if (given.size() > 1)
        throw InputError(flag + " was given " + std::to_string(given.size()) + " times; give it once");
      read(given.front());
    });
  }
  // "--json --quiet" has forgotten a value.
  void check_no_flag(const std::string& flag, const Args& given) const {
    for (const std::string& value : given)
      if (std::find(names.begin(), names.end(), value) != names.end())
        throw InputError(flag + " needs a value, but is followed by the flag " + value);
  }
  [[nodiscard]] FlagTable table() {
    FlagTable out{command, app.get_description(), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group().empty()) continue;  // known but not available
      FlagEntry entry{{}, option->get_type_name(), option->get_description(), option->get_group()};
      for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
      if (entry.names.empty()) entry.names.push_back(option->get_name());
      if (option->get_expected_max() == 0) entry.value.clear();
      out.flags.push_back(std::move(entry));
    }
    return out;
  }
  [[noreturn]] void complain_about(const std::string& extra) const {
    const std::string more = " (see plumb " + command + " --help)";
    if (extra.starts_with('-') && extra.size() > 1) {
      const std::string flag = extra.substr(0, extra.find('='));
      const std::string suggestion = did_you_mean(flag, names);
      throw InputError("plumb " + command + " has no flag " + flag +
                       (suggestion.empty() ? more : suggestion));
    }
    if (has_positional)
      throw InputError("plumb " + command + " does not expect the argument \"" + extra + "\"" + more);
    throw InputError("plumb " + command + " does not expect the argument \"" + extra +
                     "\"; give each file with the flag that says what it holds" + more);
  }
};

Flags::Flags(const std::string& command, const std::string& line) : parser_(std::make_unique<Parser>()) {
  parser_->command = command;
  parser_->app.name("plumb " + command);
  parser_->app.description(line);
  parser_->app.allow_extras();
  parser_->app.get_formatter()->column_width(32);
  parser_->app.set_help_flag("-h,--help", "this help")->group("Options");
}
Flags::~Flags() = default;

void Flags::heading(std::string name) { parser_->group = std::move(name); }
void Flags::examples(const std::string& text) { parser_->app.footer(text); }

void Flags::files(const std::string& flag, const std::string& name, Args& out, const std::string& what) {
  parser_->add(flag, name, what, -1, [this, flag, &out](const Args& given) {
    parser_->check_no_flag(flag, given);
    out = given;
  });
}

void Flags::text(const std::string& flag, const std::string& name, std::string& out,
                 const std::string& what) {
  parser_->add_single(flag, name, what, [flag, &out](const std::string& value) {
    if (value.empty()) throw InputError(flag + " was given an empty name; give a name, or leave it out");
    out = value;
  });
}

void Flags::list(const std::string& flag, const std::string& name, Args& out, const std::string& what) {
  parser_->add_single(flag, name, what, [flag, &out](const std::string& value) {
    out = split_names(value);
    for (std::string& part : out) {
      CLI::detail::trim(part);
      if (part.empty())
        throw InputError(flag + " has an empty name in \"" + value + "\"; write them as a,b,c");
    }
  });
}

void Flags::repeated(const std::string& flag, const std::string& name, Args& out, const std::string& what) {
  parser_->add(flag, name, what, 1, [this, flag, &out](const Args& given) {
    parser_->check_no_flag(flag, given);
    out = given;
  });
}

void Flags::integer(const std::string& flag, std::int64_t& out, const std::string& what) {
  parser_->add_single(flag, "N", what + " [" + std::to_string(out) + "]",
                      [flag, &out](const std::string& value) {
                        if (!parse_integer(value, out))
                          throw InputError(flag + " takes a whole number, not \"" + value + "\"");
                      });
}

void Flags::seed(const std::string& flag, std::uint64_t& out, const std::string& what) {
  parser_->add_single(
      flag, "N", what + " [" + std::to_string(out) + "]", [flag, &out](const std::string& value) {
        if (!parse_number(value, out))
          throw InputError(flag + " takes a whole number from 0 to 18446744073709551615, not \"" + value +
                           "\"");
      });
}

void Flags::number(const std::string& flag, double& out, const std::string& what) {
  parser_->add_single(flag, "X", what + " [" + show(out) + "]", [flag, &out](const std::string& value) {
    if (!parse_number(value, out)) throw InputError(flag + " takes a number, not \"" + value + "\"");
  });
}

void Flags::number_or_name(const std::string& flag, const Args& names, double& out, std::string& name,
                           const std::string& what) {
  parser_->add_single(flag, "X|" + CLI::detail::join(names, "|"),
                      what + " [" + (out == 0 ? name : show(out)) + "]",
                      [=, &out, &name](const std::string& value) {
                        if (std::find(names.begin(), names.end(), value) != names.end()) {
                          out = 0;
                          name = value;
                        } else if (!parse_number(value, out) || !(out > 0)) {
                          Args accepted = names;
                          accepted.insert(accepted.begin(), "a positive number");
                          throw InputError(flag + " takes " + one_of(accepted) + ", not \"" + value + "\"" +
                                           did_you_mean(value, names));
                        }
                      });
}

void Flags::choice(const std::string& flag, const Args& allowed, std::string& out, const std::string& what) {
  const std::string names = CLI::detail::join(allowed, "|");
  parser_->add_single(flag, names, what + " [" + out + "]", [=, &out](const std::string& value) {
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      throw InputError(flag + " must be " + one_of(allowed) + ", not \"" + value + "\"" +
                       did_you_mean(value, allowed));
    out = value;
  });
}

void Flags::toggle(const std::string& flag, bool& out, const std::string& what) {
  parser_->app.add_flag(flag, out, what)->group(parser_->group);
  parser_->plain.push_back(flag);
  parser_->names.push_back(flag);
}

void Flags::positional(const std::string& name, Args& out, const std::string& what) {
  parser_->has_positional = true;
  parser_->add(name, "", what, -1, [&out](const Args& given) { out = given; });
}

void Flags::exclusive(std::vector<std::string> flags) { parser_->exclusive.push_back(std::move(flags)); }

void Flags::unavailable(const std::string& flag, const std::string& sentence) {
  parser_->add(flag, "", "", -1, [sentence](const Args&) { throw InputError(sentence); })
      ->group("")
      ->expected(0, -1);
}

bool Flags::given(const std::string& flag) const { return parser_->app.count(flag) > 0; }

Args Flags::given() const {
  Args flags = parser_->names;
  std::erase_if(flags, [this](const std::string& flag) { return !given(flag); });
  return flags;
}

bool Flags::parse(const Args& args) {
  if (wanted_table != nullptr) {
    *wanted_table = parser_->table();
    return false;
  }
  // Also where a value is missing: "plumb evaluate --manifest --help".
  if (std::find(args.begin(), args.end(), "--help") != args.end()) {
    write_stdout(fitted(parser_->app.help()));
    return false;
  }
  for (const std::string& arg : args) {
    const std::size_t equals = arg.find('=');
    const auto& plain = parser_->plain;
    if (equals != std::string::npos &&
        std::find(plain.begin(), plain.end(), arg.substr(0, equals)) != plain.end())
      throw InputError(arg.substr(0, equals) + " takes no value; give the flag alone");
  }
  for (std::size_t i = 0; i + 1 < args.size(); ++i) {
    const auto& single = parser_->single;
    if (std::find(single.begin(), single.end(), args[i]) != single.end())
      parser_->check_no_flag(args[i], {args[i + 1]});
  }
  Args reversed(args.rbegin(), args.rend());  // the order that CLI11 wants
  // "-:p" is a column of standard input; CLI11 would take it for a flag.
  for (std::string& arg : reversed)
    if (arg.starts_with("-:")) arg.insert(0, 1, kNoFlag);
  try {
    parser_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    write_stdout(fitted(parser_->app.help()));
    return false;
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string text = e.what();
    throw InputError(text.substr(0, text.find(':')) + " needs a value");
  } catch (const CLI::ParseError& e) {
    throw InputError(e.what());
  }
  const Args extras = without_marks(parser_->app.remaining());
  if (!extras.empty()) parser_->complain_about(extras.front());
  for (const auto& flags : parser_->exclusive) {
    Args both = flags;
    std::erase_if(both, [this](const std::string& flag) { return !given(flag); });
    if (both.size() > 1)
      throw InputError(both[0] + " and " + both[1] + " cannot be combined; give one of them");
  }
  for (const auto& [option, read] : parser_->readers)
    if (option->count() > 0) read(without_marks(option->results()));
  return true;
}

bool FlagEntry::takes_file() const {
  for (const char* word : {"FILE", "DIR", "FOLDER", "RUN"})
    if (value.find(word) != std::string::npos) return true;
  return false;
}

std::vector<std::string> FlagEntry::choices() const {
  if (value.find('|') == std::string::npos || takes_file()) return {};
  std::vector<std::string> out = CLI::detail::split(value, '|');
  std::erase_if(out, [](const std::string& name) { return name.empty() || name == "X" || name == "N"; });
  return out;
}

FlagTable flag_table(const std::function<void()>& run) {
  FlagTable table;
  wanted_table = &table;
  try {
    run();
  } catch (...) {
    wanted_table = nullptr;
    throw;
  }
  wanted_table = nullptr;
  return table;
}

int between(const std::string& flag, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return static_cast<int>(value);
  throw InputError(flag + " must be between " + std::to_string(low) + " and " + std::to_string(high) +
                   ", not " + std::to_string(value));
}

}  // namespace plumb::cli
