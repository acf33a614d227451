// Finished cases in a file, for a run that can be resumed.
#pragma once

#include <memory>

#include "case_flags.hpp"
#include "evaluate_flags.hpp"

namespace plumb::cli {

/// Empty without a path. The file depends on all options that move the sums of a case; a case on its row of
/// the manifest and on the size and time of its files. Intervals may be asked for differently.
[[nodiscard]] CaseStore open_case_store(const std::string& path, const CaseFlags& flags,
                                        const EvaluateFlags& how, bool keep_state, const CaseInputs& cases);

}  // namespace plumb::cli
