#include "plumb/version.hpp"

#include "plumb/result.hpp"

namespace plumb {

const char* version() { return PLUMB_VERSION_STRING; }

}  // namespace plumb
