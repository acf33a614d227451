// The plugin, loaded once, and its errors as InputError.
#pragma once

#include <string>

#include "plumb/cuda/plugin.hpp"
#include "plumb/data/check.hpp"

namespace plumb::cuda {

/// InputError when there is no plugin.
[[nodiscard]] const PlumbCudaPlugin& plugin();

/// Calls a function of the plugin with a place for its error.
template <class Function, class... Arguments>
void call(Function function, Arguments... arguments) {
  PlumbCudaError error{};
  if (function(arguments..., &error) != 0) throw InputError(error.text);
}

}  // namespace plumb::cuda
