// What both programs (plumb, plumb-train) are around their commands: exit codes, and one sentence for
// whatever was thrown; and the signals that end them, which leave no torn file behind.
#pragma once

#include <functional>
#include <string>

namespace plumb::cli {

inline constexpr int kDone = 0;
inline constexpr int kInternalFailure = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kGateHeld = 3;  ///< a --fail-if held

/// Runs the program and turns what it throws into a sentence on standard error and an exit code.
/// `out_of_memory` is the sentence for std::bad_alloc.
[[nodiscard]] int run_program(const std::function<int()>& program, const std::string& out_of_memory);

/// SIGINT, SIGTERM and SIGHUP remove unfinished output files and end the process with 128 + number, as a
/// shell reports it. SIGPIPE is ignored: write_stdout() sees it. An input that becomes shorter while it is
/// read (SIGBUS) ends the process with a sentence and the code of bad input.
void end_on_signal();
/// The first of these signals only shows in signal_received(), so that the work at hand can be finished; the
/// second one ends the process as above.
void ask_on_signal();
/// The number of the signal that came, else 0.
[[nodiscard]] int signal_received();

}  // namespace plumb::cli
