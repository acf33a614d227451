// Folders and arrays of nnU-Net, version 2.
#include <algorithm>
#include <map>

#include "io/layout_files.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/case_layout.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// "anna" of labels_anna, labelsTr_anna and labelsTs_anna; "labels" of labels, labelsTr and labelsTs.
std::string nnunet_rater(const std::string& folder) {
  std::string rest = folder.substr(std::string_view("labels").size());
  if (rest.starts_with("Tr") || rest.starts_with("Ts")) rest.erase(0, 2);
  rest.erase(0, std::min(rest.find_first_not_of("_-"), rest.size()));
  return rest.empty() ? "labels" : rest;
}

struct NnunetFolders {
  std::vector<fs::path> predictions;
  std::vector<std::pair<std::string, fs::path>> labels;  ///< by rater
};

NnunetFolders nnunet_folders(const fs::path& folder, bool rated) {
  NnunetFolders out;
  for (const fs::path& at : detail::entries_of(folder)) {
    const std::string name = at.filename().string();
    std::error_code ignored;
    if (!fs::is_directory(at, ignored)) continue;
    if (name.starts_with("predictions")) out.predictions.push_back(at);
    if (name.starts_with("labels")) out.labels.emplace_back(nnunet_rater(name), at);
  }
  const std::string where = folder.string();
  if (out.predictions.size() != 1)
    throw InputError(
        where + " has " + std::to_string(out.predictions.size()) +
        " folders called predictions...; put the output of nnUNetv2_predict (with probabilities saved) into one folder of this name");
  if (out.labels.empty() && rated)
    throw InputError(
        where +
        " has no folder of masks; put them into labelsTr or labelsTs or, for several raters, into labels_anna, labels_ben, ...");
  return out;
}

}  // namespace

Manifest nnunet_manifest(const std::string& folder, bool rated) {
  const NnunetFolders folders = nnunet_folders(folder, rated);
  Manifest out;
  out.path = folder;
  std::map<std::string, std::map<std::string, std::string>> masks;  // by case and rater
  for (const auto& [rater, labels] : folders.labels)
    for (const fs::path& file : detail::entries_of(labels)) {
      const std::string name = detail::stem_without(file.filename().string(), {".nii.gz", ".nii", ".png"});
      if (name.empty()) continue;
      const auto [at, fresh] = masks[name].emplace(rater, file.string());
      if (!fresh)
        throw InputError("case " + name + ": " + at->second + " and " + file.string() +
                         " are both masks of rater " + rater);
    }
  for (const fs::path& file : detail::entries_of(folders.predictions.front())) {
    ManifestCase c;
    c.name = detail::stem_without(file.filename().string(), {".npz"});
    if (c.name.empty()) continue;
    c.probs = {file.string(), "probabilities"};
    for (const auto& [rater, path] : masks[c.name]) c.raters.emplace_back(rater, Source{path, ""});
    if (c.raters.empty() && rated)
      throw InputError("case " + c.name + ": no folder labels... of " + folder + " has a mask " + c.name +
                       ".nii.gz (.nii, .png)");
    out.cases.push_back(std::move(c));
  }
  if (out.cases.empty())
    throw InputError(folders.predictions.front().string() +
                     " has no .npz files; let nnUNetv2_predict save the probabilities");
  return out;
}

Array nnunet_order(Array probs, const Array& mask, bool nifti) {
  const Array given = probs;
  if (nifti) {
    std::reverse(probs.shape.begin(), probs.shape.end());
    std::reverse(probs.strides.begin(), probs.strides.end());
    if (probs.shape.size() == mask.shape.size() + 1 &&
        std::equal(mask.shape.begin(), mask.shape.end(), probs.shape.begin()))
      return probs;
  } else {
    if (probs.shape.size() == mask.shape.size() + 2 && probs.shape[1] == 1) {  // a picture is one slice
      probs.shape.erase(probs.shape.begin() + 1);
      probs.strides.erase(probs.strides.begin() + 1);
    }
    if (probs.shape.size() == mask.shape.size() + 1 &&
        std::equal(mask.shape.begin(), mask.shape.end(), probs.shape.begin() + 1))
      return probs;
  }
  std::vector<std::int64_t> wanted = mask.shape;
  if (nifti) std::reverse(wanted.begin(), wanted.end());
  std::string axes = "classes";
  for (const std::int64_t n : wanted) axes += " x " + std::to_string(n);
  throw InputError(
      given.name + " is " + show_shape(given.shape) + ", and " + mask.name + " needs " + axes +
      "; probabilities that are still cropped or resampled (nnU-Net 1, or stopped before its export) must be put back on the image grid first: Plumb does not read the .pkl file that describes the crop, because reading a pickle can run arbitrary code");
}

}  // namespace plumb
