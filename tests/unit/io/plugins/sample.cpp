// A plugin for plugin_test.cpp.
extern "C" int plumb_plugin_abi() { return 7; }
extern "C" int plumb_sample_twice(int x) { return 2 * x; }
