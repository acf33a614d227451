// Cases by the names of files: folders as nnU-Net writes them, and BIDS derivatives.
#pragma once

#include <string>

#include "plumb/data/array.hpp"
#include "plumb/io/manifest.hpp"

namespace plumb {

/// `folder`/predictions* has CASE.npz (array `probabilities`, from nnUNetv2_predict with probabilities
/// saved); each folder labels* has the masks CASE.nii.gz (.nii, .png) of a rater. labelsTr and labelsTs are
/// those of rater "labels", labels_anna and labelsTs_anna those of rater "anna". Throws InputError.
/// Without `rated` no case needs a mask.
[[nodiscard]] Manifest nnunet_manifest(const std::string& folder, bool rated = true);

/// Files anywhere below `folder`: *_probseg.nii.gz of the model, *_dseg.nii.gz or *_mask.nii.gz of a rater.
/// A case is what its entities say without desc, label and rater; its group is the subject. The rater is the
/// entity rater, otherwise desc, otherwise the folder below `folder` (or derivatives). Throws InputError.
[[nodiscard]] Manifest bids_manifest(const std::string& folder, bool rated = true);

/// Probabilities as nnU-Net has them, K x (axes of the mask), which are reversed where the mask is NIfTI
/// (z, y, x), as an array with the classes on the last axis in the first case and on the first in the other.
/// Nothing is copied. InputError: another shape, as of files that are still cropped.
[[nodiscard]] Array nnunet_order(Array probs, const Array& mask, bool nifti);

}  // namespace plumb
