// The frame of both programs (plumb, plumb-train): exit codes, one sentence for each exception, and signals,
// which leave no incomplete file behind.
#pragma once

#include <functional>
#include <string>

namespace plumb::cli {

inline constexpr int kDone = 0;
inline constexpr int kInternalFailure = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kGateFailed = 3;  ///< a --fail-if condition was true

/// Runs the program and turns what it throws into a sentence on standard error and an exit code.
/// `out_of_memory` is the sentence for std::bad_alloc.
[[nodiscard]] int run_program(const std::function<int()>& program, const std::string& out_of_memory);

/// SIGINT, SIGTERM and SIGHUP remove unfinished output files and end the process with 128 + number, as a
/// shell reports it. SIGPIPE is ignored: write_stdout() sees it. An input that becomes shorter while it is
/// read (SIGBUS) ends the process with a sentence and the code of bad input.
void end_on_signal();
/// The first of these signals only sets signal_received(), so that the current work can be finished; the
/// second one ends the process as above.
void ask_on_signal();
/// The number of the signal received, otherwise 0.
[[nodiscard]] int signal_received();

}  // namespace plumb::cli
