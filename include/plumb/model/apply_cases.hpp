// A model applied to the images of a manifest: one file of probabilities for each case, in the form of the
// file that came in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/io/case_arrays.hpp"
#include "plumb/io/case_files.hpp"

namespace plumb {

/// Names of the files, one per case, without a folder: the case's name and the extension of its file of
/// probabilities (.nii, .nii.gz; .npy for every other). InputError where two cases would get the same name.
[[nodiscard]] std::vector<std::string> calibrated_names(const Manifest& manifest);

/// InputError for a model that gives no probabilities of classes.
void check_applies_to_cases(const CalibrationModel& model);

/// Writes `path` with the shape of the case's file; NIfTI with its header. `dtype` is f32 or f64. The file
/// appears complete or not at all. InputError as read_case_predictions() and apply_model().
void apply_to_case(const CalibrationModel& model, const ManifestCase& files, const CaseFileOptions& options,
                   DType dtype, const std::string& path);

/// The same for cases in one array: an array of its shape, in C order. It is in memory as a whole.
/// `done` is told how many cases are.
void apply_to_arrays(const CalibrationModel& model, const CaseArrays& arrays, const CaseFileOptions& options,
                     DType dtype, const std::string& path,
                     const std::function<void(std::int64_t)>& done = {});

}  // namespace plumb
