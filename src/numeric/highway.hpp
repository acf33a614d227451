// Which Highway targets this room is compiled for: all but those of run-time width, for a row sum needs its
// eight lanes in a fixed number of registers. Each file that dispatches includes this before Highway.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
