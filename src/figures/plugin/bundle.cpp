// Vega and web/src/figure.ts as one script, made by web/build_figure.mjs. The file stands in the object as it
// is; as a string in a source it would take the compiler seconds.
#include "figures/plugin/bundle.hpp"

extern "C" const char plumb_bundle_begin[] __attribute__((visibility("hidden")));
extern "C" const char plumb_bundle_end[] __attribute__((visibility("hidden")));

// The engine reads one zero after the end.
asm(".section .rodata\n"
    ".global plumb_bundle_begin\n"
    ".global plumb_bundle_end\n"
    ".hidden plumb_bundle_begin\n"
    ".hidden plumb_bundle_end\n"
    "plumb_bundle_begin:\n"
    ".incbin \"" PLUMB_BUNDLE
    "\"\n"
    "plumb_bundle_end:\n"
    ".byte 0\n"
    ".previous\n");

namespace plumb::detail {

std::string_view figure_script() {
  return {plumb_bundle_begin, static_cast<std::size_t>(plumb_bundle_end - plumb_bundle_begin)};
}

}  // namespace plumb::detail
