// The subcommands: each takes the arguments after its name and returns the exit code.
#pragma once

#include "shell/flags.hpp"
#include "shell/program.hpp"

namespace plumb::cli {

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
