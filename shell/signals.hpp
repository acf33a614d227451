// Signals that end a program: no torn file is left behind.
#pragma once

namespace plumb::cli {

/// SIGINT, SIGTERM and SIGHUP remove unfinished output files and end the process with 128 + number, as a
/// shell reports it. SIGPIPE is ignored: write_stdout() sees it.
void end_on_signal();
/// The first of these signals only shows in signal_received(), so that the work at hand can be finished; the
/// second one ends the process as above.
void ask_on_signal();
/// The number of the signal that came, else 0.
[[nodiscard]] int signal_received();

}  // namespace plumb::cli
