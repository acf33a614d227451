#include "plumb/result.hpp"

namespace plumb {

const char* version() { return PLUMB_VERSION; }

}  // namespace plumb
