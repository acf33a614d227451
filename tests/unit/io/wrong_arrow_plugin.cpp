// A plugin that must not be used.
#include "plumb/io/arrow_plugin.hpp"

extern "C" __attribute__((visibility("default"))) int plumb_plugin_abi() {
#ifdef PLUMB_WRONG_interface
  return PLUMB_ARROW_INTERFACE + 1;
#else
  return PLUMB_ARROW_INTERFACE;
#endif
}

extern "C" __attribute__((visibility("default"))) const PlumbArrowPlugin* plumb_arrow_plugin() {
  static const PlumbArrowPlugin kPlugin{
      "25.0.0", [] { return "26.0.1"; }, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  return &kPlugin;
}
