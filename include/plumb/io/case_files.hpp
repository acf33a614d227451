// The voxels of a case as items: probabilities and the masks of its raters, checked against each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/io/manifest.hpp"

namespace plumb {

enum class ClassAxis { unsaid, first, last };

struct CaseFileOptions {
  Scale scale = Scale::probability;
  PredictionOptions predictions = {};
  ClassAxis class_axis = ClassAxis::unsaid;  ///< unsaid: told by the shapes where only one axis fits
  double full = 1;                           ///< the stored number that means probability 1
  std::vector<std::string> classes = {};     ///< names; numbers are the values of the masks
  std::optional<double> ignore = {};         ///< a value of masks that is no vote
  bool foreground = false;                   ///< only voxels where a rater or the model says class 1 or more
  bool predicted = false;                    ///< only voxels where the model does
  int threads = 0;
};

struct CaseItems {
  Items items;                      ///< votes are ratings, a column for each rater
  std::vector<std::string> raters;  ///< names of the columns
};

/// Reads the files of a case. InputError names the file and the voxel: other shapes or affines, values that
/// are no class or no probability, no voxel left.
[[nodiscard]] CaseItems read_case(const ManifestCase& files, const CaseFileOptions& options);

}  // namespace plumb
