// Thrown where the voxels that were asked for leave nothing of a case.
#pragma once

#include "plumb/data/check.hpp"

namespace plumb {

/// Nothing to count, and no mistake in the files: no lesion was predicted, say. A run over cases goes on.
class NothingLeft : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace plumb
