// The version of these headers. plumb::version() is that of the linked library.
#pragma once

#define PLUMB_VERSION_MAJOR 0
#define PLUMB_VERSION_MINOR 2
#define PLUMB_VERSION_PATCH 0
#define PLUMB_VERSION_STRING "0.2.0"
