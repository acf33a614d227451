// A slice of a case as a picture for a page.
#pragma once

#include <string>

#include "plumb/io/case_files.hpp"

namespace plumb {

struct CasePicture {
  std::string uri;         ///< "data:image/png;base64,..."; empty for cases of one axis
  std::int64_t slice = 0;  ///< along the slowest axes, from 0
  std::int64_t slices = 1;
};

/// The slice where confidence and agreement differ most in sum, in two panels. Left: the probability of the
/// foreground (any class but the first), white for 1, and the outline that each rater drew. Right: orange
/// where the model's confidence in its class is above the share of raters who chose it, blue where it is
/// below, white where they agree. Voxels that were left out are dark. NIfTI volumes have y upwards.
[[nodiscard]] CasePicture case_picture(const CaseItems& c);

}  // namespace plumb
