// The plugin's entry. It is linked with Arrow, which `plumb` is not.
#include "plugin.hpp"

#include <arrow/config.h>
#include <arrow/util/config.h>

namespace {

const char* running() { return arrow::GetBuildInfo().version_string.c_str(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) int plumb_plugin_abi() { return PLUMB_ARROW_INTERFACE; }

extern "C" __attribute__((visibility("default"))) const PlumbArrowPlugin* plumb_arrow_plugin() {
  namespace p = plumb::arrow_plugin;
  static const PlumbArrowPlugin kPlugin{
      ARROW_VERSION_STRING, running, p::schema, p::open, p::create, p::append, p::finish, p::drop};
  return &kPlugin;
}
