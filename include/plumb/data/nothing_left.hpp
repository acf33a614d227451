// Thrown when no voxel of a case was selected.
#pragma once

#include "plumb/data/check.hpp"

namespace plumb {

/// Not an error in the files: for example, no lesion was predicted. A run over cases continues.
class NothingLeft : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace plumb
