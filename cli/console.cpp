#include "console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"

namespace plumb::cli {
namespace {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool no_colour() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

}  // namespace

extern "C" void end_on_signal(int number) {
  remove_unfinished_files();
  ::_exit(128 + number);  // what a shell reports for a process that the signal ended
}

void install_signal_handlers() { install_signal_handlers(end_on_signal); }

void install_signal_handlers(void (*on_signal)(int)) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // A process started with the signal ignored (nohup) keeps ignoring it.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

void write_stdout(std::string_view text) {
  if (write_all(STDOUT_FILENO, spell(text, kFlag)) || errno == EPIPE) return;
  throw InputError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void say(std::string_view text) { (void)write_all(STDERR_FILENO, "plumb: " + spell(text, kFlag) + "\n"); }

bool stdout_colour() {
  const char* term = std::getenv("TERM");
  return !no_colour() && ::isatty(STDOUT_FILENO) != 0 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

bool stdout_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

int stdout_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  // The shell's own variable, for pipes into a pager.
  if (const char* columns = std::getenv("COLUMNS")) {
    const int given = std::atoi(columns);
    if (given >= 40 && given <= 1000) return given;
  }
  return 100;
}

ProgressBar::ProgressBar(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) (void)write_all(STDERR_FILENO, "\r\x1b[K");
}

std::function<void(double)> ProgressBar::callback() {
  if (!active_) return {};
  return [this](double share) { show(share); };
}

void ProgressBar::show(double share) {
  const int now = static_cast<int>(std::clamp(share, 0.0, 1.0) * 1000);
  if (now == last_) return;
  last_ = now;
  constexpr int kWidth = 40;
  const int full = now * kWidth / 1000;
  char percent[16];
  std::snprintf(percent, sizeof percent, "] %5.1f%%", now / 10.0);
  (void)write_all(STDERR_FILENO, "\r[" + std::string(static_cast<std::size_t>(full), '#') +
                                     std::string(static_cast<std::size_t>(kWidth - full), ' ') + percent);
  shown_ = true;
}

}  // namespace plumb::cli
