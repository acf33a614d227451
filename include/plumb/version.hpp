// The version of these headers. The library that was linked tells its own: plumb::version().
#pragma once

#define PLUMB_VERSION_MAJOR 0
#define PLUMB_VERSION_MINOR 1
#define PLUMB_VERSION_PATCH 0
#define PLUMB_VERSION_STRING "0.1.0"
