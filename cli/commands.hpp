// The subcommands: each takes the arguments after its name and returns the exit code.
#pragma once

#include "flags.hpp"

namespace plumb::cli {

inline constexpr int kDone = 0;
inline constexpr int kInternalFailure = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kGateHeld = 3;  ///< a --fail-if held

int evaluate_command(const Args& args);
int stability_command(const Args& args);
int calibrate_command(const Args& args);
int uncertainty_command(const Args& args);
int compare_command(const Args& args);
int report_command(const Args& args);
int train_command(const Args& args);
int predict_command(const Args& args);
int merge_command(const Args& args);
int list_command(const Args& args);
int describe_command(const Args& args);
int demo_command(const Args& args);

}  // namespace plumb::cli
