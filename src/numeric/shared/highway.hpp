// Which Highway targets this room is compiled for: all but those of run-time width, because a row sum needs
// its eight lanes in a fixed number of registers. Each file that dispatches includes this before Highway.
#pragma once

// Sanitizer builds do not need seven versions of a kernel: the widest common, a narrow and the scalar one do.
#ifdef PLUMB_FEW_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_AVX3 | HWY_AVX3_DL | HWY_SSSE3)
#else
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
