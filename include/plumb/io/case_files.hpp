// The voxels of a case as items: probabilities and the masks of its raters, checked against each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/io/manifest.hpp"
#include "plumb/io/nifti.hpp"

namespace plumb {

/// nnunet: first, and the axes of the image in the order of nnU-Net's arrays (case_layout.hpp).
enum class ClassAxis { by_shape, first, last, nnunet };

struct CaseFileOptions {
  Scale scale = Scale::probability;
  PredictionOptions predictions = {};
  ClassAxis class_axis = ClassAxis::by_shape;  ///< by_shape: the only axis that fits
  double full = 1;                             ///< the stored number that means probability 1
  std::vector<std::string> classes = {};       ///< names; numbers are the values of the masks
  std::optional<double> ignore = {};           ///< a value of masks that means "no vote"
  bool foreground = false;           ///< only voxels where a rater or the model chooses class 1 or more
  bool predicted = false;            ///< only voxels where the model does
  bool exclude_background = false;   ///< without the first class: one class fewer
  double band = 0;                   ///< mm around boundaries; 0: no bands
  std::vector<double> spacing = {};  ///< mm between voxels; empty: as the files say
  int threads = 0;
};

/// Where the items of a case lie in its image.
struct CaseGrid {
  std::vector<std::int64_t> shape;
  bool first_axis_fastest = false;
  std::vector<std::int64_t> kept = {};  ///< the voxel of each item; empty: all, in order
  [[nodiscard]] std::int64_t voxel_of(std::int64_t item) const { return kept.empty() ? item : kept[item]; }
  /// "(3, 4, 5)"
  [[nodiscard]] std::string name(std::int64_t item) const;
};

struct CaseItems {
  Items items;                            ///< votes are ratings, a column for each rater
  std::vector<std::string> raters;        ///< names of the columns
  double voxel_mm3 = 0;                   ///< from the affine; 0: the files have none
  std::vector<std::uint32_t> bands = {};  ///< bit k - 1: within the band of class k; empty: none asked for
  std::int64_t even = 0;                  ///< without background: voxels where nothing was left to share out
  CaseGrid grid = {};
};

/// Reads the files of a case. InputError names the file and the voxel: other shapes or affines, values that
/// are not a class or not a probability, no voxel left.
[[nodiscard]] CaseItems read_case(const ManifestCase& files, const CaseFileOptions& options);
/// The same from what was read: probabilities, the mask of each rater and, if there is one more, the region
/// of interest. `full` is the stored number that means probability 1.
[[nodiscard]] CaseItems case_items(std::vector<Volume> volumes, std::vector<std::string> raters, double full,
                                   const CaseFileOptions& options);

/// The model's file of a case, all of its voxels.
struct CasePredictions {
  Predictions predictions;                ///< voxels in the order of `first_axis_fastest`
  std::vector<std::int64_t> shape;        ///< of the file
  std::optional<std::size_t> class_axis;  ///< of `shape`; none for a probability of the foreground
  bool first_axis_fastest = false;        ///< true for NIfTI
};
/// Of what was read; `full` is the stored number that means probability 1.
[[nodiscard]] CasePredictions case_predictions(const Volume& probs, std::optional<std::size_t> class_axis,
                                               double full, const CaseFileOptions& options);
/// Masks are only looked at for the axis of the classes; without them it must follow from the number of
/// classes or from options.class_axis.
[[nodiscard]] CasePredictions read_case_predictions(const ManifestCase& files, const CaseFileOptions& options,
                                                    int classes);

}  // namespace plumb
