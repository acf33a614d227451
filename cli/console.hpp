// The process's ends: standard output, the terminal's abilities, signals, a progress bar.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace plumb::cli {

/// SIGINT and SIGTERM remove unfinished output files and end the process with 130 or 143; SIGPIPE is left to
/// write_stdout().
void install_signal_handlers();
/// The same signals call this instead.
void install_signal_handlers(void (*on_signal)(int));
/// What the first form does at a signal.
extern "C" void end_on_signal(int number);

/// Writes everything, options spelled as flags. A reader that has gone away is no error; a full disk is an
/// InputError.
void write_stdout(std::string_view text);
/// One line "plumb: <text>" on standard error, options spelled as flags.
void say(std::string_view text);

[[nodiscard]] bool stdout_colour();  ///< a terminal, and NO_COLOR is not set
[[nodiscard]] int stdout_width();    ///< columns of the terminal or of $COLUMNS, else 100
[[nodiscard]] bool stdout_terminal();

/// A bar on standard error when that is a terminal; otherwise nothing. Erased when it goes out of scope.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();
  /// To be called with the share done; empty when there is no bar.
  [[nodiscard]] std::function<void(double)> callback();

 private:
  void show(double share);
  bool shown_ = false;
  bool active_ = false;
  int last_ = -1;  // tenths of a percent
};

}  // namespace plumb::cli
