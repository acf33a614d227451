#include "shell/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "plumb/data/check.hpp"
#include "plumb/data/utf8.hpp"

namespace plumb::cli {
namespace {

bool no_colour() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

/// Without terminal control sequences, except for the bold and dim that tables use.
std::string harmless(std::string_view text) {
  constexpr std::string_view kOwn[] = {"\x1b[0m", "\x1b[1m", "\x1b[2m"};
  std::string out;
  while (!text.empty()) {
    const std::size_t escape = text.find('\x1b');
    out += detail::visible(text.substr(0, escape), "\n\t");
    if (escape == std::string_view::npos) break;
    text.remove_prefix(escape);
    const auto* const own =
        std::find_if(std::begin(kOwn), std::end(kOwn), [&](auto code) { return text.starts_with(code); });
    const bool ours = own != std::end(kOwn) && stdout_colour();
    out += ours ? *own : "?";
    text.remove_prefix(ours ? own->size() : 1);
  }
  return out;
}

}  // namespace

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

void write_stdout(std::string_view text, Text kind) {
  const std::string spelled = spell(text, kFlag);
  if (write_all(STDOUT_FILENO, kind == Text::data ? spelled : harmless(spelled)) || errno == EPIPE) return;
  throw InputError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void say(std::string_view text) {
  (void)write_all(STDERR_FILENO, "plumb: " + detail::visible(spell(text, kFlag)) + "\n");
}

bool stdout_colour() {
  const char* term = std::getenv("TERM");
  return !no_colour() && ::isatty(STDOUT_FILENO) != 0 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

int stdout_width(int piped) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  // The shell's own variable, for pipes into a pager.
  if (const char* columns = std::getenv("COLUMNS")) {
    const int given = std::atoi(columns);
    if (given >= 40 && given <= 1000) return given;
  }
  return piped;
}

std::string broken(std::string line, std::size_t width, std::size_t hang) {
  std::string out;
  while (line.size() > width) {
    std::size_t space = line.rfind(' ', width);
    if (space == std::string::npos || space <= hang) space = line.find(' ', std::max(width, hang + 1));
    if (space == std::string::npos) break;
    out += line.substr(0, space) + "\n";
    line = std::string(hang, ' ') + line.substr(space + 1);
  }
  return out + line;
}

}  // namespace plumb::cli
