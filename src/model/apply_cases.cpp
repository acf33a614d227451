#include "plumb/model/apply_cases.hpp"

#include <cstring>
#include <map>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/nifti_write.hpp"
#include "plumb/io/npy.hpp"

namespace plumb {
namespace {

bool ends_in(const std::string& name, std::string_view extension) {
  if (name.size() < extension.size()) return false;
  for (std::size_t i = 0; i < extension.size(); ++i) {
    const char c = name[name.size() - extension.size() + i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != extension[i]) return false;
  }
  return true;
}

/// A case may be called "site 1/patient 7"; a file may not.
std::string file_stem(const std::string& name) {
  std::string out = name;
  for (char& c : out)
    if (c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < 0x20) c = '_';
  if (out.starts_with('.') || out.starts_with('-')) out.front() = '_';
  return out;
}

std::string extension_of(const Source& source) {
  if (source.selection.empty())
    for (const char* const known : {".nii.gz", ".nii"})
      if (ends_in(source.path, known)) return known;
  return ".npy";
}

/// The calibrated probabilities in the order of the file.
template <class T>
std::vector<T> calibrated_voxels(const CalibrationModel& model, const CasePredictions& c, int threads) {
  const std::int64_t voxels = c.predictions.items();
  const std::int64_t classes = c.class_axis ? c.shape[*c.class_axis] : 1;
  // Whether all voxels of a class follow each other, or all classes of a voxel.
  const bool planes = c.class_axis && (*c.class_axis == 0) != c.first_axis_fastest;
  std::vector<T> out(voxels * classes);
  apply_model(model, c.predictions, {.threads = threads}, [&](const CalibratedChunk& chunk) {
    for (std::int64_t i = 0; i < chunk.size; ++i)
      for (std::int64_t k = 0; k < classes; ++k) {
        const std::int64_t voxel = chunk.begin + i;
        out[planes ? k * voxels + voxel : voxel * classes + k] =
            static_cast<T>(chunk.probabilities[i * classes + k]);
      }
  });
  return out;
}

template <class T>
void write_case(const CalibrationModel& model, const ManifestCase& files, const CaseFileOptions& o,
                const std::string& path) {
  const CasePredictions c = read_case_predictions(files, o, static_cast<int>(model.classes));
  const std::vector<T> voxels = calibrated_voxels<T>(model, c, o.threads);
  if (!c.first_axis_fastest) return write_npy(path, voxels, c.shape);
  const bool same_range = o.scale == Scale::probability && o.full == 1;
  write_nifti(path, float_head(nifti_head(files.probs.path), detail::dtype_of<T>(), same_range),
              std::as_bytes(std::span(voxels)), o.threads);
}

/// The offset of voxel v, of an image of that shape in C order.
std::int64_t offset_of(const CaseArrays::Place& at, std::int64_t v) {
  std::int64_t out = at.first;
  for (std::size_t k = at.shape.size(); k-- > 0; v /= at.shape[k]) out += v % at.shape[k] * at.strides[k];
  return out;
}

template <class T>
void write_arrays(const CalibrationModel& model, const CaseArrays& arrays, const CaseFileOptions& o,
                  const std::string& path, const std::function<void(std::int64_t)>& done) {
  std::int64_t size = 1;
  for (const std::int64_t n : arrays.shape()) size *= n;
  std::vector<T> out(size);
  for (std::int64_t i = 0; i < arrays.cases(); ++i) {
    const CasePredictions c = [&] {
      try {
        return arrays.predictions(i, o);
      } catch (const InputError& e) {
        throw InputError("case " + std::to_string(i) + ": " + e.sentence());
      }
    }();
    const CaseArrays::Place at = arrays.place(i);
    const std::int64_t classes = c.class_axis ? c.shape[*c.class_axis] : 1;
    apply_model(model, c.predictions, {.threads = o.threads}, [&](const CalibratedChunk& chunk) {
      for (std::int64_t v = 0; v < chunk.size; ++v) {
        const std::int64_t to = offset_of(at, chunk.begin + v);
        for (std::int64_t k = 0; k < classes; ++k)
          out[to + k * at.classes] = static_cast<T>(chunk.probabilities[v * classes + k]);
      }
    });
    if (done) done(i + 1);
  }
  write_npy(path, out, arrays.shape());
}

}  // namespace

std::vector<std::string> calibrated_names(const Manifest& manifest) {
  std::vector<std::string> out;
  std::map<std::string, std::string> taken{{"manifest.csv", "the new manifest"}};
  for (const ManifestCase& c : manifest.cases) {
    out.push_back(file_stem(c.name) + extension_of(c.probs));
    const auto [at, is_new] = taken.emplace(out.back(), "case " + c.name);
    if (!is_new)
      throw InputError("case " + c.name + " and " + at->second + " would be written to the same file " +
                       out.back() + "; give them names that differ in other characters");
  }
  return out;
}

void check_applies_to_cases(const CalibrationModel& model) {
  if (model.task == "regression")
    throw InputError(model.name + " is a calibrator of variances; cases have probabilities of classes");
  if (model.steps.empty()) throw InputError(model.name + " has no steps; fit a model first");
  if (model.steps.back().method == "alpha")
    throw InputError(model.name +
                     " ends with alpha, which changes no probability; fit another method for cases");
}

void apply_to_case(const CalibrationModel& model, const ManifestCase& files, const CaseFileOptions& o,
                   DType dtype, const std::string& path) {
  if (dtype == DType::f32) return write_case<float>(model, files, o, path);
  write_case<double>(model, files, o, path);
}

void apply_to_arrays(const CalibrationModel& model, const CaseArrays& arrays, const CaseFileOptions& o,
                     DType dtype, const std::string& path, const std::function<void(std::int64_t)>& done) {
  if (dtype == DType::f32) return write_arrays<float>(model, arrays, o, path, done);
  write_arrays<double>(model, arrays, o, path, done);
}

}  // namespace plumb
