// plumb manual [COMMAND]: the manual page in the format of man(7), made from the flags of the command.
#include <algorithm>

#include "command_flags.hpp"
#include "commands.hpp"
#include "demo_data.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/result.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

/// Text as troff prints it: a line must not begin with a dot or a quote, and a backslash or dash is escaped.
std::string escaped(const std::string& text) {
  std::string out;
  bool start = true;
  for (const char c : text) {
    if (start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    start = c == '\n';
  }
  return out;
}

std::string title(const std::string& page, const std::string& line) {
  return ".TH " + page + " 1 \"\" \"plumb " + version() + "\" \"User Commands\"\n.SH NAME\n" + page +
         " \\- " + escaped(line) + "\n";
}

std::string flag_lines(const FlagTable& table) {
  std::string out, heading;
  for (const FlagEntry& flag : table.flags) {
    if (flag.heading != heading) out += ".SS \"" + escaped(heading = flag.heading) + "\"\n";
    out += ".TP\n.B ";
    for (const std::string& name : flag.names)
      out += (&name == &flag.names.front() ? "" : ", ") + escaped(name);
    if (!flag.value.empty()) out += " \\fI" + escaped(flag.value) + "\\fR";
    out += "\n" + escaped(flag.what) + "\n";
  }
  return out;
}

/// Text with its own lines, as it is.
std::string verbatim(const std::string& text) { return ".nf\n" + escaped(text) + "\n.fi\n"; }

std::string page_name(const FlagTable& table) {
  std::string page = "plumb-" + table.command;
  std::replace(page.begin(), page.end(), ' ', '-');
  return page;
}

std::string page_of(const FlagTable& table) {
  const std::string page = page_name(table);
  const std::string first = table.line.substr(0, table.line.find('\n'));
  std::string out = title(page, first) + ".SH SYNOPSIS\n.B plumb " + escaped(table.command) +
                    "\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" + verbatim(table.line) + ".SH OPTIONS\n" +
                    flag_lines(table);
  if (!table.examples.empty()) out += ".SH EXAMPLES\n" + verbatim(table.examples);
  return out + ".SH \"SEE ALSO\"\n.BR plumb (1)\n";
}

std::string main_page() {
  std::string out = title("plumb", "can a model's probabilities be trusted?") +
                    ".SH SYNOPSIS\n.B plumb\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const Command& c : commands())
    if (c.run != nullptr) out += ".TP\n.B " + escaped(c.name) + "\n" + escaped(c.line) + "\n";
  return out +
         ".SH \"EXIT STATUS\"\n.TP\n.B 0\nThe command succeeded.\n.TP\n.B 1\nInternal failure.\n"
         ".TP\n.B 2\nThe input or the command line is wrong; one sentence on standard error says how.\n"
         ".TP\n.B 3\nA condition of \\-\\-fail\\-if was true: the gate failed.\n";
}

}  // namespace

int manual_command(const Args& args) {
  Flags flags("manual",
              "Prints the manual page of plumb or of one of its commands, in the format of man(7).");
  Args name;
  std::string out;
  flags.positional("COMMAND", name, "a command, such as evaluate or calibrate fit; none: plumb itself");
  flags.text("--out", "FOLDER", out, "write the pages of all commands into this folder instead");
  flags.examples("Examples:\n  plumb manual evaluate | man -l -\n  plumb manual calibrate fit | man -l -");
  if (!flags.parse(args)) return kDone;
  if (!out.empty()) {
    if (!name.empty()) throw InputError("--out writes all pages; leave out \"" + name[0] + "\"");
    make_folder(out);
    write_file(out + "/plumb.1", main_page());
    for (const FlagTable& table : command_flags())
      write_file(out + "/" + page_name(table) + ".1", page_of(table));
    return kDone;
  }
  if (name.empty()) {
    write_stdout(main_page(), Text::data);
    return kDone;
  }
  std::string wanted = name[0];
  for (std::size_t i = 1; i < name.size(); ++i) wanted += " " + name[i];
  Args known;
  for (const FlagTable& table : command_flags()) {
    if (table.command == wanted) {
      write_stdout(page_of(table), Text::data);
      return kDone;
    }
    known.push_back(table.command);
  }
  throw InputError("there is no command \"" + wanted + "\"" + did_you_mean(wanted, known) +
                   "; \"plumb\" alone lists the commands");
}

}  // namespace plumb::cli
